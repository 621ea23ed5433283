"""Cases of an agent file as tests of pytest: what is collected and selected, and what each verdict becomes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from holodeck_core import load_suite, run_suite_sync
from holodeck_core.testing.fake_distribution import FakeDistribution

pytest_plugins = ["pytester"]

PLUGIN = "holodeck_core.testing.pytest_plugin"
EQUALITY = {"type": "standard", "metric": "equality"}
DESK = """
from pathlib import Path

class Desk:
    def __init__(self, case_name):
        with Path("opened.txt").open("a", encoding="utf-8") as file:
            file.write(f"{case_name}\\n")

    def send(self, message):
        if message.text == "fail":
            raise ValueError("no idea")
        print("the agent prints")
        return message.text
"""


def case(name: str | None, said: str = "a", right: str = "a", **keys: Any) -> dict[str, Any]:
    named = {} if name is None else {"name": name}
    return {**named, "input": said, "ground_truth": right, "evaluations": [EQUALITY], **keys}


GOOD, BAD, ERRS = case("good"), case("bad", right="b"), case("errs", said="fail")

Run = Callable[..., pytest.RunResult]


@pytest.fixture(scope="module", autouse=True)
def everything_is_imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each run in this process forgets what it imports; what is imported before it stays."""
    path = tmp_path_factory.mktemp("first") / "agent.json"
    path.write_text(
        json.dumps(
            {
                "name": "first",
                "model": {"provider": "scripted", "replies": [{"reply": "a"}]},
                "test_cases": [GOOD],
            }
        ),
        encoding="utf-8",
    )
    run_suite_sync(load_suite(path))
    import holodeck_core.backends.python
    import holodeck_core.case_lines  # noqa: F401


@pytest.fixture(autouse=True)
def other_plugins_take_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else is installed may sort tests or change what is shown."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Writes an agent file, and runs pytest with the plugin in this process."""

    def run(
        cases: Any, *args: str, file: str = "agent.yaml", process: bool = False, **keys: Any
    ) -> pytest.RunResult:
        agent = {"name": "desk", "model": {"provider": "python", "agent": "my_desk:Desk"}, **keys}
        path = pytester.path / file
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(json.dumps({**agent, "test_cases": cases}), encoding="utf-8")
        (path.parent / "my_desk.py").write_text(DESK, encoding="utf-8")
        start = pytester.runpytest_subprocess if process else pytester.runpytest_inprocess
        return start("-p", PLUGIN, *args)

    return run


def opened(pytester: pytest.Pytester) -> list[str]:
    """The cases whose sessions were opened."""
    path = pytester.path / "opened.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def test_each_case_is_a_test(run: Run, pytester: pytest.Pytester) -> None:
    run([GOOD, case(None), BAD], "agent.yaml").assert_outcomes(passed=2, failed=1)
    assert opened(pytester) == ["good", "None", "bad"]


def test_nothing_is_collected_without_the_plugin(run: Run, pytester: pytest.Pytester) -> None:
    run([GOOD])
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize(
    ("file", "args", "collected"),
    [
        ("agent.yaml", (), True),
        ("suites/agent.yaml", (), True),
        ("suites/desk.agent.yaml", ("suites",), True),
        ("suites/desk.yaml", (), False),
        ("suites/desk.yaml", ("suites/desk.yaml",), True),
        ("desk.json", ("desk.json",), True),
        ("desk.yaml", ("-o", "holodeck_files=desk.yaml other.yaml"), True),
        ("agent.yaml", ("-o", "holodeck_files=desk.yaml"), False),
        ("desk.txt", ("desk.txt",), False),
    ],
)
def test_which_files_are_collected(run: Run, file: str, args: tuple[str, ...], collected: bool) -> None:
    outcome = run([GOOD], "--collect-only", "-q", *args, file=file)
    assert ("1 test collected" in outcome.stdout.str()) is collected


