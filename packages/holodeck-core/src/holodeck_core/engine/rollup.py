"""What a conversation amounts to: the fields of a case that follow from its turns, and from its repeats. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

from holodeck_core.models.test_result import MetricResult, TestResult, TurnResult
from holodeck_core.models.token_usage import TokenUsage


def roll_up(turns: Sequence[TurnResult]) -> dict[str, Any]:
    """The fields of a TestResult that are derived from its turns, by name."""
    asserted = [turn.tools_matched for turn in turns if turn.tools_matched is not None]
    return {
        "test_input": "\n---\n".join(turn.input for turn in turns),
        "agent_response": turns[-1].response,
        "ground_truth": None,
        "tool_calls": list(chain.from_iterable(turn.tool_calls for turn in turns)),
        "tool_invocations": list(chain.from_iterable(turn.tool_invocations for turn in turns)),
        "expected_tools": _union(turns),
        "tools_matched": all(asserted) if asserted else None,
        "metric_results": roll_up_metrics(turns),
        "token_usage": sum_usage(turns),
        "errors": [f"[turn {turn.turn_index}] {error}" for turn in turns for error in turn.errors],
        "execution_time_ms": sum(turn.execution_time_ms for turn in turns),
        "retry_count": sum(turn.retry_count for turn in turns),
    }


def sum_up(repeats: Sequence[TestResult]) -> dict[str, Any]:
    """The fields of a repeated case that are those of all its repeats taken together, by name."""
    return {
        "checked": any(repeat.checked for repeat in repeats),
        "execution_time_ms": sum(repeat.execution_time_ms for repeat in repeats),
        "retry_count": sum(repeat.retry_count for repeat in repeats),
        "token_usage": sum_usage(repeats),
    }


def roll_up_metrics(turns: Sequence[TurnResult]) -> list[MetricResult]:
    """One result for each metric, in order of first appearance: the mean of its scores, and whether all passed.

    Turns that skipped the metric do not count; a metric skipped in every turn is left out. Errors score nothing and
    pass nothing; the mean runs over what was scored, and ``reasoning`` says over how many where that is not all.
    """
    by_name: dict[str, list[MetricResult]] = {}
    for turn in turns:
        for result in turn.metric_results:
            if result.status != "skipped":
                by_name.setdefault(result.metric_name, []).append(result)
    return [_one_metric(results) for results in by_name.values()]


def _one_metric(results: Sequence[MetricResult]) -> MetricResult:
    scores = [result.score for result in results if result.status == "scored" and result.score is not None]
    verdicts = [result.passed for result in results if result.passed is not None]
    errors = [result.error for result in results if result.error]
    last = results[-1]
    return MetricResult(
        metric_name=last.metric_name,
        kind=last.kind,
        status="scored" if scores else "error",
        score=sum(scores) / len(scores) if scores else 0.0,
        passed=all(verdicts) if verdicts else None,
        threshold=last.threshold,
        scale=last.scale,
        error="; ".join(dict.fromkeys(errors)) or None,
        retry_count=sum(result.retry_count or 0 for result in results),
        evaluation_time_ms=sum(result.evaluation_time_ms or 0 for result in results),
        model_used=last.model_used,
        reasoning=_why(results, scores),
    )


def _why(results: Sequence[MetricResult], scores: Sequence[float]) -> str | None:
    """The first reason of a turn that did not pass, and over how many turns the mean runs where that is not all."""
    failed = [result for result in results if result.passed is False]
    parts = []
    if failed:
        parts.append(f"{len(failed)} of {len(results)} turns did not pass; the first: {failed[0].reasoning}")
    if len(scores) < len(results):
        parts.append(
            f"the mean is over {len(scores)} of {len(results)} turns, since the others ended in an error"
        )
    return "; ".join(parts) or None


def sum_usage(turns: Sequence[TurnResult | TestResult]) -> TokenUsage | None:
    """The sum over the turns, or the conversations, that were sent; None where none reported usage, partial where some
    did not."""
    sent = [turn for turn in turns if not turn.skipped]
    known = [turn.token_usage for turn in sent if turn.token_usage is not None]
    if not known:
        return None
    total = known[0]
    for usage in known[1:]:
        total = total + usage
    return total if len(known) == len(sent) else total.model_copy(update={"partial": True})


def _union(turns: Sequence[TurnResult]) -> list[str | dict[str, Any]] | None:
    asserted = [turn.expected_tools for turn in turns if turn.expected_tools is not None]
    if not asserted:
        return None
    union: dict[str, str | dict[str, Any]] = {}
    for entry in chain.from_iterable(asserted):
        union.setdefault(
            json.dumps(entry, sort_keys=True), entry
        )  # as text: 1, 1.0 and true are equal in Python
    return list(union.values())
