"""What is recorded of a metric on a turn, and what statuses amount to."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from holodeck_core import Score, run_suite
from holodeck_core.engine.outcomes import MetricOutcome, TurnOutcome
from holodeck_core.engine.verdicts import case_status, failed_to_score, judge, skipped


@pytest.mark.parametrize(
    ("score", "threshold", "reasoning"),
    [
        (Score(0.25), 0.5, "score 0.25 is below the threshold 0.5"),
        (Score(0.25, False), None, "score 0.25"),
        (Score(0.25, False, "too short"), None, "too short"),
        (Score(0.25, reason="too short"), 0.5, "score 0.25 is below the threshold 0.5: too short"),
        (Score(0.25, False, "too short"), 0.5, "too short"),
        (Score(0.25, True, "good"), 0.5, "score 0.25 is below the threshold 0.5: good"),
        (Score(0.25, reason=""), 0.5, "score 0.25 is below the threshold 0.5"),
        (Score(0.75, True), None, None),
        (Score(0.75, True, "close"), None, "close"),
        (Score(None), None, "an input that the metric needs is missing"),
        (Score(None, reason="no context"), None, "no context"),
    ],
    ids=str,
)
def test_a_metric_that_does_not_pass_says_why(
    metric: Any, score: Score, threshold: float | None, reasoning: str | None
) -> None:
    assert judge(metric(threshold=threshold), score).reason == reasoning


@pytest.mark.parametrize(
    ("score", "error"),
    [
        (0.5, "TypeError: a metric returns a Score, got float"),
        (Score(True), "TypeError: a score is a number, got True"),
        (Score("0.5"), "TypeError: a score is a number, got '0.5'"),  # type: ignore[arg-type]
        (Score(float("inf")), "ValueError: a score is a finite number, got inf"),
        (Score(0.5, "no"), "TypeError: the verdict of a metric is True, False or None, got 'no'"),  # type: ignore[arg-type]
        (Score(0.5, retry_count=True), "TypeError: the retries of a metric are counted from 0, got True"),
        (Score(0.5, retry_count=-1), "TypeError: the retries of a metric are counted from 0, got -1"),
        (Score(0.5, retry_count=0.5), "TypeError: the retries of a metric are counted from 0, got 0.5"),  # type: ignore[arg-type]
    ],
    ids=str,
)
async def test_a_result_that_is_no_score_is_an_error_that_says_so(
    suite_of: Any, turn: Any, metric: Any, score: Any, error: str
) -> None:
    report = await run_suite(suite_of(str, [turn(metrics=(metric(lambda _: score),))]))
    assert report.results[0].metric_results[0].error == error


def test_the_threshold_of_the_file_is_in_force_unless_the_metric_judges_itself(metric: Any) -> None:
    bound = metric(threshold=0.9)
    found = judge(bound, Score(0.5, True, threshold=0.4))
    assert (found.threshold, found.passed) == (0.9, False)
    bound.metric.judges_itself = True
    found = judge(bound, Score(0.5, True, threshold=0.4))
    assert (found.threshold, found.passed) == (0.4, True)


def test_name_kind_threshold_and_scale_are_on_record_however_it_went(metric: Any) -> None:
    bound = attrs.evolve(metric(name="fit", threshold=0.5), kind="geval", scale=10.0)
    for found in (judge(bound, Score(0.5)), skipped(bound, "no"), failed_to_score(bound, "E: no")):
        assert (found.name, found.kind, found.threshold, found.scale) == ("fit", "geval", 0.5, 10.0)


def test_the_reason_of_an_error_is_the_error_unless_there_is_more_to_say(metric: Any) -> None:
    found = failed_to_score(metric(), "E: no")
    assert (found.reason, found.error) == ("E: no", "E: no")
    found = failed_to_score(metric(), "E: no", "E: no (judge.py:5)")
    assert (found.reason, found.error) == ("E: no (judge.py:5)", "E: no")


def test_details_model_and_retries_are_on_record(metric: Any) -> None:
    found = judge(metric(), Score(0.5, details={"a": (1, 2)}, model_used="judge", retry_count=2))
    assert (found.details, found.model_used, found.retry_count) == ({"a": [1, 2]}, "judge", 2)
    found = judge(metric(), Score(0.5))
    assert (found.details, found.model_used, found.retry_count) == (None, None, 0)


@pytest.mark.parametrize(
    ("turns", "case"),
    [
        (["passed", "passed"], "passed"),
        (["passed", "failed"], "failed"),
        (["error", "failed"], "failed"),
        (["failed", "skipped"], "failed"),
        (["passed", "error"], "error"),
        (["passed", "skipped"], "error"),
        (["skipped", "skipped"], "error"),
    ],
    ids=str,
)
def test_a_case_is_failed_before_error_before_passed(turns: list[Any], case: str) -> None:
    assert case_status([TurnOutcome(status) for status in turns]) == case


def test_a_grader_that_ends_its_case_makes_it_an_error_whatever_else_failed() -> None:
    ending = MetricOutcome("m", "code", "error", 0.0, False, ends_case=True)
    assert case_status([TurnOutcome("failed"), TurnOutcome("error", metrics=(ending,))]) == "error"
