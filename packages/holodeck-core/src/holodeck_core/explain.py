"""Why a turn or a case did not pass, as lines of text. Pure; reads results by their attributes alone.

Every line is safe to show: it is one line, sanitized and of bounded width, whatever an agent or a grader
said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from holodeck_core.text import one_line

MAX_WIDTH = 1_000

_TURN_ERROR = re.compile(r"\[turn \d+\] ")


class MetricLike(Protocol):
    """What is read of a metric's result."""

    @property
    def metric_name(self) -> str: ...
    @property
    def score(self) -> float | None: ...
    @property
    def threshold(self) -> float | None: ...
    @property
    def passed(self) -> bool | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def reasoning(self) -> str | None: ...


class TurnLike(Protocol):
    """What is read of a turn's result, and of the result of a case that was written without turns."""

    @property
    def status(self) -> str: ...
    @property
    def errors(self) -> Sequence[str]: ...
    @property
    def tools_matched(self) -> bool | None: ...
    @property
    def arg_match_details(self) -> Sequence[Mapping[str, Any]] | None: ...
    @property
    def metric_results(self) -> Sequence[MetricLike]: ...


class CaseLike(TurnLike, Protocol):
    """What is read of a case's result."""

    @property
    def turns(self) -> Sequence[TurnLike] | None: ...


def explain_turn(turn: TurnLike) -> list[str]:
    """Why the turn did not pass: its errors, its tool calls, its metrics, one line each.

    Empty for a turn that passed. A turn that did not always has a line.
    """
    if turn.status == "passed":
        return []
    reasons = (*_errors(turn), *_tools(turn), *_metrics(turn))
    lines = [line for reason in reasons if (line := one_line(reason, MAX_WIDTH))]
    return lines or [f"{turn.status}, without a reason"]


def explain_case(case: CaseLike) -> list[str]:
    """Why the case did not pass, but for what its turns say themselves.

    For a case written without turns that is all there is to say; for one with turns only what belongs to none
    of them, such as a session that could not be closed.
    """
    if case.turns is None:
        return explain_turn(case)
    return [one_line(error, MAX_WIDTH) for error in case.errors if not _TURN_ERROR.match(error)]


def _errors(turn: TurnLike) -> Iterator[str]:
    # A metric's error stands among the errors of its turn as well; it is told once, with the metrics.
    told_later = {f"{metric.metric_name}: {metric.error}" for metric in turn.metric_results if metric.error}
    for error in turn.errors:
        if error not in told_later:
            yield error


def _tools(turn: TurnLike) -> Iterator[str]:
    if turn.tools_matched is not False:
        return
    told = False
    for detail in turn.arg_match_details or ():
        reason = detail.get("unmatched_reason")
        if reason:
            told = True
            yield f"tool {detail.get('tool')}: {reason}"
    if not told:
        yield "the tool calls are not those that were expected"


def _metrics(turn: TurnLike) -> Iterator[str]:
    for metric in turn.metric_results:
        if metric.error:
            yield f"{metric.metric_name}: {metric.reasoning or metric.error}"
        elif metric.passed is False:
            yield f"{metric.metric_name}: {metric.reasoning or _score(metric)}"


def _score(metric: MetricLike) -> str:
    score = "no score" if metric.score is None else f"score {metric.score:g}"
    return score if metric.threshold is None else f"{score}, threshold {metric.threshold:g}"