def test_collecting_opens_no_session(run: Run, pytester: pytest.Pytester) -> None:
    run([GOOD, BAD], "--collect-only")
    assert opened(pytester) == []


@pytest.mark.parametrize(
    ("args", "ran"),
    [
        (("-k", "good or errs"), ["good", "errs"]),
        (("-m", "money"), ["bad"]),
        (("-k", "skip"), ["good"]),
        (("-x",), ["good", "bad"]),
        (("--deselect", "agent.yaml::bad"), ["good", "errs"]),
        (("agent.yaml::errs",), ["errs"]),
    ],
)
def test_only_what_is_selected_is_run(
    run: Run, pytester: pytest.Pytester, args: tuple[str, ...], ran: list[str]
) -> None:
    cases = [{**GOOD, "tags": ["skip", "a tag"]}, {**BAD, "tags": ["money", "slow"]}, ERRS]
    run(cases, "--strict-markers", *args)
    assert opened(pytester) == ran


def test_a_tag_that_is_called_as_a_mark_that_acts_does_nothing(run: Run) -> None:
    tagged = [{**GOOD, "tags": ["skip", "xfail", "usefixtures", "_private", "a(b): c"]}]
    run(tagged, "--strict-markers").assert_outcomes(passed=1)


def test_the_last_failures_are_run_again(run: Run, pytester: pytest.Pytester) -> None:
    run([GOOD, BAD, ERRS]).assert_outcomes(passed=1, failed=1, errors=1)
    (pytester.path / "opened.txt").unlink()
    run([GOOD, BAD, ERRS], "--lf").assert_outcomes(failed=1, errors=1)
    assert opened(pytester) == ["bad", "errs"]


def test_a_failure_says_what_the_terminal_says(run: Run) -> None:
    turns = {"name": "two", "turns": [case(None), case(None, right="b")]}
    lines = run([turns]).stdout
    lines.fnmatch_lines(
        [
            "FAIL two (2 turns, * ms)",
            "  turns[[]1] failed (* ms)",
            "    input: a",
            "    reply: a",
            '    - equality: expected "b", got "a": *',
            "FAILED agent.yaml::two - Failed: FAIL two (2 turns*",
        ]
    )
    lines.no_fnmatch_line("*Traceback*")
    lines.no_fnmatch_line("*pytest_plugin.py*")


def test_an_error_is_told_as_one(run: Run) -> None:
    result = run([ERRS])
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["ERROR errs (1 turn, * ms)", "*ValueError: no idea*", "ERROR agent.yaml::errs*"]
    )


ENDS = """
import asyncio

def agent(api_key):
    async def end():
        raise SystemExit(f"##vso[x] {api_key}")

    async def send(text):
        asyncio.create_task(end())
        await asyncio.sleep(0.1)
        return text

    async def cancel(text):
        for task in asyncio.all_tasks():
            task.cancel(api_key)
        await asyncio.sleep(0.1)

    return HOW
"""


@pytest.mark.parametrize(
    ("how", "outcome", "told"),
    [
        ("send", {"passed": 1}, []),
        ("cancel", {"errors": 1}, ["what was tested ended the run: CancelledError*"]),
    ],
)
def test_an_agent_that_ends_the_program_ends_its_test_alone(
    run: Run, pytester: pytest.Pytester, how: str, outcome: dict[str, int], told: list[str]
) -> None:
    pytester.makepyfile(ends=ENDS.replace("HOW", how))
    model = {"provider": "python", "agent": "ends:agent", "api_key": "sk-not-a-real-key"}
    result = run([GOOD], model=model)
    result.assert_outcomes(**outcome)
    result.stdout.fnmatch_lines(told)
    result.stdout.no_fnmatch_line("*sk-not-a-real-key*")


AGAIN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    runtestprotocol(item, nextitem=nextitem)
    runtestprotocol(item, nextitem=nextitem)
    return True
