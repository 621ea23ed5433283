"""What reporters are told is the same in every run, where it is to be stable."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import attrs
import pytest

from holodeck_core import (
    CaseFinished,
    CaseStarted,
    NoOptions,
    RepeatFinished,
    Reply,
    Reporter,
    RunFinished,
    RunStarted,
    Score,
    Suite,
    ToolCall,
    TurnFinished,
)
from holodeck_core.engine.reporting import Reporters
from holodeck_core.engine.run import Run
from holodeck_core.engine.stable import stable_report
from holodeck_core.engine.stored import read_run


class Notes(Reporter):
    """Writes down every event, and what it reads."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.told: list[Any] = []

    def run_started(self, event: RunStarted) -> None:
        self.told.append(event)

    def case_started(self, event: CaseStarted) -> None:
        self.told.append(event)

    def turn_finished(self, event: TurnFinished) -> None:
        self.told.append(event)

    def repeat_finished(self, event: RepeatFinished) -> None:
        self.told.append(event)

    def case_finished(self, event: CaseFinished) -> None:
        self.told.append((attrs.evolve(event, read=list), event.read()))

    def run_finished(self, event: RunFinished) -> None:
        self.told.append((attrs.evolve(event, results=list), list(event.results())))


@pytest.fixture
def suite(suite_of: Any, turn: Any, metric: Any) -> Any:
    """A suite of seven cases; the later a case stands in it, the sooner it is over. One is run three times."""

    def make(parallel: int) -> Suite:
        async def talk(text: str) -> Reply:
            await asyncio.sleep(0.004 * (7 - int(text)))
            if text == "3":
                raise RuntimeError("out of order")
            return Reply(text, [ToolCall("tool", {"a": text}, "done", duration_ms=int(text) + parallel)])

        shades = metric(lambda view: Score(0.1 + int(view.agent_response) / 7), name="shade")
        wrong = metric(name="says")
        found = suite_of(
            talk,
            *[
                [turn(str(n), ground_truth="2" if n == 5 else str(n), metrics=(shades, wrong))]
                for n in range(7)
            ],
            parallel=parallel,
        )
        cases = [attrs.evolve(case, repeat=3 if case.index == 1 else 1) for case in found.cases]
        return attrs.evolve(found, cases=cases)

    return make


async def told(suite: Suite, runs: Path | None = None) -> tuple[list[Any], Run]:
    notes = Notes()
    run = Run(suite, [notes], run_dir=runs, stable=True)
    await run.wait()
    assert run.reporter_errors == ()
    return notes.told, run


async def test_what_is_told_does_not_depend_on_how_many_cases_run_side_by_side(suite: Any) -> None:
    (alone, first), (beside, second) = await told(suite(1)), await told(suite(7))
    assert alone == beside
    assert first.id != second.id
    kinds = [type(event[0] if isinstance(event, tuple) else event).__name__ for event in alone]
    assert kinds[:3] == ["RunStarted", "CaseStarted", "TurnFinished"]
    assert kinds[4:12] == ["CaseStarted", *(["TurnFinished", "RepeatFinished"] * 3), "CaseFinished"]
    assert [event[0].index for event in alone[:-1] if isinstance(event, tuple)] == list(range(7))


async def test_reports_of_two_runs_differ_in_nothing_but_ids_and_times(suite: Any) -> None:
    alone, beside = await Run(suite(1)), await Run(suite(7))
    assert alone != beside
    assert stable_report(alone) == stable_report(beside)
    assert stable_report(alone).model_dump_json() == stable_report(beside).model_dump_json()
    assert stable_report(stable_report(alone)) == stable_report(alone)


async def test_a_run_that_is_kept_is_told_as_it_was(suite: Any, tmp_path: Path) -> None:
    events, run = await told(suite(4), tmp_path)
    notes = Notes()
    reporters = Reporters([notes], stable=True)
    for event in read_run(tmp_path / run.id).events():
        reporters.tell(event)
    assert notes.told == events


async def test_what_is_over_is_told_at_the_end_of_a_run_that_is_stopped(suite: Any) -> None:
    notes = Notes()
    slow = suite(7)

    async def never(text: str) -> str:
        if text == "0":
            await asyncio.sleep(60)
        return text

    slow.backend.talk = never
    run = Run(slow, [notes], stable=True)
    waiting = asyncio.ensure_future(run.wait())
    while run.summary.total_tests < 6:  # noqa: ASYNC110 - the run tells nobody yet
        await asyncio.sleep(0.01)
    assert [type(event) for event in notes.told] == [RunStarted], "the first case is not over"
    run.stop(0.01)
    await waiting
    indexes = [event[0].index for event in notes.told[:-1] if isinstance(event, tuple)]
    assert indexes == [1, 2, 3, 4, 5, 6]
