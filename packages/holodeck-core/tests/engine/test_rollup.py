"""What a case's result says of its turns."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_core import MetricResult, TokenUsage, ToolInvocation, TurnResult
from holodeck_core.engine.rollup import roll_up, roll_up_metrics, sum_usage


def result(score: float | None = 1.0, passed: bool | None = True, **keys: Any) -> MetricResult:
    return MetricResult(**{"metric_name": "m", "score": score, "passed": passed, **keys})


def failure(error: str = "ValueError: no") -> MetricResult:
    return result(0.0, False, error=error, reasoning=error)


def turn(*metrics: MetricResult, **keys: Any) -> TurnResult:
    fields = {"turn_index": 0, "input": "q", "passed": True, "execution_time_ms": 1, **keys}
    return TurnResult(metric_results=list(metrics), **fields)


def rolled(*metrics: MetricResult) -> MetricResult:
    [one] = roll_up_metrics([turn(metric) for metric in metrics])
    return one


def test_the_fields_of_a_case_follow_from_its_turns() -> None:
    calls = [ToolInvocation(name="f", args={"n": number}) for number in range(3)]
    turns = [
        turn(input="a", response="A", tool_calls=["f"], tool_invocations=calls[:1], errors=["late"],
             execution_time_ms=5, retry_count=1, ground_truth="A", expected_tools=["f"]),
        turn(input="b", response="B", tool_calls=["f", "f"], tool_invocations=calls[1:], turn_index=1,
             errors=["lost", "gone"], execution_time_ms=7, retry_count=2, expected_tools=["f", {"name": "g"}, "h"]),
    ]  # fmt: skip
    assert roll_up(turns) == {
        "test_input": "a\n---\nb",
        "agent_response": "B",
        "ground_truth": None,
        "tool_calls": ["f", "f", "f"],
        "tool_invocations": calls,
        "expected_tools": ["f", {"name": "g"}, "h"],
        "tools_matched": None,
        "metric_results": [],
        "token_usage": None,
        "errors": ["[turn 0] late", "[turn 1] lost", "[turn 1] gone"],
        "execution_time_ms": 12,
        "retry_count": 3,
    }


@pytest.mark.parametrize(
    ("turns", "case"),
    [
        ([None, None], None),
        ([None, True], True),
        ([True, False], False),
        ([False, None], False),
    ],
)
def test_the_tools_match_where_they_match_in_every_turn_that_asserts_some(
    turns: list[bool | None], case: bool | None
) -> None:
    assert roll_up([turn(tools_matched=matched) for matched in turns])["tools_matched"] is case


ONE, TRUE, ONE_POINT = ({"name": "f", "args": {"n": number}} for number in (1, True, 1.0))


@pytest.mark.parametrize(
    ("turns", "case"),
    [
        ([None, None], None),
        ([[], None], []),
        ([["f"], None, ["g", "f"]], ["f", "g"]),
        ([[ONE, TRUE], [ONE_POINT, dict(reversed(ONE.items()))]], [ONE, TRUE, ONE_POINT]),
    ],
)
def test_the_expected_tools_are_those_of_all_turns_each_once(turns: list[Any], case: Any) -> None:
    assert roll_up([turn(expected_tools=tools) for tools in turns])["expected_tools"] == case


@pytest.mark.parametrize(
    ("turns", "score", "passed", "status"),
    [
        ([result(1.0), result(0.5)], 0.75, True, "scored"),
        ([result(1.0), result(0.0, False)], 0.5, False, "scored"),
        ([result(0.5, None), result(0.25, None)], 0.375, None, "scored"),
        ([result(0.5, None), result(1.0, True)], 0.75, True, "scored"),
        ([result(0.5), failure()], 0.5, False, "scored"),
        ([failure(), failure()], 0.0, False, "error"),
        ([result(1.0), result(None, None, reasoning="no input")], 1.0, True, "scored"),
    ],
    ids=["mean", "one fails", "no verdict", "one verdict", "one error", "errors only", "one skipped"],
)
def test_a_metric_is_the_mean_of_its_scores_and_passes_where_all_verdicts_do(
    turns: list[MetricResult], score: float, passed: bool | None, status: str
) -> None:
    one = rolled(*turns)
    assert (one.score, one.passed, one.status) == (score, passed, status)


def test_a_metric_that_was_skipped_in_every_turn_is_left_out() -> None:
    assert roll_up_metrics([turn(result(None, None))]) == []


def test_metrics_are_told_apart_by_name_and_stand_in_order_of_first_appearance() -> None:
    turns = [
        turn(result(metric_name="b")),
        turn(result(0.5, metric_name="a"), result(0.5, metric_name="b")),
    ]
    found = roll_up_metrics(turns)
    assert [(metric.metric_name, metric.score) for metric in found] == [("b", 0.75), ("a", 0.5)]


def test_a_metric_keeps_its_kind_threshold_scale_and_model_and_adds_up_retries_and_time() -> None:
    same = {"kind": "geval", "threshold": 0.5, "scale": 10.0, "model_used": "judge"}
    one = rolled(
        result(**same, retry_count=1, evaluation_time_ms=2.5),
        result(**same, retry_count=2, evaluation_time_ms=None),
        result(**same, retry_count=0, evaluation_time_ms=1.5),
    )
    assert one == result(**same, retry_count=3, evaluation_time_ms=4.0)


def test_a_metric_names_each_of_its_errors_once() -> None:
    one = rolled(result(), failure("E: one"), failure("E: two"), failure("E: one"))
    assert one.error == "E: one; E: two"
    assert rolled(result()).error is None


@pytest.mark.parametrize(
    ("turns", "reasoning"),
    [
        ([result(reasoning="close"), result()], None),
        ([result(), result(0.0, False, reasoning="no")], "1 of 2 turns did not pass; the first: no"),
        (
            [result(0.0, False, reasoning="no"), result(0.0, False, reasoning="nor"), result()],
            "2 of 3 turns did not pass; the first: no",
        ),
        (
            [failure("E: x"), result()],
            (
                "1 of 2 turns did not pass; the first: E: x; "
                "the mean is over 1 of 2 turns, since the others ended in an error"
            ),
        ),
    ],
    ids=["all pass", "one", "two", "an error"],
)
def test_a_metric_says_why_it_did_not_pass_and_over_how_many_turns_its_mean_runs(
    turns: list[MetricResult], reasoning: str | None
) -> None:
    assert rolled(*turns).reasoning == reasoning


ONE = TokenUsage(prompt_tokens=1, completion_tokens=2, total_tokens=4, cache_read_tokens=8)
TWO = TokenUsage(prompt_tokens=2, completion_tokens=4, total_tokens=8, cache_read_tokens=16)
PARTIAL = {"partial": True}


@pytest.mark.parametrize(
    ("turns", "usage"),
    [
        ([turn(), turn()], None),
        ([turn(token_usage=ONE)], ONE),
        ([turn(token_usage=ONE), turn(token_usage=ONE)], TWO),
        ([turn(token_usage=ONE), turn()], ONE.model_copy(update=PARTIAL)),
        ([turn(), turn(token_usage=ONE), turn(token_usage=ONE)], TWO.model_copy(update=PARTIAL)),
        ([turn(token_usage=ONE), turn(skipped=True, passed=False)], ONE),
        ([turn(token_usage=ONE.model_copy(update=PARTIAL))], ONE.model_copy(update=PARTIAL)),
    ],
    ids=["none", "one", "sum", "a part is missing", "the first is missing", "not sent", "partial already"],
)
def test_usage_is_the_sum_of_the_turns_that_were_sent(
    turns: list[TurnResult], usage: TokenUsage | None
) -> None:
    assert sum_usage(turns) == usage
