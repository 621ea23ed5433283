"""The events of a run, as reporters receive them. Frozen; later versions only add fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import attrs

from holodeck_core.models.test_result import ReportSummary, TestReport, TestResult

Status: TypeAlias = Literal["passed", "failed", "error", "skipped"]


@attrs.frozen(kw_only=True)
class RunStarted:
    """The run begins. ``total`` is the number of cases that will run; ``plugins`` maps ids to versions."""

    run_id: str
    agent_name: str
    agent_config_path: str | None
    total: int
    parallel: int
    plugins: dict[str, str]


@attrs.frozen(kw_only=True)
class CaseStarted:
    """A case begins: its session is about to be opened. ``index`` counts from 0, in file order."""

    index: int
    name: str
    turns: int


@attrs.frozen(kw_only=True)
class TurnFinished:
    """A turn was sent and checked, or skipped."""

    index: int
    name: str
    turn_index: int
    status: Status
    duration_ms: float


@attrs.frozen(kw_only=True)
class CaseFinished:
    """A case is over and kept. ``read`` gives its whole result, built when it is asked for.

    One that is ``taken_over`` finished in an earlier part of a run that was resumed: it was not started in this one.
    """

    index: int
    name: str
    status: Status
    checked: bool
    duration_ms: float
    read: Callable[[], TestResult]
    taken_over: bool = False


@attrs.frozen(kw_only=True)
class RunFinished:
    """The run is over; ``complete`` is False where it was interrupted.

    ``head`` is the report without its results; ``results`` reads them one by one, in file order, as often as asked.
    """

    complete: bool
    duration_ms: float
    summary: ReportSummary
    head: TestReport
    results: Callable[[], Iterator[TestResult]]


RunEvent: TypeAlias = RunStarted | CaseStarted | TurnFinished | CaseFinished | RunFinished
