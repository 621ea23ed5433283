"""From scores to the verdicts of metrics, turns and cases, and how they roll up."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_core import (
    Expectation,
    LiteralMatcher,
    Reply,
    Score,
    ToolCall,
    ToolChecks,
    ToolName,
    run_suite,
)


@pytest.mark.parametrize(
    ("score", "threshold", "passed", "status"),
    [
        (Score(0.7), 0.7, True, "scored"),
        (Score(0.69), 0.7, False, "scored"),
        (Score(0.2, True), 0.7, False, "scored"),
        (Score(0.2, True), None, True, "scored"),
        (Score(0.9, False), None, False, "scored"),
        (Score(0.2), None, None, "scored"),
        (Score(None, reason="nothing to look at"), 0.7, None, "skipped"),
        (Score(float("nan")), None, False, "error"),
        (Score(float("inf")), None, False, "error"),
        (Score(True), None, False, "error"),
        (Score("0.5"), None, False, "error"),  # type: ignore[arg-type]
        (0.5, None, False, "error"),
        (Score(0.2, "no"), None, False, "error"),  # type: ignore[arg-type]
        (Score(1.0, True, retry_count=-1), None, False, "error"),
        (Score(1.0, True, retry_count="x"), None, False, "error"),  # type: ignore[arg-type]
        (Score(1.0, True, model_used=5), None, True, "scored"),  # type: ignore[arg-type]
        (Score(None, reason=5), None, None, "skipped"),  # type: ignore[arg-type]
        (Score(0.0, False, "half \ud835"), None, False, "scored"),
    ],
    ids=str,
)
async def test_the_verdict_of_a_metric_is_its_threshold_else_its_own_rule_else_none(
    suite_of: Any,
    turn: Any,
    metric: Any,
    score: Any,
    threshold: float | None,
    passed: bool | None,
    status: str,
) -> None:
    bound = metric(lambda _: score, threshold=threshold)
    found = (
        (await run_suite(suite_of(str, [turn(metrics=(bound,))], multi_turn=False)))
        .results[0]
        .metric_results[0]
    )
    assert (found.passed, found.status) == (passed, status)
    if passed is False:
        assert found.reasoning
    if status == "error":
        assert found.score == 0
        assert found.error


async def test_a_metric_without_its_input_is_skipped_and_never_fails_a_turn(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    bound = metric()
    bound.metric.needs = frozenset({"ground_truth"})
    report = await run_suite(suite_of(str, [turn("a", metrics=(bound,)), turn("b", metrics=(bound,))]))
    case = report.results[0]
    assert case.turns is not None
    skipped = case.turns[0].metric_results[0]
    assert (skipped.status, skipped.score, skipped.passed) == ("skipped", None, None)
    assert skipped.reasoning == "the turn has no ground_truth"
    assert case.passed
    assert case.metric_results == []
    assert report.summary.metric_states == {"says": {"skipped": 2}}
    assert report.summary.average_scores == {}


TOOL_MISSED = ToolChecks(expectations=(Expectation(tool=ToolName("f")),))
TOOL_MET = ToolChecks(expectations=())


@pytest.mark.parametrize(
    ("scores", "tools", "status"),
    [
        ([1.0], None, "passed"),
        ([], TOOL_MET, "passed"),
        ([0.0], None, "failed"),
        ([1.0, 0.0], None, "failed"),
        ([], TOOL_MISSED, "failed"),
        (["raise"], None, "error"),
        (["raise", 0.0], None, "failed"),
        (["raise"], TOOL_MISSED, "failed"),
    ],
    ids=str,
)
async def test_a_turn_is_failed_before_error_before_passed(
    suite_of: Any, turn: Any, metric: Any, scores: list[Any], tools: ToolChecks | None, status: str
) -> None:
    def judge(score: Any) -> Any:
        def found(_: Any) -> Score:
            if score == "raise":
                raise RuntimeError("judge down")
            return Score(score, score > 0.5)

        return found

    metrics = tuple(metric(judge(score), name=f"m{number}") for number, score in enumerate(scores))
    report = await run_suite(suite_of(str, [turn(metrics=metrics, tools=tools)]))
    result = report.results[0]
    assert (result.status, result.passed) == (status, status == "passed")
    assert result.turns is not None
    assert result.turns[0].status == status


async def test_fail_on_error_skips_the_rest_and_makes_the_case_an_error(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    def boom(_: Any) -> Score:
        raise ValueError("broken")

    report = await run_suite(
        suite_of(str, [turn("a", metrics=(metric(boom, name="boom", fail_on_error=True),)), turn("b")])
    )
    case = report.results[0]
    assert case.turns is not None
    assert [t.status for t in case.turns] == ["error", "skipped"]
    assert "fail_on_error" in case.turns[1].errors[0]
    assert case.status == "error"
    assert case.turns[0].metric_results[0].error == "ValueError: broken"
    assert case.turns[0].errors == ["boom: ValueError: broken"]


async def test_means_run_over_scored_turns_and_say_over_how_many(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    def odd_fails(view: Any) -> Score:
        if view.turn_index % 2:
            raise RuntimeError("judge down")
        return Score(0.9, True)

    bound = metric(odd_fails, name="judge")
    report = await run_suite(suite_of(str, [turn(metrics=(bound,)) for _ in range(10)]))
    rolled = report.results[0].metric_results[0]
    assert rolled.score == pytest.approx(0.9)
    assert rolled.passed is False
    assert "5 of 10" in str(rolled.reasoning)
    assert report.summary.metric_states == {"judge": {"scored": 5, "error": 5}}
    assert report.summary.metrics_evaluated == {"judge": 5}
    assert report.summary.average_scores["judge"] == pytest.approx(0.9)


async def test_a_case_without_checks_passes_unchecked_and_is_counted_apart(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    report = await run_suite(suite_of(str, [turn()], [turn("x", ground_truth="x", metrics=(metric(),))]))
    assert [result.checked for result in report.results] == [False, True]
    assert (report.summary.passed, report.summary.unchecked) == (2, 1)


async def test_a_conversation_rolls_up_into_its_case(suite_of: Any, turn: Any, metric: Any) -> None:
    def talk(text: str) -> Reply:
        return Reply(
            text.upper(),
            [ToolCall("f", {"text": text})],
            usage=dict.fromkeys(_USAGE, 3) | {"total_tokens": 6},
        )

    asserted = ToolChecks(
        expectations=(Expectation(tool=ToolName("f"), args=(("text", LiteralMatcher("a")),)),)
    )
    turns = [
        turn("a", tools=asserted, expected_tools=["f"], ground_truth="A", metrics=(metric(),)),
        turn("b", ground_truth="x", metrics=(metric(),), expected_tools=["f", {"name": "g"}]),
    ]
    case = (await run_suite(suite_of(talk, turns))).results[0]
    assert case.test_input == "a\n---\nb"
    assert case.agent_response == "B"
    assert case.tool_calls == ["f", "f"]
    assert [call.args for call in case.tool_invocations] == [{"text": "a"}, {"text": "b"}]
    assert case.expected_tools == ["f", {"name": "g"}]
    assert case.tools_matched is True
    assert case.ground_truth is None
    assert case.token_usage is not None
    assert (case.token_usage.prompt_tokens, case.token_usage.cache_read_tokens) == (6, 6)
    assert [(found.metric_name, found.score, found.passed) for found in case.metric_results] == [
        ("says", 0.5, False)
    ]
    assert "expected x, got B" in str(case.metric_results[0].reasoning)
    assert case.turns is not None
    assert case.execution_time_ms == sum(t.execution_time_ms for t in case.turns)


async def test_usage_is_none_where_nothing_was_reported_and_partial_where_a_part_is_missing(
    suite_of: Any, turn: Any
) -> None:
    usage = dict.fromkeys(_USAGE, 1) | {"total_tokens": 2}
    talk = lambda text: Reply(text, usage=usage if text == "a" else None)  # noqa: E731
    report = await run_suite(suite_of(talk, [turn("b")], [turn("a"), turn("b")]))
    assert report.results[0].token_usage is None
    assert report.results[1].token_usage is not None
    assert report.results[1].token_usage.partial


async def test_a_case_written_with_input_carries_the_turn_itself(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    judge = metric(lambda _: Score(0.0, False, "no", details={"why": [1]}), name="judge")
    tools = ToolChecks(expectations=(Expectation(tool=ToolName("f")),))
    case = (
        await run_suite(suite_of(str, [turn("a", metrics=(judge,), tools=tools)], multi_turn=False))
    ).results[0]
    assert case.turns is None
    assert case.grader_details == {"judge": {"why": [1]}}
    assert case.arg_match_details is not None
    assert case.arg_match_details[0]["unmatched_reason"] == "no call to 'f': no tool was called"
    assert case.agent_response == "a"


_USAGE = ("prompt_tokens", "completion_tokens", "cache_creation_tokens", "cache_read_tokens")
