"""How one tool call differs from one expectation. Pure."""

from __future__ import annotations

from typing import Final

from holodeck_core.api.faults import describe
from holodeck_core.api.matcher import ABSENT, Matcher, check_reason
from holodeck_core.api.reply import ToolCall
from holodeck_core.api.tool_checks import Expectation, ToolName
from holodeck_core.engine.workers import passes_through
from holodeck_core.text import one_line, show_value


class Difference(str):
    """Why a call does not satisfy an expectation; ``size`` orders calls by how far they are from it, ``args`` are the
    arguments that differ."""

    __slots__ = ("args", "size")
    size: int
    args: tuple[str, ...]


OTHER_TOOL: Final = 1_000_000
"""The ``size`` of the difference to a call of another name."""


def difference_from(expectation: Expectation, call: ToolCall) -> Difference | None:
    """None where the call satisfies the expectation, else the first thing that differs and how many do."""
    named = names(expectation.tool, call)
    if isinstance(named, str):
        return _sized(f"name: {named}", len(expectation.args) + 1)
    if not named:
        return _sized(f"another tool: {quoted(call.name)}", OTHER_TOOL)
    if call.raw_args is not None and (expectation.args or expectation.forbid_extra_args):
        return _sized(
            f"the arguments could not be parsed: {one_line(call.raw_args, 100)!r}", len(expectation.args) + 1
        )
    first: str | None = None
    size = 0
    differing: tuple[str, ...] = ()
    for name, matcher in expectation.args:
        reason = _argument_difference(name, matcher, call)
        if reason is not None:
            first = first or reason
            differing = (*differing, name)
            size += 1
    if expectation.forbid_extra_args:
        asserted = {name for name, _ in expectation.args}
        extra = [name for name in call.args if name not in asserted]
        if extra:
            first = first or f"arg {extra[0]!r} was not expected, got {show_value(call.args[extra[0]])}"
            differing = (*differing, *extra)
            size += len(extra)
    status = "success" if call.error is None else "failed"
    if expectation.status not in ("any", status):
        detail = f": {one_line(call.error, 100)}" if call.error else ""
        first = first or f"status: expected {expectation.status}, got {status}{detail}"
        size += 1
    if expectation.result is not None:
        reason = _ask(expectation.result, call.result)
        if reason is not None:
            first = first or f"result: {reason}"
            size += 1
    return None if first is None else _sized(first, size, differing)


def _argument_difference(name: str, matcher: Matcher, call: ToolCall) -> str | None:
    if name in call.args:
        reason = _ask(matcher, call.args[name])
    elif matcher.accepts_absent:
        reason = _ask(matcher, ABSENT)
    else:
        return f"arg {name!r} is missing"
    return None if reason is None else f"arg {name!r}: {reason}"


def _ask(matcher: Matcher, actual: object) -> str | None:
    try:
        reason = matcher.mismatch(actual)
        check_reason(reason)
        return reason
    except BaseException as error:  # boundary: a matcher may raise anything
        if passes_through(error):
            raise
        return f"the matcher failed: {describe(error)}"


def _sized(reason: str, size: int, args: tuple[str, ...] = ()) -> Difference:
    difference = Difference(reason)
    difference.size = size
    difference.args = args
    return difference


def names(tool: ToolName, call: ToolCall) -> bool | str:
    """Whether the call is one of that name; a text says why that cannot be told."""
    try:
        return tool.names(call) or tool.undecided(call) or False
    except BaseException as error:  # boundary: a matcher may raise anything
        if passes_through(error):
            raise
        return f"the matcher failed: {describe(error)}"


def quoted(name: str) -> str:
    return f"'{seen(name)}'"


def seen(name: str, width: int = 100) -> str:
    """A name with an escape for whatever in it cannot be seen: two names never look alike."""
    return show_value(name, width + 2)[1:-1]
