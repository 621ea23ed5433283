"""What happened in a case, turn by turn, for the terminal. Pure; every line is safe to show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from holodeck_core.case_lines.calls import Told, call_lines
from holodeck_core.case_lines.lines import STYLES, Line, duration, rate_line
from holodeck_core.case_lines.usage import tokens
from holodeck_core.explain import explain_case, explain_turn
from holodeck_core.models.test_result import MetricResult, TestResult, TurnResult
from holodeck_core.text import one_line

_TEXT_WIDTH: Final = 300
_WHOLE_TEXT_WIDTH: Final = 10_000


@attrs.frozen(kw_only=True)
class Detail:
    """How much is told of a case, for a terminal of that ``width``: turns that passed and all that is known of a turn
    where ``everything`` is told; durations where they are ``timed``."""

    width: int
    everything: bool = False
    timed: bool = True

    def said(self, label: str, text: str) -> Line:
        """What somebody said, shortened unless everything is told."""
        shown = one_line(text, _WHOLE_TEXT_WIDTH if self.everything else _TEXT_WIDTH)
        return Line(f"    {label}: {shown}", "dim", len(label) + 6)

    def took(self, duration_ms: float) -> str:
        """A duration in brackets, or nothing."""
        return f" ({duration(duration_ms)})" if self.timed else ""


def case_details(result: TestResult, detail: Detail) -> Iterator[Line]:
    """The turns of a case that did not pass, each with its reasons; of a repeated case how often it passed, and those
    of each repeat."""
    if result.repeats is None:
        yield from _conversation(result, detail)
        return
    if result.repeat_summary is not None:
        yield rate_line(result.repeat_summary)
    inside = attrs.evolve(detail, width=detail.width - 2)
    for number, repeat in enumerate(result.repeats):
        if detail.everything or not repeat.passed:
            yield Line(
                f"  repeats[{number}] {repeat.status}{detail.took(repeat.execution_time_ms)}",
                STYLES[repeat.status],
            )
            indent = "" if repeat.turns is None else "  "
            for line in _conversation(repeat, inside):
                yield line._replace(text=indent + line.text, hang=len(indent) + line.hang)


def _conversation(result: TestResult, detail: Detail) -> Iterator[Line]:
    if result.turns is None:
        if detail.everything or not result.passed:
            yield from _exchange(result, result.test_input, result.agent_response, detail)
    else:
        for turn in result.turns:
            if detail.everything or not turn.passed:
                took = detail.took(turn.execution_time_ms)
                yield Line(f"  turns[{turn.turn_index}] {turn.status}{took}", STYLES[turn.status])
                yield from _exchange(turn, turn.input, turn.response, detail)
                yield from _reasons(explain_turn(turn), turn.status)
    yield from _reasons(explain_case(result), result.status)


def _reasons(reasons: list[str], status: str) -> Iterator[Line]:
    for reason in reasons:
        yield Line(f"    - {reason}", STYLES[status], 6)


def _exchange(
    turn: TurnResult | TestResult, message: str, reply: str | None, detail: Detail
) -> Iterator[Line]:
    yield detail.said("input", message)
    if detail.everything or turn.tools_matched is False:
        yield from call_lines(turn, Told(detail.width, whole=detail.everything))
    if reply is not None:
        yield detail.said("reply", reply)
    if detail.everything:
        for metric in turn.metric_results:
            yield _metric(metric)
        if turn.token_usage is not None:
            yield Line(f"    tokens: {tokens(turn.token_usage)}", "dim", 12)
        if turn.retry_count:
            yield Line(
                f"    sent again: {turn.retry_count} time{'' if turn.retry_count == 1 else 's'}", "dim"
            )


def _metric(metric: MetricResult) -> Line:
    """``equality: 1 of 1, passed``; the reasons of those that did not pass are told with the turn's."""
    name = one_line(metric.metric_name, 100)
    if metric.status == "skipped":
        said = f"skipped: {one_line(metric.reasoning or '', _TEXT_WIDTH)}".rstrip(": ")
    elif metric.status == "error":
        said = "no score"
    else:
        needed = "" if metric.threshold is None else f", needs {metric.threshold:g}"
        verdict = {True: ", passed", False: ", failed", None: ""}[metric.passed]
        said = f"{metric.score:g}{needed}{verdict}"
        if metric.passed is not False and metric.reasoning:
            said += f": {one_line(metric.reasoning, _TEXT_WIDTH)}"
    return Line(f"    {name}: {said}", "dim", 6)
