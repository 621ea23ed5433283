"""Repeated cases on the command line: how they are asked for, shown, resumed, and selected again."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core.case_lines import rate_line
from holodeck_core.engine.repeats import Plan, summarize

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

# What the n-th conversation with an agent is told stands in a file, so that it outlives the process.
AGENT = """
import os, signal
from pathlib import Path

async def create(case_name):
    async def answer(text):
        with open("sent", "a") as log:
            log.write(case_name + "\\n")
        mark = Path(case_name + ".marks").read_text()[Path("sent").read_text().split().count(case_name) - 1]
        if mark == "k":
            os.kill(os.getpid(), signal.SIGKILL)
        if mark == "!":
            raise RuntimeError("out of order")
        return "yes" if mark == "." else "no"
    return answer
"""


class Marked:
    """An agent in a folder whose answers are given: ``.`` right, ``x`` wrong, ``!`` an error, ``k`` kills."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "marked_agent.py").write_text(AGENT)

    def write(self, marks: dict[str, str], **keys: Any) -> None:
        cases = [
            {"name": name, "input": "well?", "ground_truth": "yes", "repeat": len(marked), **keys}
            for name, marked in marks.items()
        ]
        for name, marked in marks.items():
            (self.folder / f"{name}.marks").write_text(marked)
        agent = {
            "name": "marked",
            "model": {"provider": "python", "agent": "marked_agent:create"},
            "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
            "test_cases": cases,
        }
        (self.folder / "agent.yaml").write_text(json.dumps(agent))

    def sent(self) -> str:
        """The first letters of the cases that were sent since this was last asked."""
        log = self.folder / "sent"
        names = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return "".join(name[0] for name in names)


@pytest.fixture
def marked(tmp_path: Path) -> Marked:
    """See ``Marked``."""
    return Marked(tmp_path)


@pytest.mark.parametrize(
    ("plan", "statuses", "line"),
    [
        (
            Plan(5, 0.8),
            "passed failed passed failed passed",
            "3/5 passed (60 %, 95 % interval 23–88 %), needs 80 %",
        ),
        (
            Plan(5, 0.8),
            "error error",
            (
                "0/2 passed, 2 errored (0 %, 95 % interval 0–66 %), needs 80 %; "
                "2 of 5 were run, the others could change nothing"
            ),
        ),
        (
            Plan(3, 0.0),
            "error failed error",
            "0/3 passed, 2 errored (0 %, 95 % interval 0–56 %), needs 0 %",
        ),
        (
            Plan(200000, 0.00001),
            "passed passed",
            (
                "2/2 passed (100 %, 95 % interval 34–100 %), needs 0.001 %; "
                "2 of 200000 were run, the others could change nothing"
            ),
        ),
        (
            Plan(2, 0.999999),
            "passed passed",
            "2/2 passed (100 %, 95 % interval 34–100 %), needs 99.9999 %",
        ),
        (
            Plan(3, 0.665, True),
            "passed failed passed",
            "2/3 passed (66.67 %, 95 % interval 21–94 %), needs 66.5 %",
        ),
    ],
)
def test_the_line_of_a_repeated_case(plan: Plan, statuses: Any, line: str) -> None:
    assert rate_line(summarize(plan, statuses.split())).text == f"  {line}"


def test_a_repeated_case_shows_its_rate_and_each_repeat_that_did_not_pass(
    holodeck: Holodeck, marked: Marked
) -> None:
    marked.write({"bad": ".x.!.", "good": "..x"}, min_pass_rate=0.66)
    done = holodeck("test", "--all-repeats", "--stable")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "FAIL bad (1 turn)",
        "PASS good (1 turn)",
        "  2/3 passed (66.67 %, 95 % interval 21–94 %), needs 66 %",
        "",
    ]
    assert lines[4].startswith("FAIL bad (agent.yaml:")
    assert lines[5:9] == [
        "  3/5 passed, 1 errored (60 %, 95 % interval 23–88 %), needs 66 %",
        "  repeats[1] failed",
        "    input: well?",
        "    reply: no",
    ]
    assert lines[9].startswith('    - equality: expected "yes", got "no"')
    assert lines[10:12] == ["  repeats[3] error", "    input: well?"]
    assert lines[12].startswith("    - RuntimeError: out of order")
    assert lines[13:] == ["", "1 passed, 1 failed"]
    shown = holodeck("report", "-v").stdout
    assert [line for line in shown.splitlines() if "repeats[" in line and "good" not in line] != []
    assert "repeats[2] passed" in shown


