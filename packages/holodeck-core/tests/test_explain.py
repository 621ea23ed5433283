"""A turn that did not pass always says why, in lines that are safe to show."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.explain import MAX_WIDTH, explain_case, explain_turn


@attrs.frozen(kw_only=True)
class Metric:
    metric_name: str = "equality"
    score: float | None = 0.0
    threshold: float | None = None
    passed: bool | None = False
    error: str | None = None
    reasoning: str | None = None


@attrs.frozen(kw_only=True)
class Turn:
    status: str = "failed"
    errors: list[str] = attrs.field(factory=list)
    tools_matched: bool | None = None
    arg_match_details: list[dict[str, Any]] | None = None
    metric_results: list[Metric] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Case(Turn):
    turns: list[Turn] | None = None


def tool(name: str, reason: str | None) -> dict[str, Any]:
    return {"tool": name, "args_asserted": {}, "matched_call_index": None, "unmatched_reason": reason}


@pytest.mark.parametrize(
    ("turn", "lines"),
    [
        pytest.param(
            Turn(status="passed", errors=["closing failed"], metric_results=[Metric(passed=True, score=1.0)]),
            [],
            id="a-passed-turn-has-nothing-to-explain",
        ),
        pytest.param(
            Turn(status="error", errors=["no reply within 60 s (llm_timeout)"]),
            ["no reply within 60 s (llm_timeout)"],
            id="error",
        ),
        pytest.param(
            Turn(status="skipped", errors=["not sent: the session was lost"]),
            ["not sent: the session was lost"],
            id="skipped",
        ),
        pytest.param(
            Turn(
                tools_matched=False,
                arg_match_details=[
                    tool("lookup", None),
                    tool("subtract", "arg 'a': expected 206588, got 180000 (call 2)"),
                    tool("drop", "the forbidden tool 'drop' was called (call 3)"),
                ],
            ),
            [
                "tool subtract: arg 'a': expected 206588, got 180000 (call 2)",
                "tool drop: the forbidden tool 'drop' was called (call 3)",
            ],
            id="each-tool-that-did-not-match",
        ),
        pytest.param(
            Turn(tools_matched=False),
            ["the tool calls are not those that were expected"],
            id="tools-without-details",
        ),
        pytest.param(
            Turn(
                tools_matched=True,
                arg_match_details=[tool("lookup", None)],
                metric_results=[Metric(reasoning="no")],
            ),
            ["equality: no"],
            id="matched-tools-are-not-told",
        ),
        pytest.param(
            Turn(
                metric_results=[
                    Metric(metric_name="numeric", reasoning="expected 25587, got 25586"),
                    Metric(metric_name="informational", passed=None, score=0.2),
                    Metric(metric_name="fine", passed=True, score=1.0),
                ]
            ),
            ["numeric: expected 25587, got 25586"],
            id="only-metrics-that-failed",
        ),
        pytest.param(
            Turn(metric_results=[Metric(metric_name="tone", score=0.25, threshold=0.5)]),
            ["tone: score 0.25, threshold 0.5"],
            id="metric-without-reasoning",
        ),
        pytest.param(
            Turn(metric_results=[Metric(metric_name="tone", score=None)]),
            ["tone: no score"],
            id="metric-without-anything",
        ),
        pytest.param(
            Turn(
                status="error",
                errors=["my_grader: ValueError: boom", "something else"],
                metric_results=[
                    Metric(metric_name="my_grader", error="ValueError: boom", reasoning="ValueError: boom")
                ],
            ),
            ["something else", "my_grader: ValueError: boom"],
            id="a-metric-error-is-told-once",
        ),
        pytest.param(
            Turn(
                errors=["late"],
                tools_matched=False,
                arg_match_details=[tool("t", "missing")],
                metric_results=[Metric(reasoning="differs")],
            ),
            ["late", "tool t: missing", "equality: differs"],
            id="errors-then-tools-then-metrics",
        ),
        pytest.param(Turn(status="error"), ["error, without a reason"], id="there-is-always-a-line"),
        pytest.param(
            Turn(
                errors=["a\nb\x1b[31m"],
                tools_matched=False,
                arg_match_details=[tool("get\x1b]0;pwned\x07", "x\u202ey")],
                metric_results=[Metric(metric_name="m\x9b2J", reasoning="[bold]\r\n[/]")],
            ),
            ["a b", "tool get: xy", "m: [bold] [/]"],
            id="hostile-text",
        ),
    ],
)
def test_why_a_turn_did_not_pass(turn: Turn, lines: list[str]) -> None:
    assert explain_turn(turn) == lines


@pytest.mark.parametrize(
    ("case", "lines"),
    [
        pytest.param(
            Case(metric_results=[Metric(reasoning="differs")]), ["equality: differs"], id="without-turns"
        ),
        pytest.param(
            Case(
                turns=[Turn(metric_results=[Metric(reasoning="differs")])],
                metric_results=[Metric(reasoning="mean over 1 of 2 turns")],
                errors=["[turn 0] late", "closing the session failed: OSError"],
            ),
            ["closing the session failed: OSError"],
            id="with-turns-only-what-no-turn-says",
        ),
        pytest.param(Case(status="passed", turns=[Turn(status="passed")]), [], id="passed"),
        pytest.param(
            Case(
                status="passed", turns=[Turn(status="passed")], errors=["closing the session failed: OSError"]
            ),
            ["closing the session failed: OSError"],
            id="passed-with-a-note",
        ),
    ],
)
def test_why_a_case_did_not_pass(case: Case, lines: list[str]) -> None:
    assert explain_case(case) == lines


@given(st.text(min_size=1), st.sampled_from(["failed", "error", "skipped"]))
def test_every_line_is_one_bounded_line(text: str, status: str) -> None:
    turn = Turn(status=status, errors=[text * 500], metric_results=[Metric(metric_name=text, reasoning=text)])
    for line in explain_turn(turn):
        assert "\n" not in line
        assert len(line) <= MAX_WIDTH
