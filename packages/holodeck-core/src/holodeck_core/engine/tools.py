"""A turn's tool calls against what the turn asserts about them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from holodeck_core.api.faults import describe
from holodeck_core.api.matcher import ABSENT, Matcher
from holodeck_core.api.reply import ToolCall
from holodeck_core.api.tool_checks import Expectation, ToolChecks, ToolName
from holodeck_core.engine.assignment import Assignment, assign, assign_exactly, assign_in_order, assign_runs
from holodeck_core.engine.outcomes import ToolVerdict
from holodeck_core.engine.workers import passes_through
from holodeck_core.text import one_line, shorten, show_value

_NAMES_SHOWN = 10


def check_tools(checks: ToolChecks, calls: Sequence[ToolCall]) -> ToolVerdict:
    """Whether the calls satisfy the checks, with one record for each expectation and each violation.

    A record is ``{tool, args_asserted, matched_call_index, unmatched_reason}``; ``matched_call_index`` counts from 0
    and is the first of the calls that serve the expectation; calls in reasons count from 1, as people do.
    """
    details: list[dict[str, Any]] = []
    matched = True
    if checks.expectations is not None or checks.forbid_extra_calls:
        matched = _check_expectations(checks, checks.expectations or (), calls, details)
    for tool in checks.forbidden:
        for index, call in enumerate(calls):
            reason = _why_forbidden(tool, call)
            if reason is not None:
                matched = False
                details.append(_record(tool.name, {}, index, f"{reason} (call {index + 1})"))
    return ToolVerdict(matched, details)


def undecided(checks: ToolChecks, reason: str) -> ToolVerdict:
    """The verdict where the checks could not be made: nothing is matched, for that reason."""
    names = [(expectation.tool.name, expectation.args_asserted) for expectation in checks.expectations or ()]
    names += [(tool.name, {}) for tool in checks.forbidden]
    return ToolVerdict(False, [_record(name, args, None, reason) for name, args in names])


def _why_forbidden(tool: ToolName, call: ToolCall) -> str | None:
    """Why the call counts as one of the forbidden tool: also where that cannot be told."""
    named = _names(tool, call)
    if isinstance(named, str):
        return f"whether this is a forbidden tool cannot be told: {named}"
    return f"the forbidden tool {_quoted(call.name)} was called" if named else None


def _names(tool: ToolName, call: ToolCall) -> bool | str:
    """Whether the call is one of that name; a text says why that cannot be told."""
    try:
        return tool.names(call) or tool.undecided(call) or False
    except BaseException as error:
        if passes_through(error):
            raise
        return f"the matcher failed: {describe(error)}"


def _check_expectations(
    checks: ToolChecks,
    expectations: Sequence[Expectation],
    calls: Sequence[ToolCall],
    details: list[dict[str, Any]],
) -> bool:
    if len(expectations) == 1 and len(calls) == 1 and not checks.forbid_extra_calls and checks.order == "any":
        return _check_pair(
            expectations[0], calls[0], details
        )  # most turns; the same rules, without the bookkeeping
    differences = [[_difference(expectation, call) for call in calls] for expectation in expectations]
    compatible = [[index for index, reason in enumerate(row) if reason is None] for row in differences]
    counts = [expectation.count for expectation in expectations]
    assignment = _assign(checks, expectations, compatible, counts, len(calls))
    matched = True
    for index, expectation in enumerate(expectations):
        served = assignment.calls_of(index)
        reason = None
        if index not in assignment.served:
            reason = _why_unmatched(checks, expectation, differences[index], assignment, index, calls)
        elif expectation.max_count is not None and len(compatible[index]) > expectation.max_count:
            reason = f"expected at most {expectation.max_count} matching calls, got {len(compatible[index])}"
        matched = matched and reason is None
        first = served[0] if served and index in assignment.served else None
        details.append(_record(expectation.tool.name, expectation.args_asserted, first, reason))
    nothing_else = checks.forbid_extra_calls or checks.order == "exact" or checks.expectations == ()
    if nothing_else:
        for index, owner in enumerate(assignment.owner):
            if owner is None:
                matched = False
                reason = f"call {index + 1} was not expected: {_show_call(calls[index])}"
                details.append(_record(calls[index].name, {}, None, reason))
    return matched


def _check_pair(expectation: Expectation, call: ToolCall, details: list[dict[str, Any]]) -> bool:
    difference = _difference(expectation, call)
    reason = None
    if difference is not None:
        reason = _nearest(expectation, [difference], [call], [None])
    elif expectation.count > 1:
        reason = f"expected {expectation.count} matching calls, got 1"
    index = 0 if reason is None else None
    details.append(_record(expectation.tool.name, expectation.args_asserted, index, reason))
    return reason is None


def _assign(
    checks: ToolChecks,
    expectations: Sequence[Expectation],
    compatible: list[list[int]],
    counts: list[int],
    calls: int,
) -> Assignment:
    if checks.order == "exact":
        return assign_exactly(compatible, counts, calls)
    limits = [expectation.max_count or expectation.count for expectation in expectations]
    if checks.order == "any":
        return assign(compatible, counts, limits, calls)
    runs = assign_runs(compatible, counts, limits, calls) if checks.forbid_extra_calls else None
    return runs or assign_in_order(compatible, counts, calls)


class _Difference(str):
    """Why a call does not satisfy an expectation; ``size`` orders calls by how far they are from it."""

    __slots__ = ("size",)
    size: int


_OTHER_TOOL = 1_000_000


def _difference(expectation: Expectation, call: ToolCall) -> _Difference | None:
    """None where the call satisfies the expectation, else the first thing that differs and how many do."""
    named = _names(expectation.tool, call)
    if isinstance(named, str):
        return _sized(f"name: {named}", len(expectation.args) + 1)
    if not named:
        return _sized(f"another tool: {_quoted(call.name)}", _OTHER_TOOL)
    if call.raw_args is not None and (expectation.args or expectation.forbid_extra_args):
        return _sized(
            f"the arguments could not be parsed: {one_line(call.raw_args, 100)!r}", len(expectation.args) + 1
        )
    first: str | None = None
    size = 0
    for name, matcher in expectation.args:
        reason = _argument_difference(name, matcher, call)
        if reason is not None:
            first = first or reason
            size += 1
    if expectation.forbid_extra_args:
        asserted = {name for name, _ in expectation.args}
        extra = [name for name in call.args if name not in asserted]
        if extra:
            first = first or f"arg {extra[0]!r} was not expected, got {show_value(call.args[extra[0]])}"
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
    return None if first is None else _sized(first, size)


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
        return matcher.mismatch(actual)
    except BaseException as error:
        if passes_through(error):
            raise
        return f"the matcher failed: {describe(error)}"


def _sized(reason: str, size: int) -> _Difference:
    difference = _Difference(reason)
    difference.size = size
    return difference


def _why_unmatched(
    checks: ToolChecks,
    expectation: Expectation,
    differences: Sequence[_Difference | None],
    assignment: Assignment,
    index: int,
    calls: Sequence[ToolCall],
) -> str:
    if checks.order == "exact":
        return _why_not_in_place(checks, differences, index, calls)
    satisfying = [call for call, reason in enumerate(differences) if reason is None]
    nearest = _nearest(expectation, differences, calls, assignment.owner)
    if not satisfying:
        return nearest
    other = any(reason is not None and reason.size < _OTHER_TOOL for reason in differences)
    also = f"; the nearest other call: {nearest}" if other else ""
    if len(satisfying) < expectation.count:
        return f"expected {expectation.count} matching calls, got {len(satisfying)}{also}"
    if checks.order == "in_order":
        found = ", ".join(str(call + 1) for call in satisfying[:_NAMES_SHOWN])
        return f"no matching call stands behind those of the expectations before it (matching: call {found})"
    taken = ", ".join(str(call + 1) for call in satisfying if assignment.owner[call] is not None)
    need = "a matching call" if expectation.count == 1 else f"{expectation.count} matching calls"
    return f"expected {need} of its own, but other expectations need call {taken}{also}"


def _why_not_in_place(
    checks: ToolChecks, differences: Sequence[_Difference | None], index: int, calls: Sequence[ToolCall]
) -> str:
    expectations = checks.expectations or ()
    first = sum(expectation.count for expectation in expectations[:index])
    for position in range(first, first + expectations[index].count):
        if position >= len(calls):
            return f"expected as call {position + 1}, got {len(calls)} call{'s' if len(calls) != 1 else ''} in all"
        difference = differences[position]
        if difference is not None:
            other = difference.size >= _OTHER_TOOL
            what = f"got {_show_call(calls[position])}" if other else str(difference)
            return f"expected as call {position + 1}: {what}"
    raise AssertionError("an expectation in its place is served")


def _nearest(
    expectation: Expectation,
    differences: Sequence[_Difference | None],
    calls: Sequence[ToolCall],
    owner: Sequence[int | None],
) -> str:
    """The reason of the call that is nearest to the expectation, or that there is no call of that name.

    A call that serves no other expectation is nearer than any that does: it is the one that went wrong.
    """
    candidates = [
        (owner[index] is not None, reason.size, index, reason)
        for index, reason in enumerate(differences)
        if reason is not None and reason.size < _OTHER_TOOL
    ]
    if candidates:
        *_, index, reason = min(candidates)
        return f"{reason} (call {index + 1})"
    wanted = _show_wanted(expectation)
    return (
        f"no call to {wanted}; called: {_called(calls)}"
        if calls
        else f"no call to {wanted}: no tool was called"
    )


def _called(calls: Sequence[ToolCall]) -> str:
    names = list(dict.fromkeys(call.name for call in calls))
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(_seen(name, 60) for name in names[:_NAMES_SHOWN]) + more


def _show_wanted(expectation: Expectation) -> str:
    """The name, with what is asserted of the arguments: several expectations may differ in nothing else."""
    name = expectation.tool.name
    return _show_arguments(name, expectation.args_asserted) if expectation.args_asserted else _quoted(name)


def _show_call(call: ToolCall) -> str:
    return _show_arguments(call.name, call.args)


def _show_arguments(name: str, arguments: Mapping[str, object]) -> str:
    shown = ", ".join(f"{key}={show_value(value, 60)}" for key, value in arguments.items())
    return f"{_seen(name)}({shorten(shown, 200)})"


def _quoted(name: str) -> str:
    return f"'{_seen(name)}'"


def _seen(name: str, width: int = 100) -> str:
    """A name with an escape for whatever in it cannot be seen: two names never look alike."""
    return show_value(name, width + 2)[1:-1]


def _record(tool: str, args: dict[str, Any], index: int | None, reason: str | None) -> dict[str, Any]:
    return {"tool": tool, "args_asserted": args, "matched_call_index": index, "unmatched_reason": reason}
