"""``holodeck test`` as a process: verdicts, what is shown, reports."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import TestReport
from holodeck_core.testing.fake_distribution import FakeDistribution

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

GOOD = {"name": "good", "input": "hi", "expected_tools": ["greet"]}
BAD = {
    "name": "bad",
    "turns": [{"input": "hi", "expected_tools": ["greet"]}, {"input": "bye", "expected_tools": ["leave"]}],
}
BROKEN = {"name": "broken", "input": "break"}
BARE = {"input": "hi"}

REPLIES: list[dict[str, Any]] = [
    {"input": "hi", "reply": "hello", "calls": [{"name": "greet", "args": {"who": "you"}, "result": "ok"}]},
    {"input": "bye", "reply": "so long"},
    {"input": "break", "error": "out of order"},
]


def write_agent(
    folder: Path, *cases: Mapping[str, Any], replies: list[dict[str, Any]] = REPLIES, **more: Any
) -> None:
    """An agent file; JSON is YAML."""
    agent = {
        "name": "desk",
        "model": {"provider": "scripted", "replies": replies},
        "test_cases": cases,
        **more,
    }
    (folder / "agent.yaml").write_text(json.dumps(agent, indent=1))


def outline(text: str) -> list[str]:
    """The lines, without times and places, and without the engine's words for why a tool call does not match."""
    text = re.sub(r"\d+(\.\d+)? m?s\b", "T", re.sub(r"(agent\.yaml):\d+", r"\1:L", text))
    return re.sub(r"^(    - tool \w+): .+$", r"\1: WHY", text, flags=re.MULTILINE).splitlines()


@pytest.mark.parametrize(
    ("cases", "args", "code"),
    [
        pytest.param([GOOD], [], 0, id="all-passed"),
        pytest.param([GOOD, BAD], [], 1, id="a-case-failed"),
        pytest.param([GOOD, BROKEN], [], 1, id="a-case-errored"),
        pytest.param([BAD], ["-q"], 1, id="a-case-failed-quietly"),
        pytest.param([BAD], ["--format", "json"], 1, id="a-case-failed-with-a-report-on-standard-output"),
        pytest.param([BROKEN], [], 3, id="every-case-errored"),
        pytest.param([], [], 3, id="no-cases"),
        pytest.param([GOOD], ["-k", "nowhere"], 3, id="no-case-of-that-name"),
        pytest.param([GOOD], ["--tag", "nowhere"], 3, id="no-case-with-that-tag"),
        pytest.param([GOOD, BAD], ["-k", "good"], 0, id="only-the-selected-cases-count"),
        pytest.param([{**GOOD, "inptu": 1}], [], 2, id="a-mistake-in-the-file"),
        pytest.param([GOOD], ["missing.yaml"], 2, id="no-such-file"),
        pytest.param([GOOD], ["-k", "good and"], 2, id="no-expression"),
        pytest.param([GOOD], ["-o", "report.foo"], 2, id="unknown-suffix"),
        pytest.param([GOOD], ["--format", "nope"], 2, id="unknown-format"),
        pytest.param([GOOD], ["--format", "terminal"], 2, id="the-terminal-is-no-report"),
        pytest.param([GOOD], ["-o", "missing/report.json"], 2, id="no-such-folder"),
        pytest.param([GOOD], ["--format", "json", "-o", "."], 2, id="output-is-a-folder"),
        pytest.param([GOOD], ["--llm-timeout", "-1"], 2, id="a-setting-out-of-range"),
    ],
)
def test_the_exit_code_says_how_it_went(
    holodeck: Holodeck, tmp_path: Path, cases: list[dict[str, Any]], args: list[str], code: int
) -> None:
    write_agent(tmp_path, *cases)
    done = holodeck("test", *args)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_terminal_there_is_one_plain_line_a_case_and_why_others_failed(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    write_agent(tmp_path, GOOD, BAD, BROKEN, BARE)
    done = holodeck("test")
    assert outline(done.stdout) == [
        "PASS good (1 turn, T)",
        "FAIL bad (2 turns, T)",
        "ERROR broken (1 turn, T, nothing checked)",
        "PASS case 4 (1 turn, T, nothing checked)",
        "",
        "FAIL bad (agent.yaml:L)",
        "  turns[1] failed (T)",
        "    input: bye",
        "    missing   leave",
        "    reply: so long",
        "    - tool leave: WHY",
        "",
        "ERROR broken (agent.yaml:L)",
        "    input: break",
        "    - AgentError: out of order",
        "",
        "2 passed, 1 failed, 1 errored, 2 unchecked in T",
    ]


def test_quiet_shows_the_summary(holodeck: Holodeck, tmp_path: Path) -> None:
    write_agent(tmp_path, GOOD, BAD)
    assert outline(holodeck("test", "-q").stdout) == ["1 passed, 1 failed in T"]


def test_verbose_shows_all_that_is_known_of_every_turn(holodeck: Holodeck, tmp_path: Path) -> None:
    write_agent(tmp_path, GOOD, BAD)
    assert outline(holodeck("test", "-v").stdout) == [
        "PASS good (1 turn, T)",
        "    input: hi",
        '    call 1    greet(who="you")',
        '              -> "ok"',
        "    reply: hello",
        "FAIL bad (2 turns, T)",
        "",
        "FAIL bad (agent.yaml:L)",
        "  turns[0] passed (T)",
        "    input: hi",
        '    call 1    greet(who="you")',
        '              -> "ok"',
        "    reply: hello",
        "  turns[1] failed (T)",
        "    input: bye",
        "    missing   leave",
        "    reply: so long",
        "    - tool leave: WHY",
        "",
        "1 passed, 1 failed in T",
    ]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "no test cases in agent.yaml\n"),
        (["-k", "x"], "no test cases in agent.yaml\n"),
    ],
)
def test_no_cases_is_told(holodeck: Holodeck, tmp_path: Path, args: list[str], told: str) -> None:
    write_agent(tmp_path)
    assert holodeck("test", *args).stderr.endswith(told)


