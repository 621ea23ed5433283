"""The tool calls of a turn, and beside them what was expected. Pure; every line is safe to show.

An expectation that is not met stands above the call that comes nearest to it, argument above argument, with a mark
below each that differs:

    call 1    lookup(q="rates")
    expected  subtract(a=206588, b=181001)
    call 2    subtract(a=180000, b=181001)
                       ^^^^^^^^
    missing   divide
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from holodeck_core.case_lines.lines import NAME_WIDTH, Line
from holodeck_core.cells import pad, width_of
from holodeck_core.models.test_result import Evidence, NearestCall, ToolInvocation
from holodeck_core.text import one_line, shorten, show_value

_INDENT: Final = " " * 4
_BODY: Final = len(_INDENT) + len("expected") + 2
_CALLS_SHOWN: Final = 20
_VALUE_WIDTH: Final = 60
_NARROWER: Final = (60, 30, 16)
_NARROW_NAME: Final = 24
_RESULT_WIDTH: Final = 300


class Told(NamedTuple):
    """How calls are told: for a terminal of that ``width``; ``whole`` says all of them, with their results."""

    width: int
    whole: bool = False


def call_lines(turn: Evidence, told: Told) -> Iterator[Line]:
    """The calls in their order, each below the expectations that it comes nearest to, and what has no call."""
    unmet = _unmet(turn)
    nearest = {found.detail: found for found in turn.nearest_calls if found.detail in unmet}
    left_out = 0
    for index, call in enumerate(turn.tool_invocations):
        compared = [found for found in nearest.values() if found.call == index]
        if not (told.whole or compared or index < _CALLS_SHOWN):
            left_out += 1
            continue
        for found in compared:
            yield from _compared(unmet[found.detail], call, found, told.width)
        if not compared:
            yield _row(f"call {index + 1}", _text(call.name, call.args, call.raw_args))
        if told.whole:
            yield _row("", f"-> {_outcome(call)}", "dim")
    if left_out:
        yield _row("", f"and {left_out} more call{'' if left_out == 1 else 's'}", "dim")
    for place, expected in unmet.items():
        if place not in nearest or nearest[place].call >= len(turn.tool_invocations):
            asserted, tool = _asserted(expected), str(expected.get("tool"))
            yield _row("missing", _text(tool, asserted) if asserted else _name(tool), "red")


def _unmet(turn: Evidence) -> dict[int, Mapping[str, Any]]:
    """The records of the expectations that no call meets, by their places; behind them are those of violations."""
    details = (turn.arg_match_details or [])[: len(turn.expected_tools or ())]
    return {
        place: detail
        for place, detail in enumerate(details)
        if detail.get("unmatched_reason") and detail.get("matched_call_index") is None
    }


def _compared(
    expected: Mapping[str, Any], call: ToolInvocation, found: NearestCall, width: int
) -> Iterator[Line]:
    """The expectation above the call. What fits is told in two rows and one of marks, else argument by argument."""
    asserted, label = _asserted(expected), f"call {found.call + 1}"
    tool = str(expected.get("tool"))
    if call.raw_args is not None:
        yield _row("expected", _text(tool, asserted), "dim")
        yield _row(label, _text(call.name, call.args, call.raw_args))
        return
    names = [*asserted, *(name for name in call.args if name not in asserted)]
    differing = [name for name in names if name in found.args]
    others = ["..."] if len(differing) < len(names) else []
    for shown, value_width, rest in (
        (names, _VALUE_WIDTH, []),
        *((differing, value_width, others) for value_width in _NARROWER),
    ):
        above = [_argument(name, asserted, value_width) if name in asserted else "" for name in shown]
        below = [_argument(name, call.args, value_width) for name in shown]
        marked = [name in differing for name in shown] + [False for _ in rest]
        rows = _aligned([_name(tool), *above, *rest], [_name(call.name), *below, *rest], marked)
        if max(map(width_of, rows)) <= width - _BODY:
            yield _row("expected", rows[0], "dim")
            yield _row(label, rows[1])
            if rows[2]:
                yield _row("", rows[2], "red")
            return
    yield _row("expected", _name(tool), "dim")
    yield _row(label, _name(call.name))
    for name in differing:
        yield from _one_argument(name, asserted, call.args)


def _one_argument(name: str, asserted: Mapping[str, Any], args: Mapping[str, Any]) -> Iterator[Line]:
    begin = f"{_INDENT}  {shorten(_name(name), _NARROW_NAME)}: "
    for word, values, style in (("wanted", asserted, "dim"), ("got", args, "red")):
        value = show_value(values[name], _RESULT_WIDTH) if name in values else "nothing"
        yield Line(f"{begin}{word:<6} {value}", style, width_of(begin) + 7)
        begin = " " * width_of(begin)


def _aligned(above: Sequence[str], below: Sequence[str], marked: Sequence[bool]) -> tuple[str, str, str]:
    """Two calls, each a name and its arguments, so that what belongs together stands one above the other; the third
    row marks arguments of the second."""
    widths = [max(width_of(one), width_of(other)) for one, other in zip(above, below, strict=True)]
    rows = ["", "", ""]
    for place, (one, other, width) in enumerate(zip(above, below, widths, strict=True)):
        if place == 0:
            rows = [pad(one, width) + "(", pad(other, width) + "(", " " * (width + 1)]
            continue
        mark = "^" * width_of(other) if marked[place - 1] else ""
        last = place == len(widths) - 1
        one, other = _separated(one, above[place + 1 :]), _separated(other, below[place + 1 :])
        gap = 0 if last else 2
        rows = [
            rows[0] + pad(one, width + gap),
            rows[1] + pad(other, width + gap),
            rows[2] + pad(mark, width + gap),
        ]
    return rows[0].rstrip() + ")", rows[1].rstrip() + ")", rows[2].rstrip()


def _separated(text: str, rest: Sequence[str]) -> str:
    return f"{text}," if text and any(rest) else text


def _argument(name: str, values: Mapping[str, Any], width: int) -> str:
    return f"{_name(name)}={show_value(values[name], width)}" if name in values else f"no {_name(name)}"


def _text(name: str, args: Mapping[str, Any], raw_args: str | None = None) -> str:
    if raw_args is not None:
        return f"{_name(name)} {show_value(raw_args, _RESULT_WIDTH)}"
    shown = ", ".join(_argument(arg, args, _VALUE_WIDTH) for arg in args)
    return f"{_name(name)}({shorten(shown, _RESULT_WIDTH)})"


def _outcome(call: ToolInvocation) -> str:
    if call.error is not None:
        return f"error: {one_line(call.error, _RESULT_WIDTH)}"
    return show_value(call.result, _RESULT_WIDTH)


def _asserted(expected: Mapping[str, Any]) -> Mapping[str, Any]:
    asserted = expected.get("args_asserted")
    return asserted if isinstance(asserted, Mapping) else {}


def _name(name: str) -> str:
    return show_value(name, NAME_WIDTH + 2)[1:-1]


def _row(label: str, text: str, style: str = "") -> Line:
    return Line(f"{_INDENT}{label:<{_BODY - len(_INDENT)}}{text}", style, _BODY)
