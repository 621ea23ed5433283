"""What reports lost, mixed up or could not be read with, in the JSON report and on the screen."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import pytest
from jsonschema import Draft202012Validator

from holodeck_core import ConfigError, TestReport, load_suite
from holodeck_core.config.schema import report_schema

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

EQUALITY = [{"type": "standard", "metric": "equality"}]
CODE = [{"type": "code", "grader": "judging:grader"}]


def _refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")


@pytest.fixture
def report(write: Write, holodeck: Holodeck, tmp_path: Path) -> Callable[..., tuple[dict[str, Any], str]]:
    """Runs the agent with a JSON report; gives the report, read strictly, and what was shown."""

    def report(agent: dict[str, Any], **sources: str) -> tuple[dict[str, Any], str]:
        write(agent, **sources)
        done = holodeck("test", "-v", "-o", "report.json")
        assert done.returncode in (0, 1), done.stderr
        text = (tmp_path / "report.json").read_bytes().decode("utf-8")
        assert TestReport.model_validate_json(text)
        found = json.loads(text, parse_constant=_refuse)
        assert [error.message for error in Draft202012Validator(report_schema()).iter_errors(found)] == []
        return found, done.stdout

    return report


def test_results_of_one_name_do_not_overwrite_each_other(report: Any) -> None:
    cases = [
        {"name": "same", "turns": [{"input": "a", "ground_truth": "1"}, {"input": "b", "ground_truth": "2"}]},
        {"name": "same", "turns": [{"input": "c", "ground_truth": "3"}]},
        {"input": "d", "ground_truth": "4"},
        {"input": "e", "ground_truth": "5"},
    ]
    model = {"provider": "scripted", "replies": [{"input": text, "reply": text} for text in "abcde"]}
    found, shown = report({"model": model, "test_cases": cases, "evaluations": {"metrics": EQUALITY}})
    rows = [
        (result["index"], turn["turn_index"], turn["ground_truth"])
        for result in found["results"]
        for turn in result["turns"] or [{**result, "turn_index": 0}]
    ]
    assert rows == [(0, 0, "1"), (0, 1, "2"), (1, 0, "3"), (2, 0, "4"), (3, 0, "5")]
    assert len({result["source"] for result in found["results"]}) == 1  # the file has one line
    assert re.findall(r"^FAIL (\w+(?: \d)?) \(\d", shown, re.MULTILINE) == [
        "same",
        "same",
        "case 3",
        "case 4",
    ]


def test_what_json_cannot_say_becomes_text_and_the_rest_keeps_its_digits(report: Any) -> None:
    judging = """
from holodeck_core import GraderResult

def grader(ctx):
    details = {"ratio": float("inf"), "x": [float("nan"), {"y": -float("inf")}], "n": 10**30, "half": "\\ud835"}
    return GraderResult(score=1.0, reason="fine \\ud835", details=details)
"""
    calling = """
from holodeck_core import Reply, ToolCall

def agent():
    call = ToolCall("measure", {"x": float("nan"), "n": 10**30, "deep": (1, {2})}, result=float("inf"), duration_ms=1.5)
    return lambda text: Reply("ok", [call])
"""
    found, _ = report(
        {
            "model": {"provider": "python", "agent": "calling:agent"},
            "evaluations": {"metrics": CODE},
            "test_cases": [{"name": "numbers", "input": "a"}],
        },
        judging=judging,
        calling=calling,
    )
    [result] = found["results"]
    details = result["grader_details"]["grader"]
    assert (details["ratio"], details["x"], details["n"]) == ("inf", ["nan", {"y": "-inf"}], 10**30)
    [call] = result["tool_invocations"]
    assert call["args"] == {"x": "nan", "n": 10**30, "deep": [1, [2]]}
    assert call["result"] == "inf"


HALF = """
from holodeck_core import GraderResult, Reply, ToolCall

HALF = "<\\ud835>"

def grader(ctx):
    if ctx.turn_input == "raise in the grader":
        raise ValueError(HALF)
    return GraderResult(score=0.0, passed=False, reason=HALF, details={HALF: HALF})

def agent():
    def send(text):
        if text == "raise":
            raise RuntimeError(HALF)
        return Reply(HALF, [ToolCall("f" + HALF, {HALF: [HALF]}, result={HALF: HALF}, error=HALF)])
    return send
"""


def test_half_a_character_stops_no_writer_wherever_it_stands(report: Any) -> None:
    cases = [
        {"name": text, "input": text, "expected_tools": [{"name": "f", "args": {"x": 1}}]}
        for text in ("say", "raise", "raise in the grader")
    ]
    found, shown = report(
        {
            "model": {"provider": "python", "agent": "judging:agent"},
            "evaluations": {"metrics": CODE},
            "test_cases": cases,
        },
        judging=HALF,
    )
    assert [result["status"] for result in found["results"]] == ["failed", "error", "failed"]
    said, raised, graded = found["results"]
    for text in (
        said["agent_response"],
        said["tool_calls"][0],
        *said["tool_invocations"][0]["args"],
        said["tool_invocations"][0]["error"],
        said["metric_results"][0]["reasoning"],
        *said["grader_details"]["grader"],
        raised["errors"][0],
        graded["metric_results"][0]["error"],
    ):
        assert text.partition(" (judging.py")[0].endswith(("<\ufffd>", "<?>")), text
    assert shown.count("<\ufffd>") + shown.count("<?>") >= 8


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases.json", '[{"name": "t\\ud835", "input": "a"}]'),
        ("cases.json", '[{"input": "a", "turn_config": {"\\udf78": 1}}]'),
        ("cases.jsonl", '{"input": "in\\ud835"}\n'),
        ("cases.yaml", '- {input: "in\\ud835"}\n'),
    ],
    ids=["name", "key", "input", "yaml"],
)
def test_half_a_character_in_a_file_is_a_mistake(write: Write, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    agent = write({"model": {"provider": "scripted", "replies": []}, "test_cases_file": name})
    with pytest.raises(ConfigError, match=f"{name}:1:"):
        load_suite(agent)


def test_a_report_says_expected_and_got_in_the_same_roles_everywhere(report: Any) -> None:
    turn = {
        "input": "flag?",
        "ground_truth": "0",
        "expected_tools": [{"name": "f", "args": {"x": 0}}],
    }
    found, shown = report(
        {
            "model": {
                "provider": "scripted",
                "replies": [{"reply": "1", "calls": [{"name": "f", "args": {"x": 1}}]}],
            },
            "evaluations": {"metrics": EQUALITY},
            "test_cases": [{"name": "roles", "turns": [turn]}],
        }
    )
    [failed] = found["results"][0]["turns"]
    assert 'expected "0", got "1"' in failed["metric_results"][0]["reasoning"]
    assert failed["arg_match_details"][0]["unmatched_reason"] == "arg 'x': expected 0, got 1 (call 1)"
    assert 'equality: expected "0", got "1"' in shown
    assert "tool f: arg 'x': expected 0, got 1 (call 1)" in shown