def test_a_selection_of_nothing_is_told(holodeck: Holodeck, tmp_path: Path) -> None:
    write_agent(tmp_path, GOOD, BAD)
    done = holodeck("test", "-k", "no\x1b[31mwhere", "--tag", "t")
    told = r"no test cases: -k 'no\x1b[31mwhere' --tag 't' selects none of 2: no case has a tag"
    assert done.stderr.splitlines()[-1] == told


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (["-k", "o"], ["one", "two", "case 4"][:2]),
        (["-k", "case 4"], ["case 4"]),
        (["--tag", "slow"], ["two", "three"]),
        (["--tag", "slow", "--tag", "odd"], ["one", "two", "three"]),
        (["--tag", "slow", "-k", "t and not w"], ["three"]),
    ],
    ids=" ".join,
)
def test_which_cases_run(holodeck: Holodeck, tmp_path: Path, args: list[str], names: list[str]) -> None:
    write_agent(
        tmp_path,
        {**GOOD, "name": "one", "tags": ["odd"]},
        {**GOOD, "name": "two", "tags": ["slow"]},
        {**GOOD, "name": "three", "tags": ["odd", "slow"]},
        {"input": "hi", "expected_tools": ["greet"]},
    )
    done = holodeck("test", *args)
    assert re.findall(r"^PASS (.*) \(", done.stdout, re.MULTILINE) == names


def test_settings_of_the_command_line_go_before_those_of_the_file(holodeck: Holodeck, tmp_path: Path) -> None:
    replies = [{"reply": "late", "delay": 5}]
    write_agent(
        tmp_path, BARE, BARE, replies=replies, execution={"llm_timeout": 60, "parallel_test_cases": 1}
    )
    done = holodeck("test", "--llm-timeout", "0.5", "-p", "2")
    assert done.stdout.count("no reply within 0.5 s (llm_timeout)") == 2
    assert float(re.findall(r" in (\d+) ms$", done.stdout, re.MULTILINE)[0]) < 900