"""


def test_a_test_that_is_run_again_is_not_judged_by_its_first_result(
    run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(AGAIN)
    ways = "(send, cancel)[next(TIMES)]"
    pytester.makepyfile(again=f"import itertools\nTIMES = itertools.count()\n{ENDS.replace('HOW', ways)}")
    model = {"provider": "python", "agent": "again:agent", "api_key": "sk-not-a-real-key"}
    run([GOOD], model=model).assert_outcomes(passed=1, errors=1)


@pytest.mark.parametrize(
    "source",
    ["def agent():\n    return lambda text: os._exit(0)", "os._exit(0)"],
    ids=["in a turn", "as it is imported"],
)
def test_an_agent_cannot_end_pytest_as_if_all_tests_had_passed(
    pytester: pytest.Pytester, source: str
) -> None:
    pytester.makepyfile(ends=f"import os\n{source}\n")
    model = {"provider": "python", "agent": "ends:agent"}
    (pytester.path / "agent.yaml").write_text(
        json.dumps({"name": "ends", "model": model, "test_cases": [GOOD]})
    )
    result = pytester.runpytest_subprocess("-p", "holodeck_core.testing.pytest_plugin", "agent.yaml")
    assert result.ret == 3
    result.stdout.fnmatch_lines(["what was tested called os._exit(0): the tests end here"])


def test_repeats_are_one_test(run: Run, pytester: pytest.Pytester) -> None:
    result = run([{**BAD, "repeat": 3, "min_pass_rate": 0.5}])
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*/* passed (0 %*needs 50 %*"])


def test_what_an_agent_prints_is_captured(run: Run) -> None:
    result = run([BAD])
    result.stdout.fnmatch_lines(["*Captured stdout setup*", "the agent prints"])
    run([GOOD]).stdout.no_fnmatch_line("the agent prints")


def test_mistakes_of_a_file_are_one_error_of_collection_with_all_of_them(run: Run) -> None:
    result = run([{"inptu": "a"}, case("x", expected_tools=7)])
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*unknown key `inptu`*", "*expected_tools*"])
    result.stdout.no_fnmatch_line("*Traceback*")


FAR = """
from holodeck_core import Backend, Fault, NoOptions
from holodeck_core.plugins import Contribution, hookimpl

class Far(Backend):
    Options = NoOptions

    def lacks(self):
        return [Fault((), "no key for it")]

    async def open(self, agent, case=None):
        raise ValueError("no key for it")

@hookimpl
def holodeck_backends():
    return [Contribution("far", "acme_hooks:Far", "far away")]
