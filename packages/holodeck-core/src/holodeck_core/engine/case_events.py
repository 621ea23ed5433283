"""The events that tell of one case. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holodeck_core.api.events import CaseFinished, CaseStarted, RunEvent, TurnFinished
from holodeck_core.api.suite import BoundCase
from holodeck_core.engine.outcomes import CaseOutcome
from holodeck_core.engine.results import Results
from holodeck_core.models.test_result import TestResult


def case_finished(position: int, case: BoundCase, outcome: CaseOutcome, results: Results) -> CaseFinished:
    """Of a case that has just been kept."""
    return CaseFinished(
        index=case.index,
        name=case.label,
        status=outcome.status,
        checked=outcome.checked,
        duration_ms=sum(turn.duration_ms for turn in outcome.turns),
        read=lambda: results.read(position),
    )


def case_taken_over(position: int, case: BoundCase, record: dict[str, Any], results: Results) -> CaseFinished:
    """Of a case whose result is that of an earlier part of the run."""
    return CaseFinished(
        index=case.index,
        name=case.label,
        status=record["status"],
        checked=record["checked"],
        duration_ms=sum(turn["execution_time_ms"] for turn in record["turns"]),
        read=lambda: results.read(position),
        taken_over=True,
    )


def case_told_again(result: TestResult) -> Iterator[RunEvent]:
    """Of a case that is known by its result only."""
    index = result.index or 0
    name = f"case {index + 1}" if result.test_name is None else result.test_name
    turns = [result] if result.turns is None else result.turns
    yield CaseStarted(index=index, name=name, turns=len(turns))
    for turn_index, turn in enumerate(turns):
        yield TurnFinished(
            index=index,
            name=name,
            turn_index=turn_index,
            status=turn.status,
            duration_ms=turn.execution_time_ms,
        )
    yield CaseFinished(
        index=index,
        name=name,
        status=result.status,
        checked=result.checked,
        duration_ms=result.execution_time_ms,
        read=lambda: result,
    )