def test_mistakes_in_the_file_are_all_told_with_their_place(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(
        "name: desk\nmodel: {provider: scripted, replies: []}\n"
        "test_cases:\n  - name: \"t\\e[2J\"\n    inptu: hi\n  - input: ''\n"
    )
    done = holodeck("test")
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert "\x1b" not in done.stderr
    assert any(line.startswith("agent.yaml:5:5: test_cases[0]") and "inptu" in line for line in lines)
    assert lines[lines.index("        inptu: hi") + 1] == "        ^"
    assert any(line.startswith("agent.yaml:6:") for line in lines)
    assert re.fullmatch(r"\d+ problems in agent\.yaml", lines[-1])


HOSTILE = "before\x1b]52;c;SGVsbG8=\x07 [bold]\x9b31m[/] \u202eevil\u202c \ud835 a\rb\x08\U000e0041 after"


@pytest.mark.parametrize("args", [[], ["-v"], ["-q"], ["--format", "json"]], ids=" ".join)
def test_nothing_that_an_agent_says_reaches_the_terminal_raw(
    holodeck: Holodeck, tmp_path: Path, args: list[str]
) -> None:
    (tmp_path / "hostile.py").write_text(
        f"""from holodeck_core import Reply, ToolCall
TEXT = {HOSTILE!a}
class Agent:
    def send(self, message):
        if "break" in message.text:
            raise ValueError(TEXT)
        return Reply(TEXT, [ToolCall("get" + TEXT, {{"key" + TEXT: TEXT}}, result=TEXT, error=TEXT)])
"""
    )
    text = HOSTILE.replace("\ud835", "")  # no file can hold it
    cases = [
        {"name": f"case {text}", "input": text, "expected_tools": [{"name": text, "args": {"key": text}}]},
        {"name": f"error {text}", "input": "break"},
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'hostile:Agent'}\ntest_cases_file: cases.json\n"
    )
    done = holodeck("test", *args)
    assert done.returncode == 1, done.stderr
    for shown in (done.stdout, done.stderr):
        assert (
            re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\U000e0000-\U000e007f]", shown)
            == []
        )
    people = done.stderr if "json" in args else done.stdout
    if "-q" in args:  # nothing of what was said
        assert people.startswith("0 passed, 1 failed, 1 errored, ")
        return
    assert "before" in people
    assert "[bold]" in people
    assert "evil" in people


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("args", [[], ["-v"], ["nope\u2713"]], ids=ascii)
def test_an_encoding_that_cannot_say_it_all_changes_no_exit_code(
    holodeck: Holodeck, tmp_path: Path, args: list[str], encoding: str
) -> None:
    write_agent(tmp_path, {**GOOD, "name": "good ✓ 名"}, {**BAD, "name": "bad ✗ é"})
    done = holodeck("test", *args, env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert done.returncode == (2 if args == ["nope\u2713"] else 1)
    assert "Traceback" not in done.stderr
    if not args:
        assert f"PASS good {'✓ 名' if encoding == 'utf-8' else '? ?'} (" in done.stdout


@pytest.mark.parametrize(
    "extra", [{}, {"TERM": "xterm-256color"}, {"TERM": "dumb", "NO_COLOR": "1"}], ids=str
)
def test_without_a_terminal_there_are_no_colours(
    holodeck: Holodeck, tmp_path: Path, extra: dict[str, str]
) -> None:
    write_agent(tmp_path, GOOD, BAD)
    assert "\x1b" not in holodeck("test", env=extra).stdout


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["test", "-v"], 1),
        (["test", "--format", "json"], 1),
        (["plugins", "list"], 0),
        (["--help"], 0),
        (["validate"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_reader_that_goes_away_changes_nothing(
    tmp_path: Path, command: tuple[str, ...], args: list[str], code: int
) -> None:
    write_agent(tmp_path, *[{**BAD, "name": f"bad {number}"} for number in range(300)])
    process = subprocess.Popen(
        [*command, *args], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    told = process.stderr.read()
    assert process.wait(timeout=60) == code
    assert "Traceback" not in told
    assert "BrokenPipe" not in told
    assert "Exception ignored" not in told
    process.stderr.close()


def test_standard_output_that_is_closed_is_no_trouble(tmp_path: Path, command: tuple[str, ...]) -> None:
    write_agent(tmp_path, GOOD)
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command, "test"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("args", [[], ["--format", "json"]], ids=["lines", "json"])
def test_a_full_disk_under_standard_output_ends_with_3(
    tmp_path: Path, command: tuple[str, ...], args: list[str]
) -> None:
    write_agent(tmp_path, GOOD)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command, "test", *args],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 3
    assert "error: a report could not be written: " in done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("buffering", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    ("args", "full", "code"),
    [
        pytest.param(["--version"], "stdout", 3, id="the version"),
        pytest.param(["schema"], "stdout", 3, id="a schema"),
        pytest.param(["validate"], "stdout", 3, id="a verdict on a file"),
        pytest.param(["validate"], "stderr", 0, id="no mistake"),
        pytest.param(["validate", "none.yaml"], "stderr", 2, id="a mistake in the file"),
        pytest.param(["test", "--none"], "stderr", 2, id="a mistake in the command"),
    ],
)
def test_the_exit_code_does_not_lie_where_a_stream_cannot_be_written(
    tmp_path: Path, command: tuple[str, ...], args: list[str], full: str, code: int, buffering: str
) -> None:
    write_agent(tmp_path, GOOD)
    other = "stderr" if full == "stdout" else "stdout"
    with open("/dev/full", "w") as nowhere:
        streams: dict[str, Any] = {full: nowhere, other: subprocess.PIPE}
        environment = {**os.environ, "PYTHONUNBUFFERED": buffering}
        done = subprocess.run([*command, *args], cwd=tmp_path, env=environment, check=False, **streams)
    assert done.returncode == code
    assert full == "stderr" or done.stderr.splitlines()[-1] == (
        b"error: standard output cannot be written: No space left on device"
    )
    assert b"Traceback" not in (done.stderr or b"")


LATE_IMPORT = """
def agent():
    def answer(text):
        from squares import square
        return str(square(3))
    return answer
"""
SPAWNED = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from squares import square

def agent():
    def answer(text):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            return str(pool.submit(square, 3).result())
    return answer
"""


@pytest.mark.parametrize("code", [LATE_IMPORT, SPAWNED], ids=["in-a-function", "in-a-process-of-its-own"])
def test_an_agent_imports_what_stands_beside_its_file_while_it_runs(
    holodeck: Holodeck, tmp_path: Path, code: str
) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "squares.py").write_text("def square(number):\n    return number * number\n")
    (tmp_path / "desk" / "counting.py").write_text(code)
    (tmp_path / "desk" / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'counting:agent'}\n"
        "test_cases: [{input: '3', ground_truth: 9, evaluations: [{type: standard, metric: numeric}]}]\n"
    )
    done = holodeck("test", "desk")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("buffering", ["", "1"], ids=["buffered", "unbuffered"])
def test_an_agent_that_closes_the_streams_does_not_change_the_verdict_of_the_reports(
    holodeck: Holodeck, tmp_path: Path, buffering: str
) -> None:
    (tmp_path / "closing.py").write_text(
        "import os\ndef agent():\n    def answer(text):\n        os.close(1)\n        os.close(2)\n"
        "        return 'hi'\n    return answer\n"
    )
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'closing:agent'}\n"
        "test_cases: [{input: hi, expected_tools: []}]\n"
    )
    done = holodeck("test", "-o", "report.json", env={"PYTHONUNBUFFERED": buffering})
    assert done.returncode == 3  # what is shown is a report, too
    assert json.loads((tmp_path / "report.json").read_text())["summary"]["passed"] == 1


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is no JSON")


def test_the_json_report_is_a_test_report_in_file_order(holodeck: Holodeck, tmp_path: Path) -> None:
    slow: list[dict[str, Any]] = [
        {"input": "slow", "reply": "", "delay": 0.3},
        {"input": "mid", "reply": "", "delay": 0.15},
        {"reply": ""},
    ]
    cases: list[dict[str, Any]] = [
        {"name": name, "input": name, "expected_tools": []} for name in ("slow", "mid", "fast")
    ]
    write_agent(tmp_path, *cases, replies=slow)
    done = holodeck("test", "-p", "3", "-o", "report.json")
    assert re.findall(r"^PASS (\w+)", done.stdout, re.MULTILINE) == ["fast", "mid", "slow"]
    text = (tmp_path / "report.json").read_text("utf-8")
    report = TestReport.model_validate(json.loads(text, parse_constant=refuse))
    assert [result.test_name for result in report.results] == ["slow", "mid", "fast"]
    assert report.complete
    assert report.summary.total_tests == 3
    assert list(json.loads(text)) == list(TestReport.model_fields)


def test_a_report_without_results_is_json_too(holodeck: Holodeck, tmp_path: Path) -> None:
    write_agent(tmp_path, BROKEN)
    done = holodeck("test", "--format", "json", "-k", "broken")
    assert json.loads(done.stdout)["summary"]["errored"] == 1


LOUD = """
import atexit, ctypes, os, subprocess, sys

def noise(what):
    {way}

noise("of the module")
atexit.register(noise, "of the end")

def agent():
    def send(message):
        noise("of the agent")
        return "hi"
    return send

def grader(turn):
    noise("of the grader")
    return True
"""


@pytest.mark.parametrize(
    "way",
    [
        "print('noise', what)",
        "print('noise', what, file=sys.__stdout__)",
        "os.write(1, f'noise {what}\\n'.encode())",
        "subprocess.run(['echo', 'noise', what])",
        "ctypes.CDLL(None).printf(b'noise %s\\n', what.encode())",
    ],
    ids=["print", "the real one", "descriptor", "subprocess", "C"],
)
def test_a_report_on_standard_output_is_alone_there(holodeck: Holodeck, tmp_path: Path, way: str) -> None:
    (tmp_path / "loud.py").write_text(LOUD.format(way=way))
    metrics = [{"type": "code", "grader": "loud:grader"}]
    write_agent(
        tmp_path, {**BARE, "evaluations": metrics}, model={"provider": "python", "agent": "loud:agent"}
    )
    done = holodeck("test", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["passed"] == 1
    told = [f"noise of the {who}" for who in ("module", "agent", "grader")]
    assert [line for line in told if line not in done.stderr] == []
    assert "1 passed, 0 failed" in done.stderr


def test_reports_go_where_the_order_of_options_says(holodeck: Holodeck, tmp_path: Path) -> None:
    write_agent(tmp_path, GOOD)
    done = holodeck("test", "--format", "json", "-oa.txt", "--output=b.json", "--format", "json")
    assert done.returncode == 0, done.stderr
    texts = [(tmp_path / "a.txt").read_text(), (tmp_path / "b.json").read_text(), done.stdout]
    assert len({json.loads(text)["run_id"] for text in texts}) == 1


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("missing/r.json", "-o missing/r.json: the folder "),
        (".", "-o .: it is a folder"),
        ("agent.yaml/r.json", "agent.yaml is not a folder"),
    ],
)
def test_a_report_that_cannot_be_written_is_told_before_anything_is_sent(
    holodeck: Holodeck, tmp_path: Path, target: str, why: str
) -> None:
    (tmp_path / "seen.py").write_text(
        "def agent():\n    open('sent', 'w')\n    return lambda message: 'hi'\n"
    )
    write_agent(tmp_path, BARE, model={"provider": "python", "agent": "seen:agent"})
    done = holodeck("test", "--format", "json", "-o", target)
    assert done.returncode == 2
    assert why in done.stderr
    assert not (tmp_path / "sent").exists()


def test_a_report_that_fails_at_the_end_is_told_and_ends_with_3(holodeck: Holodeck, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    (tmp_path / "away.py").write_text(
        "import os\ndef agent():\n    os.path.isdir('gone') and os.rmdir('gone')\n    return lambda message: 'hi'\n"
    )
    write_agent(tmp_path, {**BARE, "expected_tools": []}, model={"provider": "python", "agent": "away:agent"})
    done = holodeck("test", "-o", "gone/r.json")
    assert done.returncode == 3
    assert "1 passed, 0 failed" in done.stdout
    told = f"error: a report could not be written: JsonReporter ({folder}/r.json): FileNotFoundError"
    assert told in done.stderr


def test_an_agent_that_changes_the_working_directory_moves_no_report(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "wanders.py").write_text(
        "import os\ndef agent():\n    os.chdir('else')\n    return lambda message: 'hi'\n"
    )
    write_agent(
        tmp_path, {**BARE, "expected_tools": []}, model={"provider": "python", "agent": "wanders:agent"}
    )
    assert holodeck("test", "-o", "r.json").returncode == 0
    assert (tmp_path / "r.json").exists()


REPORTER_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_reporters():
    return [
        Contribution("names", "acme_report:Names", "the names of the cases"),
        Contribution("picky", "acme_report:Picky", "cannot be made"),
        Contribution("needy", "acme_report:Needy", "has options that nobody can give"),
    ]
"""

REPORTER = """
from pydantic import BaseModel
from holodeck_core import Reporter

class Names(Reporter):
    def run_finished(self, event):
        self.output.write_text(",".join(result.test_name for result in event.results()))

class Picky(Reporter):
    def __init__(self, options, output=None):
        raise SystemExit("not today")

class Needy(Reporter):
    class Options(BaseModel):
        url: str
"""


@pytest.fixture
def acme(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "site"
    folder.mkdir()
    FakeDistribution(
        "holodeck-acme", modules={"acme_hooks.py": REPORTER_HOOKS, "acme_report.py": REPORTER}
    ).install(folder)
    return {"PYTHONPATH": str(folder)}


def test_a_plugin_can_write_the_report(holodeck: Holodeck, acme: dict[str, str], tmp_path: Path) -> None:
    write_agent(tmp_path, GOOD, {**GOOD, "name": "other"})
    done = holodeck("test", "--format", "acme/names", "-o", "names.txt", env=acme)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "names.txt").read_text() == "good,other"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("picky", "SystemExit: not today"),
        (
            "needy",
            "ValueError: its options need url, and a command line gives none: they must all have defaults",
        ),
    ],
)
def test_a_reporter_that_cannot_be_made_ends_with_3_before_anything_is_sent(
    holodeck: Holodeck, acme: dict[str, str], tmp_path: Path, name: str, why: str
) -> None:
    write_agent(tmp_path, GOOD)
    done = holodeck("test", "--format", f"acme/{name}", env=acme)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"error: the reporter 'acme/{name}' cannot be made: {why}\n"


