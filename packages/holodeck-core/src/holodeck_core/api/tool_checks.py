"""What a turn asserts about its tool calls, bound: names compiled, matchers built."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from typing import Any, Literal

import attrs

from holodeck_core.api.matcher import Matcher, Undecided
from holodeck_core.api.reply import ToolCall
from holodeck_core.models.test_case import NameMatch, ToolOrder


def _name_test(tool: ToolName) -> Callable[[str], bool]:
    if tool.match == "exact":
        return tool.name.__eq__
    if tool.match == "contains":
        return lambda actual: tool.name in actual
    if tool.match == "glob":
        pattern = re.compile(translate(tool.name))
        return lambda actual: pattern.fullmatch(actual) is not None
    if tool.pattern is None:
        raise ValueError("a tool name with `match: regex` needs its `pattern`")
    matcher = tool.pattern
    return lambda actual: matcher.mismatch(actual) is None


@attrs.frozen
class ToolName:
    """A tool name to look for, and how it is compared. Case matters.

    ``contains`` also sees the runtime's prefixed name; ``glob`` and ``regex`` must cover the whole name. ``pattern`` is
    the matcher that decides where ``match`` is ``regex``: names come from agents, and a pattern must not run for ever.
    ``matches`` says whether one name is meant.
    """

    name: str
    match: NameMatch = "contains"
    pattern: Matcher | None = None
    matches: Callable[[str], bool] = attrs.field(
        init=False, eq=False, repr=False, default=attrs.Factory(_name_test, takes_self=True)
    )

    def undecided(self, call: ToolCall) -> str | None:
        """Why it cannot be said whether the call is one of that name; None where it can."""
        if self.pattern is None:
            return None
        reason = self.pattern.mismatch(call.name)
        return reason if isinstance(reason, Undecided) else None

    def names(self, call: ToolCall) -> bool:
        """Whether the call is one of that name."""
        if self.matches(call.name):
            return True
        return self.match == "contains" and call.runtime_name is not None and self.matches(call.runtime_name)


@attrs.frozen(kw_only=True)
class Expectation:
    """One entry of ``expected_tools``. ``args_asserted`` is what the file asserts of the arguments, for reports."""

    tool: ToolName
    args: tuple[tuple[str, Matcher], ...] = ()
    args_asserted: dict[str, Any] = attrs.field(factory=dict)
    count: int = 1
    max_count: int | None = None
    forbid_extra_args: bool = False
    status: Literal["any", "success", "failed"] = "any"
    result: Matcher | None = None


@attrs.frozen(kw_only=True)
class ToolChecks:
    """All that a turn asserts about its tool calls.

    ``expectations`` is None where the turn leaves ``expected_tools`` out; an empty tuple asserts that
    no tool is called.
    """

    expectations: tuple[Expectation, ...] | None = None
    forbidden: tuple[ToolName, ...] = ()
    order: ToolOrder = "any"
    forbid_extra_calls: bool = False
    blocking: bool = attrs.field(init=False)

    @blocking.default
    def _blocking(self) -> bool:
        """Whether a matcher may take long, so that the check belongs into a worker thread."""
        for expectation in self.expectations or ():
            if any([matcher.blocking for _, matcher in expectation.args]):  # noqa: C419 - quicker, for every turn
                return True
            if _blocks(expectation.result) or _blocks(expectation.tool.pattern):
                return True
        return any(_blocks(tool.pattern) for tool in self.forbidden)


def _blocks(matcher: Matcher | None) -> bool:
    return matcher is not None and matcher.blocking
