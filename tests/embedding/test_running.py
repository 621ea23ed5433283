"""The engine in other people's programs: with a loop and without, in a notebook, in threads; what it leaves alone."""

from __future__ import annotations

import ast
import asyncio
import logging
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import (
    CaseFinished,
    CaseStarted,
    NoOptions,
    Reporter,
    Run,
    RunError,
    RunEvent,
    RunFinished,
    RunStarted,
    Suite,
    TestReport,
    TurnFinished,
    UserMessage,
    build_suite,
    resume_suite,
    run_suite,
    run_suite_sync,
)

CORE = Path(__file__).parents[2] / "packages/holodeck-core/src/holodeck_core"
EQUALITY = {"type": "standard", "metric": "equality"}


def suite_of(agent: object, count: int = 3, **settings: Any) -> Suite:
    cases = [
        {"name": f"case {number}", "input": str(number), "ground_truth": str(number)}
        for number in range(count)
    ]
    return build_suite(cases, agent=agent, evaluations=[EQUALITY], settings=settings)


async def held(run: Run) -> TestReport:
    """The run, for what takes a coroutine."""
    return await run


async def echo(text: str) -> str:
    return text


class Told(Reporter):
    """Keeps the names of the events that it is told."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.events: list[str] = []

    def case_finished(self, event: CaseFinished) -> None:
        self.events.append(event.name)

    def run_finished(self, event: RunFinished) -> None:
        self.events.append("complete" if event.complete else "incomplete")


async def test_events_come_as_they_happen_and_end_with_the_run() -> None:
    run = run_suite(suite_of(echo, 2))
    events = [event async for event in run.events()]
    assert [type(event) for event in events] == [
        RunStarted,
        *(CaseStarted, TurnFinished, CaseFinished) * 2,
        RunFinished,
    ]
    assert run.complete
    assert [result.status for result in run.results()] == ["passed", "passed"]


async def test_an_event_is_there_before_the_next_case_is_over() -> None:
    release = asyncio.Event()

    async def agent(text: str) -> str:
        if text == "1":
            await release.wait()
        return text

    seen = []
    async for event in run_suite(suite_of(agent, 2)).events():
        if isinstance(event, CaseFinished):
            seen.append((event.name, release.is_set()))
            release.set()
    assert seen == [("case 0", False), ("case 1", True)]


async def test_reporters_and_events_are_told_the_same() -> None:
    reporter = Told()
    names = [
        event.name
        async for event in run_suite(suite_of(echo), reporters=[reporter]).events()
        if isinstance(event, CaseFinished)
    ]
    assert [*names, "complete"] == reporter.events


async def test_leaving_the_events_cancels_the_run_and_closes_its_sessions() -> None:
    closed = []
    second = asyncio.Event()

    class Slow:
        async def send(self, message: UserMessage) -> str:
            if message.text != "0":
                second.set()
                await asyncio.sleep(60)
            return message.text

        async def close(self) -> None:
            closed.append(self)

    suite = build_suite([{"input": "0"}, {"input": "1"}], factory=Slow)
    reporter = Told()
    events = run_suite(suite, reporters=[reporter]).events()
    async for event in events:
        if isinstance(event, CaseFinished):
            break
    await second.wait()
    await events.aclose()
    assert len(closed) == 2
    assert reporter.events[-1] == "incomplete"


async def test_a_run_that_was_stopped_ends_its_events() -> None:
    run = run_suite(suite_of(echo, 50))
    last: RunEvent | None = None
    async for event in run.events():
        last = event
        if isinstance(event, CaseFinished):
            run.stop()
    assert isinstance(last, RunFinished)
    assert not last.complete


async def test_the_events_of_a_run_that_has_been_started_are_refused() -> None:
    run = run_suite(suite_of(echo))
    await run
    with pytest.raises(RuntimeError, match="before it is awaited"):
        run.events()


async def test_cancelling_the_task_that_awaits_a_run_cancels_it() -> None:
    begun = asyncio.Event()

    async def agent(text: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return text

    reporter = Told()
    task = asyncio.create_task(held(run_suite(suite_of(agent), reporters=[reporter])))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reporter.events == ["incomplete"]


async def test_two_runs_go_on_side_by_side_in_one_loop() -> None:
    reports = await asyncio.gather(held(run_suite(suite_of(echo))), held(run_suite(suite_of(echo))))
    assert [report.summary.passed for report in reports] == [3, 3]


async def test_without_a_loop_of_its_own_the_synchronous_form_says_what_to_do() -> None:
    with pytest.raises(RunError, match=r"`await run_suite\(suite\)`"):
        run_suite_sync(suite_of(echo))


async def test_inside_a_running_loop_a_thread_takes_the_synchronous_form() -> None:
    report = await asyncio.to_thread(run_suite_sync, suite_of(echo))
    assert report.summary.passed == 3


@pytest.mark.parametrize("shared", [True, False], ids=["one suite", "two suites"])
def test_suites_run_in_two_threads_at_once(shared: bool) -> None:
    together = threading.Barrier(2, timeout=20)

    def agent(text: str) -> str:
        if text == "0":
            together.wait()  # both runs are in their first case at the same time
        return text

    suites = [suite_of(agent, 20, parallel_test_cases=4) for _ in range(2)]
    reports: list[TestReport] = []
    threads = [
        threading.Thread(target=lambda suite=suite: reports.append(run_suite_sync(suite)))
        for suite in (suites[:1] * 2 if shared else suites)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert [report.summary.passed for report in reports] == [20, 20]
    assert len({report.run_id for report in reports}) == 2


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        ("agent.yaml", "a run needs a Suite, got str: load_suite(path) makes one"),
        ({"name": "a"}, "a run needs a Suite, got dict"),
    ],
)
def test_what_is_no_suite_is_told_how_one_is_made(suite: Any, message: str, tmp_path: Path) -> None:
    for start in (run_suite_sync, run_suite, lambda suite: resume_suite(suite, tmp_path)):
        with pytest.raises(TypeError) as caught:
            start(suite)
        assert str(caught.value).startswith(message)


class Plain:
    def case_finished(self, event: CaseFinished) -> None: ...


@pytest.mark.parametrize(
    ("reporter", "message"),
    [
        (Plain(), "a reporter is an instance of a subclass of Reporter, got Plain"),
        (Reporter, "Reporter is a class: a reporter is an object, made with its options"),
    ],
)
def test_what_is_no_reporter_is_refused(reporter: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        run_suite(suite_of(str.upper), reporters=[reporter])
    assert str(caught.value) == message


def test_what_cannot_select_a_case_is_refused(tmp_path: Path) -> None:
    for start in (run_suite, lambda suite, select: resume_suite(suite, tmp_path, select=select)):
        with pytest.raises(TypeError, match="`select` is a function from a case to a bool, got str"):
            start(suite_of(str.upper), select="money")


def test_a_run_leaves_the_process_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    def state() -> tuple[Any, ...]:
        return (
            sys.stdout,
            sys.stderr,
            sys.excepthook,
            list(sys.path),
            signal.getsignal(signal.SIGINT),
            signal.getsignal(signal.SIGTERM),
            list(logging.getLogger().handlers),
            logging.getLogger().level,
            {name for name in logging.root.manager.loggerDict if name.startswith("holodeck")},
        )

    before = state()
    run_suite_sync(suite_of(echo))
    assert state() == before
    assert capfd.readouterr() == ("", "")


NOTEBOOK = """
import asyncio
from holodeck_core import build_suite, run_suite