@pytest.mark.parametrize(
    ("args", "sent"),
    [([], "aabbb"), (["--repeat", "1"], "ab"), (["--repeat", "2"], "aabb"), (["--repeat=3"], "aaabbb")],
)
def test_the_repeat_of_the_command_line_holds_for_every_case(
    holodeck: Holodeck, marked: Marked, args: list[str], sent: str
) -> None:
    marked.write({"a": "..", "b": "..."})
    for name in "ab":
        (marked.folder / f"{name}.marks").write_text("...")
    done = holodeck("test", "-o", "report.json", *args)
    assert (done.returncode, marked.sent()) == (0, sent)
    report = json.loads((marked.folder / "report.json").read_text())
    assert report["summary"]["total_tests"] == 2
    assert (report["results"][0]["repeats"] is None) is (args == ["--repeat", "1"])


def test_a_run_that_was_killed_between_two_repeats_runs_only_what_is_missing(
    holodeck: Holodeck, marked: Marked
) -> None:
    marked.write({"a": "..", "b": "..k.", "c": "."})
    assert holodeck("test").returncode == -signal.SIGKILL
    assert marked.sent() == "aabbb"
    shown = holodeck("report", "--stable").stdout.splitlines()
    assert shown[-1] == "incomplete, 1 of 3 cases finished: 1 passed, 0 failed"
    marked.write({"a": "..", "b": "..x.", "c": "."})
    (marked.folder / "b.marks").write_text("x.")
    done = holodeck("test", "--resume", "--stable", "-o", "report.json")
    assert (done.returncode, marked.sent()) == (1, "bc")
    assert done.stdout.splitlines()[-1] == "resumed: 1 taken over, 1 repeated further, 1 new"
    report = json.loads((marked.folder / "report.json").read_text())
    summaries = [result["repeat_summary"] for result in report["results"]]
    assert [summary and (summary["passed"], summary["run"], summary["planned"]) for summary in summaries] == [
        (2, 2, 2),
        (2, 3, 4),
        None,
    ]
    assert [result["status"] for result in report["results"]] == ["passed", "failed", "passed"]
    assert holodeck("report", "--stable", "--format", "json").stdout == (
        marked.folder / "report.json"
    ).read_text("utf-8")


def test_a_resumed_run_goes_on_with_the_repeats_of_its_command_line(
    holodeck: Holodeck, marked: Marked
) -> None:
    marked.write({"a": "x.k"})
    assert holodeck("test", "--repeat", "4", "--all-repeats").returncode == -signal.SIGKILL
    assert marked.sent() == "aaa"
    (marked.folder / "a.marks").write_text("..")
    done = holodeck("test", "--resume", "--stable")
    assert (done.returncode, marked.sent()) == (1, "aa")
    assert "  3/4 passed (75 %, 95 % interval 30–95 %), needs 100 %\n" in done.stdout


@pytest.mark.parametrize("option", [["--repeat", "2"], ["--all-repeats"]])
def test_the_repeats_of_a_run_that_is_resumed_are_not_asked_for_anew(
    holodeck: Holodeck, marked: Marked, option: list[str]
) -> None:
    marked.write({"a": "."})
    done = holodeck("test", "--resume", *option)
    assert done.returncode == 2
    assert "use --resume without --repeat and --all-repeats" in done.stderr


@pytest.mark.parametrize("count", ["0", "two"])
def test_a_number_of_repeats_is_at_least_1(holodeck: Holodeck, marked: Marked, count: str) -> None:
    marked.write({"a": "."})
    assert holodeck("test", "--repeat", count).returncode == 2
    assert marked.sent() == ""


def test_the_last_failed_are_those_that_missed_their_rate(holodeck: Holodeck, marked: Marked) -> None:
    marked.write({"a": "x..", "b": "xx.", "c": "..."}, min_pass_rate=0.6)
    assert holodeck("test").returncode == 1
    marked.sent()
    (marked.folder / "b.marks").write_text("...")
    done = holodeck("test", "--last-failed", "--stable")
    assert (done.returncode, marked.sent()) == (0, "bb")
    assert done.stdout.splitlines()[0] == "PASS b (1 turn)"


@pytest.mark.parametrize(("marks", "code"), [("x..", 0), ("xx.", 1), ("!!!", 3)])
def test_the_exit_code_is_that_of_the_verdict(
    holodeck: Holodeck, marked: Marked, marks: str, code: int
) -> None:
    marked.write({"a": marks}, min_pass_rate=0.6)
    assert holodeck("test").returncode == code
