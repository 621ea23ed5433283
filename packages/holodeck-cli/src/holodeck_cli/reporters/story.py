"""What happened in a case that did not pass, as plain text for reports that people read. Pure.

Nothing is lost of what was said: what cannot be seen stands as an escape.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from holodeck_core.case_lines import duration, rate_text
from holodeck_core.explain import explain_case, explain_turn
from holodeck_core.models.test_result import TestResult, ToolInvocation, TurnResult
from holodeck_core.text import reveal, shorten, show_value

_NAME_WIDTH: Final = 200
_CALL_WIDTH: Final = 1_000
TEXT_WIDTH: Final = 10_000
_INDENT: Final = "    "


@attrs.frozen
class FailedTurn:
    """A turn that did not pass. ``index`` is None in a case that was written without turns."""

    index: int | None
    status: str
    message: str
    reply: str | None
    calls: tuple[ToolInvocation, ...]
    reasons: tuple[str, ...]
    duration_ms: float

    @property
    def label(self) -> str:
        """``turns[1]``, or nothing."""
        return "" if self.index is None else f"turns[{self.index}]"


def failed_turns(result: TestResult) -> list[FailedTurn]:
    """The turns of the case that did not pass, those that were skipped included."""
    if result.turns is None:
        return [] if result.passed else [_turn(result, None, result.test_input, result.agent_response)]
    return [
        _turn(turn, turn.turn_index, turn.input, turn.response) for turn in result.turns if not turn.passed
    ]


def _turn(turn: TurnResult | TestResult, index: int | None, message: str, reply: str | None) -> FailedTurn:
    return FailedTurn(
        index,
        turn.status,
        message,
        reply,
        tuple(turn.tool_invocations),
        tuple(explain_turn(turn)),
        turn.execution_time_ms,
    )


def other_reasons(result: TestResult) -> list[str]:
    """Why the case did not pass, but for its turns."""
    return [] if result.turns is None else explain_case(result)


def first_reason(result: TestResult) -> str:
    """Why the case did not pass, in one line; of a repeated one, how often it passed, and why not every time."""
    shown = next((repeat for _, repeat in failed_repeats(result)), result) if result.passed else result
    turns = failed_turns(shown)
    reasons = [reason for turn in turns for reason in turn.reasons] + other_reasons(shown)
    reason = reasons[0] if reasons else result.status
    return reason if result.repeat_summary is None else f"{rate_text(result.repeat_summary)}: {reason}"


def case_name(result: TestResult) -> str:
    """The name of the case, or its place, on one line."""
    return shorten(" ".join(reveal(result.label).split()), _NAME_WIDTH)


def case_story(result: TestResult, *, timed: bool = True, width: int = TEXT_WIDTH) -> Iterator[str]:
    """The lines that tell of the turns that did not pass, of what else went wrong, and where the case stands. Of a
    repeated case, how often it passed, and each repeat that did not.

    Durations are told where they are ``timed``; messages and replies that are longer than ``width`` lack their middle.
    """
    if result.repeat_summary is not None:
        yield rate_text(result.repeat_summary)
    for number, repeat in failed_repeats(result):
        if result.repeats is not None:
            yield f"repeats[{number}] {repeat.status}{_took(repeat.execution_time_ms, timed)}"
        yield from _conversation(repeat, timed, width)
    if result.source is not None:
        yield f"at {' '.join(reveal(result.source).split())}"


def failed_repeats(result: TestResult) -> Iterator[tuple[int, TestResult]]:
    """The conversations of the case that did not pass, by their numbers: of one that is not repeated, the case."""
    for number, repeat in enumerate([result] if result.repeats is None else result.repeats):
        if not repeat.passed:
            yield number, repeat


def _took(duration_ms: float, timed: bool) -> str:
    return f" ({duration(duration_ms)})" if timed else ""


def _conversation(result: TestResult, timed: bool, width: int) -> Iterator[str]:
    for turn in failed_turns(result):
        yield f"{turn.label or 'the turn'} {turn.status}{_took(turn.duration_ms, timed)}"
        yield from _said("input", turn.message, width)
        for call in turn.calls:
            yield from _said("call", _call(call), width)
        if turn.reply is not None:
            yield from _said("reply", turn.reply, width)
        yield from (f"  - {reveal(reason)}" for reason in turn.reasons)
    yield from (f"- {reveal(reason)}" for reason in other_reasons(result))


def _said(what: str, text: str, width: int) -> Iterator[str]:
    first, *rest = reveal(shorten(text, width)).split("\n")
    yield f"  {what}: {first}"
    yield from (f"{_INDENT}{line}" for line in rest)


def _call(call: ToolInvocation) -> str:
    args = show_value(call.args if call.raw_args is None else call.raw_args, _CALL_WIDTH)
    outcome = f"error: {call.error}" if call.error else show_value(call.result, _CALL_WIDTH)
    return f"{call.name} {args} -> {outcome}"
