"""From scores to verdicts: of a metric, of a turn, of a case. Pure."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence

from holodeck_core.api.metric import Score
from holodeck_core.api.suite import BoundMetric
from holodeck_core.api.values import text_of, to_json
from holodeck_core.engine.outcomes import MetricOutcome, ToolVerdict, TurnOutcome
from holodeck_core.models.test_result import Status


def judge(bound: BoundMetric, score: Score) -> MetricOutcome:
    """The verdict on a score: the file's threshold, else the metric's own rule, else none.

    Raises TypeError or ValueError for what is no score: that is the metric's error.
    """
    if not isinstance(score, Score):
        raise TypeError(f"a metric returns a Score, got {type(score).__name__}")
    if score.value is None:
        reason = None if score.reason is None else text_of(score.reason)
        return skipped(bound, reason or "an input that the metric needs is missing")
    value = _number(score.value)
    if not math.isfinite(value):
        raise ValueError(f"a score is a finite number, got {value}")
    threshold, passed = bound.threshold, _verdict(score.passed)
    if bound.metric.judges_itself:
        threshold = score.threshold
    elif threshold is not None:
        passed = value >= threshold
    reason = None if score.reason is None else text_of(score.reason)
    if passed is False and not bound.metric.judges_itself:
        own_rule_failed = score.passed is False and bool(reason)
        reason = reason if own_rule_failed else _why_failed(value, threshold, reason)
    return MetricOutcome(
        bound.name,
        bound.kind,
        "scored",
        value,
        passed,
        threshold,
        bound.scale,
        reason,
        details=None if score.details is None else to_json(score.details),
        model_used=None if score.model_used is None else text_of(score.model_used),
        retry_count=_count(score.retry_count),
    )


def _verdict(passed: object) -> bool | None:
    if passed is None or isinstance(passed, bool):
        return passed
    raise TypeError(f"the verdict of a metric is True, False or None, got {passed!r}")


def _count(retries: object) -> int:
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise TypeError(f"the retries of a metric are counted from 0, got {retries!r}")
    return retries


def _number(value: object) -> float:
    if type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"a score is a number, got {value!r}")
    return float(value)


def _why_failed(value: float, threshold: float | None, reason: str | None) -> str:
    if threshold is None:
        return reason or f"score {value:g}"
    under = f"score {value:g} is below the threshold {threshold:g}"
    return f"{under}: {reason}" if reason else under


def skipped(bound: BoundMetric, reason: str) -> MetricOutcome:
    """A metric that lacks an input decides nothing."""
    return MetricOutcome(bound.name, bound.kind, "skipped", None, None, bound.threshold, bound.scale, reason)


def failed_to_score(bound: BoundMetric, error: str, reason: str | None = None) -> MetricOutcome:
    """A metric that went wrong scores 0 and fails its turn. ``reason`` may say more than ``error``."""
    return MetricOutcome(
        bound.name,
        bound.kind,
        "error",
        0.0,
        False,
        bound.threshold,
        bound.scale,
        reason or error,
        error,
        ends_case=bound.fail_on_error,
    )


def turn_status(errors: Sequence[str], tools: ToolVerdict | None, metrics: Iterable[MetricOutcome]) -> Status:
    """``failed`` if an assertion failed, else ``error`` if a reply or a metric is missing, else ``passed``."""
    status: Status = "error" if errors else "passed"
    if tools is not None and not tools.matched:
        return "failed"
    for metric in metrics:
        if metric.passed is False:
            if metric.status == "scored":
                return "failed"
            status = "error"
    return status


def case_status(turns: Sequence[TurnOutcome]) -> Status:
    """``failed`` before ``error`` before ``passed``; a case whose grader ended it, or with unsent turns, is no pass."""
    statuses = {turn.status for turn in turns}
    if any(metric.ends_case for turn in turns for metric in turn.metrics):
        return "error"
    if "failed" in statuses:
        return "failed"
    if "error" in statuses or "skipped" in statuses:
        return "error"
    return "passed"
