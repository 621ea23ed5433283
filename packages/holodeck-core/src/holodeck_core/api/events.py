"""The events of a run, as reporters receive them. Frozen; later versions only add fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import attrs

from holodeck_core.models.test_result import RepeatSummary, ReportSummary, Status, TestReport, TestResult


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
    """A turn was sent and checked, or skipped. ``repeat`` counts the conversations of a repeated case from 0."""

    index: int
    name: str
    turn_index: int
    status: Status
    duration_ms: float
    repeat: int = 0


@attrs.frozen(kw_only=True)
class RepeatFinished:
    """One conversation of a repeated case is over: that with the index ``repeat``, of at most ``planned``."""

    index: int
    name: str
    repeat: int
    planned: int
    status: Status
    duration_ms: float


@attrs.frozen(kw_only=True)
class CaseFinished:
    """A case is over, and its result is stored. ``read`` gives its whole result, built when it is asked for.

    One that is ``taken_over`` finished in an earlier part of a run that was resumed: it was not started in this one.
    A repeated case is over once, with its last conversation; ``repeat_summary`` says how often it passed.
    """

    index: int
    name: str
    status: Status
    checked: bool
    duration_ms: float
    read: Callable[[], TestResult]
    taken_over: bool = False
    repeat_summary: RepeatSummary | None = None


@attrs.frozen(kw_only=True)
class RunFinished:
    """The run is over; ``complete`` is False if it was interrupted.

    ``head`` is the report without its results; ``results`` reads them one by one, in file order, as often as asked.
    Where it is not ``timed``, as for a stable report, times and durations say nothing and are not shown.
    """

    complete: bool
    duration_ms: float
    summary: ReportSummary
    head: TestReport
    results: Callable[[], Iterator[TestResult]]
    timed: bool = True


RunEvent: TypeAlias = RunStarted | CaseStarted | TurnFinished | RepeatFinished | CaseFinished | RunFinished
