"""Plain values inside the engine; the models of the report are built from their record, when somebody reads it."""

from __future__ import annotations

from typing import Any

import attrs

from holodeck_core.api.reply import ToolCall
from holodeck_core.models.test_result import MetricStatus, Status


@attrs.define(slots=True, eq=False)
class MetricOutcome:
    """What one metric found on one turn."""

    name: str
    kind: str
    status: MetricStatus
    score: float | None
    passed: bool | None
    threshold: float | None = None
    scale: float | None = None
    reason: str | None = None
    error: str | None = None
    duration_ms: float = 0.0
    details: Any = None
    model_used: str | None = None
    retry_count: int = 0
    ends_case: bool = False


@attrs.define(slots=True, eq=False)
class ToolVerdict:
    """Whether a turn's calls satisfy what it asserts. ``details`` has a record for each expectation and violation;
    ``nearest`` has one for each expectation that is not met while there is a call of its name."""

    matched: bool
    details: list[dict[str, Any]]
    nearest: list[dict[str, Any]] = attrs.field(factory=list)


@attrs.define(slots=True, eq=False)
class TurnOutcome:
    """What happened to one turn."""

    status: Status
    response: str | None = None
    calls: tuple[ToolCall, ...] = ()
    usage: dict[str, Any] | None = None
    tools: ToolVerdict | None = None
    metrics: tuple[MetricOutcome, ...] = ()
    errors: tuple[str, ...] = ()
    duration_ms: float = 0.0
    lost: str | None = None
    retry_count: int = 0

    @property
    def passed(self) -> bool:
        return self.status == "passed"


@attrs.define(slots=True, eq=False)
class CaseOutcome:
    """What happened to one case. ``checked`` says whether anything gave a verdict, or would have given one;
    ``notes`` are troubles that belong to no turn."""

    status: Status
    turns: list[TurnOutcome]
    session_id: str | None
    checked: bool
    notes: tuple[str, ...] = ()
