"""A turn's tool calls against what the turn asserts about them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holodeck_core.api.reply import ToolCall
from holodeck_core.api.tool_checks import Expectation, ToolChecks, ToolName
from holodeck_core.engine.assignment import Assignment, assign, assign_exactly, assign_in_order, assign_runs
from holodeck_core.engine.difference import OTHER_TOOL, Difference, difference_from, names, quoted, seen
from holodeck_core.engine.outcomes import ToolVerdict
from holodeck_core.text import shorten, show_value

_NAMES_SHOWN = 10


def check_tools(checks: ToolChecks, calls: Sequence[ToolCall]) -> ToolVerdict:
    """Whether the calls satisfy the checks, with one record for each expectation and each violation.

    A record is ``{tool, args_asserted, matched_call_index, unmatched_reason}``; ``matched_call_index`` counts from 0
    and is the first of the calls that serve the expectation; calls in reasons count from 1, as people do. For each
    expectation that is not met, ``nearest`` has ``{detail, call, args}``: the place of its record, the call that comes
    nearest to it, and the arguments of that which differ.
    """
    details: list[dict[str, Any]] = []
    nearest: list[dict[str, Any]] = []
    matched = True
    if checks.expectations is not None or checks.forbid_extra_calls:
        matched = _check_expectations(checks, checks.expectations or (), calls, details, nearest)
    for tool in checks.forbidden:
        for index, call in enumerate(calls):
            reason = _why_forbidden(tool, call)
            if reason is not None:
                matched = False
                details.append(_record(tool.name, {}, index, f"{reason} (call {index + 1})"))
    return ToolVerdict(matched, details, nearest)


def undecided(checks: ToolChecks, reason: str) -> ToolVerdict:
    """The verdict where the checks could not be made: nothing is matched, for that reason."""
    names = [(expectation.tool.name, expectation.args_asserted) for expectation in checks.expectations or ()]
    names += [(tool.name, {}) for tool in checks.forbidden]
    return ToolVerdict(False, [_record(name, args, None, reason) for name, args in names])


def _why_forbidden(tool: ToolName, call: ToolCall) -> str | None:
    """Why the call counts as one of the forbidden tool: also where that cannot be told."""
    named = names(tool, call)
    if isinstance(named, str):
        return f"whether this is a forbidden tool cannot be told: {named}"
    return f"the forbidden tool {quoted(call.name)} was called" if named else None


def _check_expectations(
    checks: ToolChecks,
    expectations: Sequence[Expectation],
    calls: Sequence[ToolCall],
    details: list[dict[str, Any]],
    nearest: list[dict[str, Any]],
) -> bool:
    if len(expectations) == 1 and len(calls) == 1 and not checks.forbid_extra_calls and checks.order == "any":
        return _check_pair(
            expectations[0], calls[0], details, nearest
        )  # most turns; the same rules, without the bookkeeping
    differences = [[difference_from(expectation, call) for call in calls] for expectation in expectations]
    compatible = [[index for index, reason in enumerate(row) if reason is None] for row in differences]
    counts = [expectation.count for expectation in expectations]
    assignment = _assign(checks, expectations, compatible, counts, len(calls))
    matched = True
    for index, expectation in enumerate(expectations):
        served = assignment.calls_of(index)
        reason = None
        if index not in assignment.served:
            reason = _why_unmatched(checks, expectation, differences[index], assignment, index, calls)
            nearest += _nearest_record(checks, expectations, differences[index], assignment, index)
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


def _check_pair(
    expectation: Expectation, call: ToolCall, details: list[dict[str, Any]], nearest: list[dict[str, Any]]
) -> bool:
    difference = difference_from(expectation, call)
    reason = None
    if difference is not None:
        reason = _nearest(expectation, [difference], [call], [None])
        if difference.size < OTHER_TOOL:
            nearest.append({"detail": 0, "call": 0, "args": list(difference.args)})
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


def _why_unmatched(
    checks: ToolChecks,
    expectation: Expectation,
    differences: Sequence[Difference | None],
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
    other = any(reason is not None and reason.size < OTHER_TOOL for reason in differences)
    also = f"; the nearest other call: {nearest}" if other else ""
    if len(satisfying) < expectation.count:
        return f"expected {expectation.count} matching calls, got {len(satisfying)}{also}"
    if checks.order == "in_order":
        found = ", ".join(str(call + 1) for call in satisfying[:_NAMES_SHOWN])
        return f"no matching call comes after those of the expectations before it (matching: call {found})"
    taken = ", ".join(str(call + 1) for call in satisfying if assignment.owner[call] is not None)
    need = "a matching call" if expectation.count == 1 else f"{expectation.count} matching calls"
    return f"expected {need} of its own, but other expectations need call {taken}{also}"


def _why_not_in_place(
    checks: ToolChecks, differences: Sequence[Difference | None], index: int, calls: Sequence[ToolCall]
) -> str:
    expectations = checks.expectations or ()
    first = sum(expectation.count for expectation in expectations[:index])
    for position in range(first, first + expectations[index].count):
        if position >= len(calls):
            return f"expected as call {position + 1}, got {len(calls)} call{'s' if len(calls) != 1 else ''} in all"
        difference = differences[position]
        if difference is not None:
            other = difference.size >= OTHER_TOOL
            what = f"got {_show_call(calls[position])}" if other else str(difference)
            return f"expected as call {position + 1}: {what}"
    raise AssertionError("an expectation in its place is served")


def _nearest(
    expectation: Expectation,
    differences: Sequence[Difference | None],
    calls: Sequence[ToolCall],
    owner: Sequence[int | None],
) -> str:
    """The reason of the call that is nearest to the expectation, or that there is no call of that name.

    A call that serves no other expectation is nearer than any that does: it is the one that went wrong.
    """
    index = _nearest_call(differences, owner)
    if index is not None:
        return f"{differences[index]} (call {index + 1})"
    wanted = _show_wanted(expectation)
    if not calls:
        return f"no call to {wanted}: no tool was called"
    return f"no call to {wanted}; called: {_called(calls)}{_if_a_pattern(expectation.tool)}"


def _if_a_pattern(tool: ToolName) -> str:
    """What to do where a name that nothing was called by looks like a pattern, and is compared as it is."""
    is_meant = "*" in tool.name and tool.match in ("contains", "exact")
    return "; with `match: glob`, * stands for any text" if is_meant else ""


def _nearest_call(differences: Sequence[Difference | None], owner: Sequence[int | None]) -> int | None:
    """The call of that name that differs in least, of those that serve nothing else if there is such a one."""
    candidates = [
        (owner[index] is not None, reason.size, index)
        for index, reason in enumerate(differences)
        if reason is not None and reason.size < OTHER_TOOL
    ]
    return min(candidates)[-1] if candidates else None


def _nearest_record(
    checks: ToolChecks,
    expectations: Sequence[Expectation],
    differences: Sequence[Difference | None],
    assignment: Assignment,
    index: int,
) -> Iterator[dict[str, Any]]:
    """What ``ToolVerdict.nearest`` has of an expectation that is not met: nothing where no call of its name differs."""
    if checks.order == "exact":
        first = sum(expectation.count for expectation in expectations[:index])
        places = range(first, min(first + expectations[index].count, len(differences)))
        call = next((place for place in places if differences[place] is not None), None)
    else:
        call = _nearest_call(differences, assignment.owner)
    difference = None if call is None else differences[call]
    if difference is not None and difference.size < OTHER_TOOL:
        yield {"detail": index, "call": call, "args": list(difference.args)}


def _called(calls: Sequence[ToolCall]) -> str:
    names = list(dict.fromkeys(call.name for call in calls))
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(seen(name, 60) for name in names[:_NAMES_SHOWN]) + more


def _show_wanted(expectation: Expectation) -> str:
    """The name, with what is asserted of the arguments: several expectations may differ in nothing else."""
    name = expectation.tool.name
    return _show_arguments(name, expectation.args_asserted) if expectation.args_asserted else quoted(name)


def _show_call(call: ToolCall) -> str:
    return _show_arguments(call.name, call.args)


def _show_arguments(name: str, arguments: Mapping[str, object]) -> str:
    shown = ", ".join(f"{key}={show_value(value, 60)}" for key, value in arguments.items())
    return f"{seen(name)}({shorten(shown, 200)})"


def _record(tool: str, args: dict[str, Any], index: int | None, reason: str | None) -> dict[str, Any]:
    return {"tool": tool, "args_asserted": args, "matched_call_index": index, "unmatched_reason": reason}
