"""The events that tell of one case. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holodeck_core.api.events import CaseFinished, CaseStarted, RepeatFinished, RunEvent, TurnFinished
from holodeck_core.api.suite import BoundCase
from holodeck_core.engine.repeats import plan_of_record, summarize
from holodeck_core.engine.results import Results
from holodeck_core.models.test_result import RepeatSummary, TestResult


def case_finished(
    position: int, case: BoundCase, record: dict[str, Any], results: Results, *, taken_over: bool = False
) -> CaseFinished:
    """Of a case whose result is kept; one that is ``taken_over`` has that of an earlier part of the run."""
    repeats = record.get("repeats") or (record,)
    return CaseFinished(
        index=case.index,
        name=case.label,
        status=record["status"],
        checked=record["checked"],
        duration_ms=sum(turn["execution_time_ms"] for repeat in repeats for turn in repeat["turns"]),
        read=lambda: results.read(position),
        taken_over=taken_over,
        repeat_summary=_repeat_summary(record),
    )


def _repeat_summary(record: dict[str, Any]) -> RepeatSummary | None:
    plan = plan_of_record(record)
    return None if plan is None else summarize(plan, [repeat["status"] for repeat in record["repeats"]])


def case_told_again(result: TestResult) -> Iterator[RunEvent]:
    """Of a case that is known by its result only."""
    index = result.index or 0
    name = result.label
    yield CaseStarted(index=index, name=name, turns=1 if result.turns is None else len(result.turns))
    for number, repeat in enumerate([result] if result.repeats is None else result.repeats):
        for turn_index, turn in enumerate([repeat] if repeat.turns is None else repeat.turns):
            yield TurnFinished(
                index=index,
                name=name,
                turn_index=turn_index,
                status=turn.status,
                duration_ms=turn.execution_time_ms,
                repeat=number,
            )
        if result.repeat_summary is not None:
            yield RepeatFinished(
                index=index,
                name=name,
                repeat=number,
                planned=result.repeat_summary.planned,
                status=repeat.status,
                duration_ms=repeat.execution_time_ms,
            )
    yield CaseFinished(
        index=index,
        name=name,
        status=result.status,
        checked=result.checked,
        duration_ms=result.execution_time_ms,
        read=lambda: result,
        repeat_summary=result.repeat_summary,
    )
