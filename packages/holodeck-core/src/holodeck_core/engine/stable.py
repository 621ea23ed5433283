"""What is the same in every run of the same agent: results without ids, times and durations, in file order. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, TypeVar

import attrs

from holodeck_core.api.events import (
    CaseFinished,
    CaseStarted,
    RepeatFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    TurnFinished,
)
from holodeck_core.engine.case_events import case_told_again
from holodeck_core.models.test_result import (
    Evidence,
    MetricResult,
    ProcessedFile,
    ReportSummary,
    TestReport,
    TestResult,
    ToolInvocation,
)

NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands where a report has to have a time. A duration that it has to have is 0."""

E = TypeVar("E", bound=Evidence)


def stable_report(report: TestReport) -> TestReport:
    """The report without ids, times and durations."""
    return report.model_copy(
        update={
            "run_id": None,
            "timestamp": NO_TIME,
            "summary": _stable_summary(report.summary),
            "results": [stable_result(result) for result in report.results],
        }
    )


def stable_result(result: TestResult) -> TestResult:
    """The result without its session, its times and durations."""
    return _stable_evidence(result).model_copy(
        update={
            "session_id": None,
            "timestamp": NO_TIME,
            "processed_files": [_stable_file(file) for file in result.processed_files],
            "turns": None if result.turns is None else [_stable_evidence(turn) for turn in result.turns],
            "repeats": None
            if result.repeats is None
            else [stable_result(repeat) for repeat in result.repeats],
        }
    )


def _stable_evidence(evidence: E) -> E:
    return evidence.model_copy(
        update={
            "execution_time_ms": 0,
            "tool_invocations": [_stable_call(call) for call in evidence.tool_invocations],
            "metric_results": [_stable_metric(metric) for metric in evidence.metric_results],
        }
    )


def _stable_call(call: ToolInvocation) -> ToolInvocation:
    return call.model_copy(update={"duration_ms": None})


def _stable_metric(metric: MetricResult) -> MetricResult:
    return metric.model_copy(update={"evaluation_time_ms": None})


def _stable_file(file: ProcessedFile) -> ProcessedFile:
    return file.model_copy(update={"processing_time_ms": None})


def _stable_summary(summary: ReportSummary) -> ReportSummary:
    # Prices change from day to day, and one machine knows them while another does not.
    return summary.model_copy(update={"total_duration_ms": 0, "cost": None})


class StableEvents:
    """Turns the events of a run into those that it would have, had one case followed the other and taken no time.

    A case is told when all before it are over; what is kept of those that wait is how to read them.
    """

    def __init__(self) -> None:
        self._started: deque[int] = deque()
        self._over: dict[int, CaseFinished] = {}

    def of(self, event: RunEvent) -> Iterator[RunEvent]:
        """What is told when ``event`` happens."""
        match event:
            case RunStarted():
                yield attrs.evolve(event, run_id="", parallel=1)
            case CaseStarted():
                self._started.append(event.index)
            case CaseFinished():
                if event.taken_over:
                    self._started.append(event.index)
                self._over[event.index] = event
                while self._started and self._started[0] in self._over:
                    yield from _told_again(self._over.pop(self._started.popleft()))
            case RunFinished():
                for index in self._started:
                    if index in self._over:
                        yield from _told_again(self._over.pop(index))
                yield self._end(event)
            case TurnFinished() | RepeatFinished():  # told with their case
                return

    def _end(self, event: RunFinished) -> RunFinished:
        return attrs.evolve(
            event,
            duration_ms=0,
            timed=False,
            summary=_stable_summary(event.summary),
            head=stable_report(event.head),
            results=lambda: map(stable_result, event.results()),
        )


def _told_again(event: CaseFinished) -> Iterator[RunEvent]:
    for told in case_told_again(stable_result(event.read())):
        yield attrs.evolve(told, taken_over=event.taken_over) if isinstance(told, CaseFinished) else told