"""


def test_what_this_machine_lacks_costs_the_tests_that_need_it(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = pytester.path / "site"
    FakeDistribution("holodeck-acme", modules={"acme_hooks.py": FAR}).install(site)
    monkeypatch.syspath_prepend(site)
    pytester.makepyfile(test_near="def test_near(): pass")
    result = run([GOOD], "-W", "default", model={"provider": "acme/far"})
    result.assert_outcomes(passed=1, errors=1, warnings=1)
    result.stdout.fnmatch_lines(["*no session could be opened: ValueError: no key for it (*.py:* in *)"])


def test_the_plugin_imports_nothing_that_is_not_needed_yet(pytester: pytest.Pytester) -> None:
    code = (
        f"import sys, pytest; before = set(sys.modules); import {PLUGIN}; "
        "print({name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    assert pytester.run(sys.executable, "-c", code).outlines == ["{'holodeck_core'}"]


def test_what_can_never_fail_is_a_warning(run: Run) -> None:
    result = run([{"input": "a"}], "-W", "default")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*SuiteWarning: *nothing is checked in this case*"])


def test_warnings_that_are_to_be_errors_are_one_error_of_collection(run: Run) -> None:
    result = run([{"input": "a"}, {"input": "b"}], "-W", "error")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_cases[[]0]: nothing*", "*test_cases[[]1]: nothing*"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_every_test_has_an_id_that_selects_it(run: Run, pytester: pytest.Pytester) -> None:
    names = ["same", "same (2)", "same", "same", "a::b", "a:b"]
    names += ["line\nbreak", "esc\x1b[2Jape", "[x]", "π", " - "]
    cases = [case(name) for name in names]
    listed = run(cases, "--collect-only", "-q", "-W", "default").outlines
    ids = [line for line in listed if line.startswith("agent.yaml::")]
    assert len(set(ids)) == len(names)
    ran = run(cases, "-W", "default", "-v", *ids)
    ran.assert_outcomes(passed=len(names))
    assert all(any(line.startswith(f"{node_id} PASSED") for line in ran.outlines) for node_id in ids)


def test_junit_xml_tells_failures_and_errors_apart(run: Run, pytester: pytest.Pytester) -> None:
    hostile = case("hostile", said="\x1b[31m</failure>\x00", right="b")
    run([GOOD, BAD, ERRS, hostile], "--junitxml=junit.xml")
    suite = ElementTree.parse(pytester.path / "junit.xml").getroot()[0]
    kinds = {test.get("name"): [child.tag for child in test if child.tag != "system-out"] for test in suite}
    assert kinds == {"good": [], "bad": ["failure"], "errs": ["error"], "hostile": ["failure"]}


def test_a_test_stands_where_its_case_does(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / "cases.yaml").write_text("- input: a\n- input: b\n", encoding="utf-8")
    (pytester.path / "agent.yaml").write_text(
        "name: x\nmodel: {provider: scripted, replies: []}\ntest_cases_file: cases.yaml\n", encoding="utf-8"
    )
    items, _ = pytester.inline_genitems("-p", PLUGIN, "-p", "no:asyncio", "-W", "default")
    assert [(Path(item.location[0]).name, item.location[1]) for item in items] == [
        ("cases.yaml", 0),
        ("cases.yaml", 1),
    ]


def test_workers_of_xdist_share_the_cases(run: Run, pytester: pytest.Pytester) -> None:
    cases = [*(case(f"good{number}") for number in range(4)), {**BAD, "tags": ["money"]}, ERRS]
    result = run(cases, "-p", "xdist", "-n", "2", "--strict-markers", "--junitxml=junit.xml", process=True)
    result.assert_outcomes(passed=4, failed=1, errors=1)
    result.stdout.fnmatch_lines(['    - equality: expected "b", got "a": *'])
    assert sorted(opened(pytester)) == ["bad", "errs", "good0", "good1", "good2", "good3"]
    assert len(ElementTree.parse(pytester.path / "junit.xml").getroot()[0]) == 6


def test_cases_stand_beside_tests_in_python_and_a_setting_loads_the_plugin(
    run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(test_one="def test_one(): pass")
    pytester.makeini(f"[pytest]\naddopts = -p {PLUGIN}\n")
    run([GOOD])
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_agent_files_of_one_session_with_modules_of_one_name_are_told_of_both_files(
    run: Run, pytester: pytest.Pytester
) -> None:
    for folder in ("a", "b"):
        path = pytester.path / folder / "my_helpers.py"
        path.parent.mkdir()
        path.write_text("def right(turn): return True\n")
        metric = {"type": "code", "grader": "my_helpers:right"}
        run([{"name": folder, "input": folder, "evaluations": [metric]}], "--co", file=f"{folder}/agent.yaml")
    result = pytester.runpytest_inprocess("-p", PLUGIN, "-p", "no:asyncio", "-v", "a", "b")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*'my_helpers' is already loaded from */a/my_helpers.py, so */b/my_helpers.py*"]
    )


async def test_cases_run_where_a_loop_is_running_already(run: Run) -> None:
    run([GOOD, BAD, ERRS]).assert_outcomes(passed=1, failed=1, errors=1)
