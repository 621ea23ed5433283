"""What JUnit XML, Markdown and annotations lost, mixed up, or could not be read with."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

EQUALITY = {"metrics": [{"type": "standard", "metric": "equality"}]}


class Reports(NamedTuple):
    """What one run wrote: the root of its XML, its Markdown, its annotations; and all texts of the run together."""

    junit: ElementTree.Element
    markdown: str
    github: str
    all: str

    def rows(self) -> list[list[str]]:
        """The cells of each row of the table in the Markdown, the header first."""
        rows: list[list[str]] = []
        for token in MarkdownIt("gfm-like").parse(self.markdown):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline" and rows and token.level == 4:
                rows[-1].append("".join(child.content for child in token.children or ()))
        return rows


@pytest.fixture
def reports(write: Write, holodeck: Holodeck, tmp_path: Path) -> Callable[..., Reports]:
    """Runs the agent with all reports for CI."""

    def reports(agent: dict[str, Any], environment: dict[str, str] | None = None, **sources: str) -> Reports:
        write(agent, **sources)
        done = holodeck("test", "-o", "r.xml", "-o", "r.md", "--format", "github", **(environment or {}))
        assert done.returncode in (1, 3), done.stderr
        junit = (tmp_path / "r.xml").read_text(encoding="utf-8")
        markdown = (tmp_path / "r.md").read_text(encoding="utf-8")
        return Reports(
            ElementTree.fromstring(junit),
            markdown,
            done.stdout,
            "\n".join([junit, markdown, done.stdout, done.stderr]),
        )

    return reports


def scripted(*replies: str) -> dict[str, Any]:
    return {"provider": "scripted", "replies": [{"reply": reply} for reply in replies]}


def test_a_control_character_in_a_reply_leaves_the_xml_readable_and_is_seen(reports: Any) -> None:
    case = {"name": "a ]]> b", "turns": [{"input": "q", "ground_truth": "200"}]}
    model = {"provider": "python", "agent": "says:agent"}
    says = 'def agent():\n    return lambda text: "\\x1b[31m500\\x1b[0m\\x00\\x0b\\ufffe ]]>"\n'
    found = reports({"model": model, "evaluations": EQUALITY, "test_cases": [case]}, says=says)
    [failure] = found.junit.iter("failure")
    for text in (failure.text, found.markdown):
        assert r"reply: \u001b[31m500\u001b[0m\u0000\u000b\ufffe ]]>" in text
    assert [case.attrib["name"] for case in found.junit.iter("testcase")] == ["a ]]> b"]


def test_cases_of_one_name_are_rows_of_their_own(reports: Any) -> None:
    # A row is a case here, and its turns are told in its text.
    cases = [
        {"name": "same", "turns": [{"input": "a", "ground_truth": "1"}, {"input": "b", "ground_truth": "2"}]},
        {"name": "same", "turns": [{"input": "c", "ground_truth": "3"}]},
    ]
    found = reports({"model": scripted("x", "y"), "evaluations": EQUALITY, "test_cases": cases})
    rows = [(case.attrib["classname"], case.attrib["name"]) for case in found.junit.iter("testcase")]
    assert rows == [("desk", "same"), ("desk", "same [case 2]")]
    texts = [failure.text or "" for failure in found.junit.iter("failure")]
    assert [re.findall(r"^turns\[\d\]", text, re.MULTILINE) for text in texts] == [
        ["turns[0]", "turns[1]"],
        ["turns[0]"],
    ]
    assert len(found.rows()) == 1 + 2


def test_pipes_and_line_breaks_stay_inside_their_cell(reports: Any) -> None:
    cases = [
        {"name": "Type A | B | C", "turns": [{"input": "a | b\nc", "ground_truth": "1 | 2 | 3"}]},
        {"name": "back\\slash \\| pipe", "turns": [{"input": "q", "ground_truth": "x|y"}]},
    ]
    metric = {"type": "standard", "metric": "equality", "name": "m | n"}
    model = scripted("line1\r\nline2 | z")
    found = reports({"model": model, "evaluations": {"metrics": [metric]}, "test_cases": cases})
    header, *rows = found.rows()
    assert [len(row) for row in (header, *rows)] == [4, 4, 4]
    assert rows[0][0] == "Type A | B | C"
    assert rows[0][3].startswith('m | n: expected "1 | 2 | 3", got "line1\\r\\nline2 | z"')
    assert rows[1][3].startswith('m | n: expected "x|y"')
    assert "    line2 | z" in found.markdown.splitlines()


def test_a_pair_of_surrogates_in_arguments_is_one_character(reports: Any) -> None:
    calls = [{"name": "serve", "args": {"drink": "\U0001f378"}}]
    case = {"name": "c", "input": "q", "ground_truth": "no", "expected_tools": calls}
    model = {"provider": "python", "agent": "serving:agent"}
    serving = """