ENDS = {
    "SystemExit": "await asyncio.gather(leaves(SystemExit(0)))",
    "GeneratorExit": "raise GeneratorExit",
    "GeneratorExit in a task": "await asyncio.gather(leaves(GeneratorExit()))",
    "GeneratorExit of a function": "await asyncio.to_thread(fails, GeneratorExit())",
    "cancel all": "[task.cancel() for task in asyncio.all_tasks()]; await asyncio.sleep(0)",
    "cancel others": "[task.cancel() for task in asyncio.all_tasks() - {asyncio.current_task()}]",
    "cancel the run": "[task.cancel() for task in asyncio.all_tasks() if 'holodeck run' in task.get_name()]",
    "cancel the cases": "[task.cancel() for task in asyncio.all_tasks() if '_work' in repr(task)]",
}
OWN_CASE_ONLY = {"SystemExit", "GeneratorExit", "GeneratorExit in a task", "GeneratorExit of a function"}


@pytest.mark.parametrize("how", ENDS)
def test_an_agent_that_ends_the_program_or_the_run_is_no_pass(
    tmp_path: Path, holodeck: Holodeck, how: str
) -> None:
    (tmp_path / "ending_agent.py").write_text(
        "import asyncio\n"
        "def fails(error): raise error\n"
        "async def leaves(error): raise error\n"
        "async def create():\n"
        "    async def send(text):\n"
        "        if text == 'end':\n"
        f"            {ENDS[how]}\n"
        "        return text\n"
        "    return send\n"
    )
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'ending_agent:create'}\n"
        "test_cases: [{input: a, ground_truth: a}, {input: end, ground_truth: end}, {input: b, ground_truth: b}]\n"
        "evaluations: {metrics: [{type: standard, metric: equality}]}\n"
    )
    done = holodeck("test", "-o", "report.json", "-q")
    report = json.loads((tmp_path / "report.json").read_text())
    assert "Traceback" not in done.stderr
    if how in OWN_CASE_ONLY:
        assert done.returncode == 1
        assert [result["status"] for result in report["results"]] == ["passed", "error", "passed"]
        return
    assert done.returncode == 3
    assert done.stderr.startswith("error: what was tested "), done.stderr
    assert report["complete"] is False
    assert [result["status"] for result in report["results"]] == ["passed"]
    assert "resume: holodeck test agent.yaml --resume" in done.stdout