async def notebook():  # the cells of a notebook run in a loop that is there already
    report = await run_suite(build_suite([{"input": "a"}], agent=lambda text: text))
    print(report.summary.passed)

asyncio.run(notebook())
"""


def test_a_cell_of_a_notebook_awaits_the_run() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", NOTEBOOK],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


_FORBIDDEN_CALLS = {
    "print",
    "input",
    "exit",
    "quit",
    "breakpoint",
    "sys.exit",
    "os._exit",
    "os.abort",
    "os.chdir",
    "os.putenv",
    "signal.signal",
    "signal.set_wakeup_fd",
    "logging.basicConfig",
    "logging.disable",
    "logging.captureWarnings",
    "warnings.simplefilter",
    "warnings.filterwarnings",
    "atexit.register",
    "faulthandler.enable",
    "random.seed",
    "locale.setlocale",
    "asyncio.set_event_loop_policy",
}
_FORBIDDEN_METHODS = {"add_signal_handler", "addHandler", "setLevel"}
_PROCESS_STATE = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.excepthook", "os.environ"}


def misdeeds(source: str) -> list[str]:
    """What a module does to the process that it is in."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in _FORBIDDEN_CALLS or name.rpartition(".")[2] in _FORBIDDEN_METHODS:
                found.append(f"{node.lineno}: {name}()")
        elif isinstance(node, ast.Global):
            found.append(f"{node.lineno}: global {', '.join(node.names)}")
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
            for target in targets:
                written = target.value if isinstance(target, ast.Subscript) else target
                if ast.unparse(written) in _PROCESS_STATE:
                    found.append(f"{node.lineno}: {ast.unparse(target)} = …")
    return found


@pytest.mark.parametrize(
    "source",
    [
        "print(1)",
        "import sys\nsys.exit(1)",
        "import signal\nsignal.signal(2, f)",
        "loop.add_signal_handler(2, f)",
        "logging.getLogger('x').setLevel(1)",
        "logging.basicConfig()",
        "import sys\nsys.stdout = x",
        "import os\nos.environ['A'] = 'b'",
        "def f():\n    global x\n    x = 1",
    ],
)
def test_the_scan_finds(source: str) -> None:
    assert misdeeds(source)


def test_the_core_leaves_the_process_alone() -> None:
    """No print, no exit, no signal handler, no logging configuration, no global state in any module of the core.

    One module ends a process: a copy that code of others has forked, and that would go on with the run a second time.
    """
    modules = sorted(CORE.rglob("*.py"))
    assert len(modules) > 100
    found = {str(path.relative_to(CORE)): misdeeds(path.read_text(encoding="utf-8")) for path in modules}
    assert [path for path, deeds in found.items() if deeds] == ["engine/forks.py"]
    assert [deed.partition(": ")[2] for deed in found["engine/forks.py"]] == [
        "global generation",
        "os._exit()",
    ]