from holodeck_core import Reply

def agent():
    call = {"name": "serve", "arguments": '{"drink": "\\\\ud83c\\\\udf78"}'}
    return lambda text: Reply("yes", [call])
"""
    found = reports({"model": model, "evaluations": EQUALITY, "test_cases": [case]}, serving=serving)
    [failure] = found.junit.iter("failure")
    assert 'call: serve {"drink": "\U0001f378"}' in (failure.text or "")
    assert "tool serve" not in (failure.text or "")


def test_no_secret_is_in_a_report(reports: Any) -> None:
    model = {**scripted("x"), "api_key": "${FAKE_KEY}"}
    agent = {
        "model": model,
        "embedding_provider": {
            "provider": "x",
            "endpoint": "https://user:pa55word@host.example/?api_key=abc123fake",
        },
        "evaluations": EQUALITY,
        "test_cases": [{"name": "c", "input": "q", "ground_truth": "y"}],
    }
    found = reports(agent, {"FAKE_KEY": "sk-test-not-real-123"})
    for secret in ("sk-test-not-real-123", "pa55word", "abc123fake"):
        assert secret not in found.all


def test_reports_have_the_order_of_the_file(reports: Any) -> None:
    cases = [{"name": name, "input": name, "ground_truth": "-"} for name in ("slow", "mid", "fast")]
    waits = """
import asyncio

async def wait(text):
    await asyncio.sleep({"slow": 0.3, "mid": 0.2, "fast": 0.1}[text])
    return text

def agent():
    return wait
"""
    found = reports(
        {
            "model": {"provider": "python", "agent": "waits:agent"},
            "execution": {"parallel_test_cases": 3},
            "evaluations": EQUALITY,
            "test_cases": cases,
        },
        waits=waits,
    )
    order = ["slow", "mid", "fast"]
    assert [case.attrib["name"] for case in found.junit.iter("testcase")] == order
    assert [row[0] for row in found.rows()[1:]] == order
    assert re.findall(r"^::error .*title=(\w+)::", found.github, re.MULTILINE) == order


HALF = """
from holodeck_core import GraderResult, Reply, ToolCall

HALF = "<\\ud835>"

def grader(ctx):
    return GraderResult(score=0.0, passed=False, reason=HALF, details={HALF: HALF})

def agent():
    def send(text):
        if text == "raise":
            raise RuntimeError(HALF)
        return Reply(HALF, [ToolCall("f" + HALF, {HALF: [HALF]}, result={HALF: HALF}, error=HALF)])
    return send
"""


def test_half_a_character_stops_no_report(reports: Any) -> None:
    cases = [{"name": text, "input": text, "expected_tools": ["g"]} for text in ("say", "raise")]
    found = reports(
        {
            "model": {"provider": "python", "agent": "halves:agent"},
            "evaluations": {"metrics": [{"type": "code", "grader": "halves:grader"}]},
            "test_cases": cases,
        },
        halves=HALF,
    )
    assert [next(iter(case)).tag for case in found.junit.iter("testcase")] == ["failure", "error"]
    assert len(found.rows()) == 1 + 2
    assert found.github.count("::error ") == 2
    assert found.all.count("<\ufffd>") > 4
