"""What a turn asserts about its tool calls, bound: names compiled, matchers built."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from typing import Any, Literal, TypeAlias

import attrs

from holodeck_core.api.matcher import Matcher
from holodeck_core.api.reply import ToolCall

NameMatch: TypeAlias = Literal["contains", "exact", "glob", "regex"]
ToolOrder: TypeAlias = Literal["any", "in_order", "exact"]


def name_test(name: str, match: NameMatch) -> Callable[[str], bool]:
    """How a tool name is compared. Case matters; ``glob`` and ``regex`` must cover the whole name.

    Raises ValueError for a regular expression that does not compile.
    """
    if match == "exact":
        return name.__eq__
    if match == "contains":
        return lambda actual: name in actual
    try:
        pattern = re.compile(translate(name) if match == "glob" else name)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return lambda actual: pattern.fullmatch(actual) is not None


@attrs.frozen
class ToolName:
    """A tool name to look for, and how it is compared. ``contains`` also sees the runtime's prefixed name."""

    name: str
    match: NameMatch = "contains"
    _test: Callable[[str], bool] = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: name_test(self.name, self.match), True),
    )

    def names(self, call: ToolCall) -> bool:
        """Whether the call is one of that name."""
        if self._test(call.name):
            return True
        return self.match == "contains" and call.runtime_name is not None and self._test(call.runtime_name)


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
        return any(
            matcher.blocking
            for expectation in self.expectations or ()
            for matcher in (*(m for _, m in expectation.args), expectation.result)
            if matcher is not None
        )
