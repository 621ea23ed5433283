"""Agents that ended the program in the middle of a run, so that it looked like one that had passed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

ENDING = """
import asyncio, atexit, multiprocessing, os, subprocess, sys, threading
from os import _exit

def ends():
    raise SystemExit(0)

async def ends_later():
    ends()

async def ends_when_cancelled():
    try:
        await asyncio.sleep(60)
    finally:
        ends()

def in_thread(function, *args):
    thread = threading.Thread(target=function, args=args)
    thread.start()
    thread.join()

async def stops_always():
    while True:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)

def interrupts():
    raise KeyboardInterrupt

def cancel_all():
    for task in asyncio.all_tasks():
        task.cancel()

def forked(function, *args):
    child = os.fork()
    if child == 0:
        function(*args)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def process(function, *args):
    child = multiprocessing.get_context("fork").Process(target=function, args=args)
    child.start()
    child.join()
    return child.exitcode

class Agent:
    def __init__(self, what):
        self.what = what

    async def send(self, message):
        loop = asyncio.get_running_loop()
        if message.text != "1" or os.path.exists("harmless"):
            return "done"
        made = eval(self.what)
        await asyncio.sleep(0.05)
        return str(made)
"""


@pytest.fixture
def suite(write: Write) -> Callable[..., None]:
    """Writes a suite of four cases, in the second of which the agent does ``what``."""

    def suite(what: str, answer: str = "", **more: Any) -> None:
        cases = [
            {"name": f"case {number}", "input": str(number), "expected_tools": []} for number in range(4)
        ]
        if answer:
            equal = {"type": "standard", "metric": "equality"}
            cases[1] |= {"ground_truth": answer, "evaluations": [equal]}
        agent = {"model": {"provider": "python", "agent": "ending:Agent", "what": what}, "test_cases": cases}
        write({**agent, **more}, ending=ENDING)

    return suite


@pytest.mark.parametrize(
    ("what", "code", "told"),
    [
        ("_exit(7)", 3, "error: what was tested called os._exit(7): the run ends here, without reports"),
        ("in_thread(_exit, 0)", 3, "error: what was tested called os._exit(0): the run ends here"),
        ("cancel_all()", 3, "error: what was tested cancelled every task, those of the run too"),
        ("loop.call_soon(interrupts)", 130, "interrupted"),
    ],
)
def test_a_run_that_the_agent_ends_is_none_that_passed_and_can_be_resumed(
    suite: Any, holodeck: Holodeck, tmp_path: Path, what: str, code: int, told: str
) -> None:
    suite(what)
    done = holodeck("test")
    assert (done.returncode, done.stderr.startswith(told), "Traceback" in done.stderr) == (code, True, False)
    [folder] = tmp_path.glob(".holodeck/runs/*")
    how = f"resume: holodeck test agent.yaml --resume .holodeck/runs/{folder.name}"
    assert done.stdout.splitlines()[-1] == how
    (tmp_path / "harmless").touch()
    resumed = holodeck("test", "--resume")
    assert (resumed.returncode, resumed.stdout.splitlines()[-1]) == (
        0,
        f"resumed {folder.name}: 1 taken over, 3 new",
    )


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("loop.stop()", "warning: what was tested stopped the event loop; the run went on\n"),
        ("asyncio.ensure_future(stops_always())", "warning: what was tested stopped the event loop; "),
        ("loop.call_soon(ends)", "warning: what was tested raised SystemExit: 0 in a task or callback of it"),
        (
            "asyncio.ensure_future(ends_later())",
            "warning: what was tested raised SystemExit: 0 in a task or ",
        ),
        ("asyncio.ensure_future(ends_when_cancelled())", "warning: what was tested raised SystemExit: 0 in "),
        ("in_thread(ends)", ""),
        ("atexit.register(os._exit, 3)", ""),
    ],
)
def test_what_ends_the_event_loop_only_costs_nothing(
    suite: Any, holodeck: Holodeck, what: str, told: str
) -> None:
    suite(what)
    done = holodeck("test")
    assert (done.returncode, done.stdout.splitlines()[-1][:18]) == (0, "4 passed, 0 failed"), done.stderr
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == (told != "")


@pytest.mark.parametrize("what", ["os._exit", "_exit", "sys.exit"])
def test_what_is_registered_for_the_end_changes_no_exit_code(
    suite: Any, holodeck: Holodeck, what: str
) -> None:
    suite(f"atexit.register({what}, 0)", answer="another")
    assert holodeck("test").returncode == 1


@pytest.mark.parametrize(
    "what",
    [
        "os.execv('/bin/sh', ['sh', '-c', 'exit 0'])",
        "os.execlp('sh', 'sh', '-c', 'exit 0')",
    ],
)
def test_a_program_that_would_take_the_place_of_ours_costs_its_turn(
    suite: Any, holodeck: Holodeck, what: str
) -> None:
    suite(what)
    done = holodeck("test")
    assert (done.returncode, done.stdout.splitlines()[-1][:28]) == (1, "3 passed, 0 failed, 1 errore")
    assert "the program in which agents are tested cannot be replaced" in done.stdout


@pytest.mark.parametrize(
    ("what", "answer"),
    [
        ("forked(os._exit, 5)", "5"),
        ("forked(os.execvp, 'sh', ['sh', '-c', 'exit 6'])", "6"),
        ("subprocess.run(['sh', '-c', 'exit 2']).returncode", "2"),
        ("process(_exit, 8)", "8"),
    ],
)
def test_processes_of_the_agents_own_end_as_they_like(
    suite: Any, holodeck: Holodeck, what: str, answer: str
) -> None:
    suite(what, answer=answer)
    done = holodeck("test")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("command", ["test", "validate"])
def test_a_module_that_ends_the_program_when_it_is_imported(
    write: Write, holodeck: Holodeck, command: str
) -> None:
    agent = {"model": {"provider": "python", "agent": "gone:agent"}, "test_cases": [{"input": "hi"}]}
    write(agent, gone="import os\nos._exit(0)\n")
    done = holodeck(command)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: os._exit(0) was called while the agent file was loaded\n"


@pytest.mark.parametrize(
    ("source", "code", "told"),
    [
        ("import asyncio\nraise asyncio.CancelledError", 3, "internal error: CancelledError: "),
        ("import sys\nsys.stdout.close()\nsys.stderr.close()\nagent = str", 0, ""),
    ],
)
def test_a_module_can_neither_cancel_the_program_nor_fail_it_by_closing_its_streams(
    write: Write, holodeck: Holodeck, source: str, code: int, told: str
) -> None:
    write(
        {"model": {"provider": "python", "agent": "odd:agent"}, "test_cases": [{"input": "hi"}]}, odd=source
    )
    done = holodeck("validate")
    assert (done.returncode, done.stderr.startswith(told)) == (code, True), done.stderr
    assert done.stderr.count("\n") == (told != "")


@pytest.mark.parametrize("args", [("validate",), ("test", "-k", "nowhere")], ids=" ".join)
def test_threads_that_a_module_starts_do_not_keep_what_runs_nothing_from_its_end(
    write: Write, holodeck: Holodeck, args: tuple[str, ...]
) -> None:
    source = "import threading, time\nthreading.Thread(target=time.sleep, args=(50,)).start()\n"
    agent = {"model": {"provider": "python", "agent": "threads:agent"}, "test_cases": [{"input": "hi"}]}
    write(agent, threads=f"{source}def agent():\n    return str\n")
    begun = time.monotonic()
    assert holodeck(*args).returncode == (0 if args == ("validate",) else 3)
    assert time.monotonic() - begun < 30


def test_a_report_that_was_asked_for_is_not_the_old_one_in_disguise(
    suite: Any, holodeck: Holodeck, tmp_path: Path
) -> None:
    suite("os._exit(0)")
    assert holodeck("test", "-o", "report.json").returncode == 3
    assert not (tmp_path / "report.json").exists()
    assert holodeck("report", "-o", "report.json").returncode == 0
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["complete"], [result["test_name"] for result in report["results"]]) == (False, ["case 0"])


def test_a_thread_that_ends_the_process_does_not_cut_short_what_is_told_of_another() -> None:
    program = """if True:
        import os, threading, time
        from holodeck_cli.early_end import guarded
        told = threading.Event()

        def tell(what):
            told.set()
            time.sleep(0.3 if what == "os._exit(0)" else 0)
            print(what)
            return 3

        with guarded(tell):
            threading.Thread(target=os._exit, args=(0,)).start()
            told.wait()
            os._exit(1)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (3, b"os._exit(0)\n")
