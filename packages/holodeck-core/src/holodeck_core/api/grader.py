"""Graders: what a user's own check of a turn receives and returns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import attrs

from holodeck_core.api.reply import ToolCall
from holodeck_core.api.values import EMPTY_DICT, read_only


@read_only
@attrs.frozen(kw_only=True, getstate_setstate=False)
class GraderContext:
    """One turn, as a metric or a grader sees it. Read-only at every depth.

    ``turn_index`` counts from 0. ``ground_truth`` and ``retrieval_context`` are None where the turn sets none.
    ``tool_invocations`` are the calls of this turn only, in order. ``turn_config`` is the turn's free data, and
    ``previous_turns`` are the turns of the same conversation before this one.
    """

    turn_input: str
    agent_response: str
    ground_truth: str | None = None
    tool_invocations: tuple[ToolCall, ...] = ()
    retrieval_context: tuple[str, ...] | None = None
    turn_index: int = 0
    test_case_name: str = ""
    turn_config: Mapping[str, Any] = EMPTY_DICT
    previous_turns: tuple[GraderContext, ...] = ()


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


GraderVerdict: TypeAlias = GraderResult | bool | float
Grader: TypeAlias = Callable[[GraderContext], "GraderVerdict | Awaitable[GraderVerdict]"]
