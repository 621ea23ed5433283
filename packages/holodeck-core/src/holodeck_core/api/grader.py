"""Graders: what a user's own check of a turn receives and returns."""

from __future__ import annotations

import math
import numbers
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from typing import Any, TypeAlias

import attrs

from holodeck_core.api.reply import ToolCall
from holodeck_core.api.values import EMPTY_DICT, FilledOnce, read_only
from holodeck_core.text import show_value


class FirstTurns:
    """The turns of a conversation so far; the list itself is shared by all its turns, and only ever added to."""

    __slots__ = ("_count", "_turns")

    def __init__(self, turns: list[GraderContext]) -> None:
        self._turns = turns
        self._count = len(turns)

    def as_tuple(self) -> tuple[GraderContext, ...]:
        """Those that were there when this was made."""
        return tuple(self._turns[: self._count])

    def __reduce__(self) -> tuple[Any, ...]:
        return (tuple, (self.as_tuple(),))


def _as_tuple(turns: tuple[GraderContext, ...] | FirstTurns) -> tuple[GraderContext, ...]:
    return turns if isinstance(turns, tuple) else turns.as_tuple()


@read_only
@attrs.frozen(kw_only=True, getstate_setstate=False)
class GraderContext(FilledOnce):
    """One turn, as a metric or a grader sees it. Read-only at every depth.

    ``turn_index`` counts from 0. ``ground_truth`` and ``retrieval_context`` are None where the turn sets none.
    ``tool_invocations`` are the calls of this turn only, in order. ``turn_config`` is the turn's free data, and
    ``previous_turns`` are the turns of the same conversation before this one.

    ``attrs.asdict(turn, filter=lambda field, _: field.name != "_previous")`` makes a dict of it. Leave the earlier
    ones out, as that does: each of them holds those before it in turn.
    """

    turn_input: str
    agent_response: str
    ground_truth: str | None = None
    tool_invocations: tuple[ToolCall, ...] = ()
    retrieval_context: tuple[str, ...] | None = None
    turn_index: int = 0
    test_case_name: str = ""
    turn_config: Mapping[str, Any] = EMPTY_DICT
    # A tuple in each turn would make the memory of a conversation grow with the square of its turns; so would its text.
    _previous: tuple[GraderContext, ...] | FirstTurns = attrs.field(
        default=(), alias="previous_turns", eq=_as_tuple, repr=False
    )

    @property
    def previous_turns(self) -> tuple[GraderContext, ...]:
        """The turns of the same conversation before this one."""
        return _as_tuple(self._previous)


@attrs.frozen
class GraderResult:
    """A grader's verdict on a turn.

    ``score`` is a finite number from 0 to 1. ``passed`` decides where it is given; otherwise the metric's threshold
    does, and 0.5 without one. ``details`` is any JSON value and lands in ``TurnResult.grader_details``.
    """

    score: float
    passed: bool | None = None
    reason: str | None = None
    details: Any = None

    @classmethod
    def of(cls, returned: object) -> GraderResult:
        """What a grader returned, as a result: a bool is a verdict with the score 1 or 0, a number a score.

        Scalars of array libraries (``numpy.bool_``, a tensor of one number) count as Python's own. Raises TypeError for
        anything else, ValueError for a score that is not a finite number from 0 to 1.
        """
        if not isinstance(returned, GraderResult):
            return _from_plain(returned)
        passed = _unwrapped(returned.passed)
        if not (passed is None or isinstance(passed, bool)):
            raise TypeError(f"GraderResult.passed is a bool or None, got {_named(passed)}")
        if returned.reason is not None and not isinstance(returned.reason, str):
            raise TypeError(f"GraderResult.reason is a text or None, got {_named(returned.reason)}")
        return cls(_number(returned.score, "score"), passed, returned.reason, returned.details)


def _from_plain(returned: object) -> GraderResult:
    value = _unwrapped(returned)
    if isinstance(value, bool):
        return GraderResult(1.0 if value else 0.0, value)
    if not isinstance(value, numbers.Real | Decimal):
        raise TypeError(
            f"a grader returns GraderResult, bool or a number from 0 to 1, got {_named(returned)}"
        )
    return GraderResult(_number(value, "number"))


def _number(value: Any, what: str) -> float:
    value = _unwrapped(value)
    if not isinstance(value, numbers.Real | Decimal):
        raise TypeError(f"a grader's {what} is a number from 0 to 1, got {_named(value)}")
    number = float(value)
    if not math.isfinite(number) or not 0 <= number <= 1:
        raise ValueError(f"a grader's {what} is a finite number from 0 to 1, got {show_value(value)}")
    return number


def _unwrapped(value: Any) -> Any:
    return value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value


def _named(value: Any) -> str:
    return f"{type(value).__name__} {show_value(value, 80)}"


GraderVerdict: TypeAlias = GraderResult | bool | float
Grader: TypeAlias = Callable[[GraderContext], "GraderVerdict | Awaitable[GraderVerdict]"]
