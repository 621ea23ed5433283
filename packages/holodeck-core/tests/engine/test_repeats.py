"""Cases that are repeated: which repeats are run, which count, and what they amount to."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import (
    BoundCase,
    CaseFinished,
    CaseStarted,
    NoOptions,
    RepeatFinished,
    Reporter,
    RunStarted,
    Suite,
    TestReport,
    TurnFinished,
    resume_suite,
    run_suite,
)
from holodeck_core.engine.repeats import Plan, Tally, status_of_case
from holodeck_core.engine.stored import read_run


@pytest.mark.parametrize(
    ("rate", "repeat", "needed"),
    [
        (1.0, 5, 5),
        (0.7, 10, 7),
        (0.6, 5, 3),
        (0.29, 100, 29),
        (0.57, 100, 57),
        (0.1, 3, 1),
        (0.34, 3, 2),
        (1e-9, 10, 1),
        (0.0, 10, 0),
        (0.8, 1, 1),
    ],
)
def test_the_rate_is_the_decimal_number_that_is_written(rate: float, repeat: int, needed: int) -> None:
    assert Plan(repeat, rate).needed == needed


@pytest.mark.parametrize(
    ("repeat", "rate", "statuses", "status"),
    [
        (3, 1.0, "passed passed passed", "passed"),
        (3, 1.0, "passed failed", "failed"),
        (3, 1.0, "passed error", "error"),
        (4, 0.5, "error passed passed", "passed"),
        (4, 0.75, "error failed", "failed"),
        (4, 0.75, "failed error", "failed"),
        (4, 0.75, "error passed error", "error"),
        (2, 0.0, "failed error", "passed"),
    ],
)
def test_a_case_that_misses_its_rate_failed_if_a_repeat_failed_and_else_errored(
    repeat: int, rate: float, statuses: Any, status: str
) -> None:
    assert status_of_case(Plan(repeat, rate), statuses.split()) == status


OUTCOMES = st.lists(st.booleans(), min_size=1, max_size=12)


@given(OUTCOMES, st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]), st.booleans(), st.randoms(use_true_random=False))
def test_which_repeats_count_does_not_depend_on_the_order_in_which_they_finish(
    outcomes: list[bool], rate: float, all_repeats: bool, random: Any
) -> None:
    plan = Plan(len(outcomes), rate, all_repeats)
    in_order, shuffled = Tally(plan), Tally(plan)
    for index, passed in enumerate(outcomes):
        in_order.add(index, passed, index)
    for index in random.sample(range(len(outcomes)), len(outcomes)):
        shuffled.add(index, outcomes[index], index)
    assert shuffled.offsets == in_order.offsets
    assert shuffled.is_over
    assert in_order.is_over


@given(OUTCOMES, st.sampled_from([0.3, 0.5, 0.7, 1.0]))
def test_a_case_is_over_as_soon_as_no_further_repeat_can_change_its_verdict(
    outcomes: list[bool], rate: float
) -> None:
    plan = Plan(len(outcomes), rate)
    tally = Tally(plan)
    for index, passed in enumerate(outcomes):
        tally.add(index, passed, index)
    counted = len(tally.offsets)
    in_the_end = sum(outcomes) >= plan.needed
    assert (sum(outcomes[:counted]) >= plan.needed) is in_the_end
    before, left = sum(outcomes[: counted - 1]), len(outcomes) - counted + 1
    assert before < plan.needed <= before + left, "the one before the last could still change it"


def test_a_case_is_not_repeated_less_than_once() -> None:
    for repeat, rate in ((0, 1.0), (2, 1.1), (2, -0.1)):
        with pytest.raises(ValueError, match=r"repeat|min_pass_rate"):
            Plan(repeat, rate)


class Notes(Reporter):
    """Writes down every event of a case."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.events: list[Any] = []
        self.parallel = 0

    def run_started(self, event: RunStarted) -> None:
        self.parallel = event.parallel

    def case_started(self, event: CaseStarted) -> None:
        self.events.append(event)

    def turn_finished(self, event: TurnFinished) -> None:
        self.events.append(event)

    def repeat_finished(self, event: RepeatFinished) -> None:
        self.events.append(event)

    def case_finished(self, event: CaseFinished) -> None:
        self.events.append(event)


class Script:
    """An agent whose answers are in its file: of each case, what each of its conversations is told in turn.

    ``.`` is the right answer, ``x`` a wrong one, ``!`` an error.
    """

    def __init__(self, suite_of: Any, turn: Any, metric: Any) -> None:
        self._make = (suite_of, turn, metric)
        self.sent: list[str] = []
        self.most = self.under_way = 0
        self.delay: Callable[[str, int], float] = lambda text, number: 0
        self.at: dict[int, Callable[[], Any]] = {}

    def suite(self, *cases: tuple[str, float], parallel: int = 1, turns: int = 1) -> Suite:
        suite_of, turn, metric = self._make
        begun: dict[str, int] = {}

        async def talk(text: str) -> str:
            number = begun.get(text, 0)
            begun[text] = number + 1
            self.sent.append(text)
            if (act := self.at.get(len(self.sent))) is not None:
                act()
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await asyncio.sleep(self.delay(text, number))
            self.under_way -= 1
            mark = cases[int(text.split()[0])][0][number // turns]
            if mark == "!":
                raise RuntimeError("out of order")
            return "yes" if mark == "." else "no"

        found = suite_of(
            talk,
            *[
                [turn(f"{index}", ground_truth="yes", metrics=(metric(),))] * turns
                for index in range(len(cases))
            ],
            parallel=parallel,
        )
        bound = [
            attrs.evolve(
                case, repeat=len(marks), min_pass_rate=rate, name=f"case {case.index}", content_hash=marks
            )
            for case, (marks, rate) in zip(found.cases, cases, strict=True)
        ]
        return attrs.evolve(found, cases=bound)


@pytest.fixture
def script(suite_of: Any, turn: Any, metric: Any) -> Script:
    """See ``Script``."""
    return Script(suite_of, turn, metric)


async def test_repeats_are_conversations_of_their_own_and_one_result(script: Script) -> None:
    suite = script.suite((".x.x.", 0.6), (".", 1.0))
    report = await run_suite(suite)
    repeated, single = report.results
    assert (report.summary.total_tests, report.summary.passed) == (2, 2)
    assert (repeated.status, repeated.passed) == ("passed", True)
    assert repeated.repeats is not None
    assert [repeat.status for repeat in repeated.repeats] == [
        "passed",
        "failed",
        "passed",
        "failed",
        "passed",
    ]
    assert len({repeat.session_id for repeat in repeated.repeats}) == 5
    backend: Any = suite.backend
    assert len(backend.opened) == len(backend.closed) == 6
    assert (single.repeats, single.repeat_summary) == (None, None)


async def test_the_summary_of_repeats_has_all_figures(script: Script) -> None:
    report = await run_suite(script.suite((".x!x.", 0.8)), all_repeats=True)
    summary = report.results[0].repeat_summary
    assert summary is not None
    assert (summary.planned, summary.run, summary.stopped_early) == (5, 5, False)
    assert (summary.passed, summary.failed, summary.errored) == (2, 3, 1)
    assert (summary.pass_rate, summary.min_pass_rate) == (0.4, 0.8)
    assert summary.pass_at_k == pytest.approx([0.4, 0.7, 0.9, 1, 1])
    assert summary.pass_hat_k == pytest.approx([0.4, 0.1, 0, 0, 0])
    interval = summary.interval
    assert (interval.method, interval.confidence, round(interval.z, 2)) == ("wilson", 0.95, 1.96)
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.118, 0.769)


@pytest.mark.parametrize(
    ("marks", "rate", "run", "status"),
    [
        ("....", 1.0, 4, "passed"),
        ("..x.", 1.0, 3, "failed"),
        ("....", 0.5, 2, "passed"),
        ("xx..", 0.75, 2, "failed"),
        ("!!..", 0.75, 2, "error"),
        ("xxxx", 0.0, 4, "passed"),
        ("x", 0.0, 1, "passed"),
    ],
)
async def test_no_repeat_is_run_that_can_change_nothing(
    script: Script, marks: str, rate: float, run: int, status: str
) -> None:
    report = await run_suite(script.suite((marks, rate)))
    [result] = report.results
    assert result.repeat_summary is not None
    assert (len(script.sent), result.repeat_summary.run, result.status) == (run, run, status)
    assert result.repeat_summary.stopped_early is (run < len(marks))
    assert report.complete


async def test_all_repeats_are_run_where_that_is_asked_for(script: Script) -> None:
    report = await run_suite(script.suite(("xx..", 1.0), ("....", 0.25)), all_repeats=True)
    assert [(result.status, len(result.repeats or ())) for result in report.results] == [
        ("failed", 4),
        ("passed", 4),
    ]


@pytest.mark.parametrize(("repeat", "sent"), [(1, 2), (3, 6), (None, 7)])
async def test_the_repeat_of_a_run_is_that_of_each_case(
    script: Script, repeat: int | None, sent: int
) -> None:
    suite = script.suite((".....", 1.0), (".....", 1.0))
    first, second = suite.cases
    await run_suite(attrs.evolve(suite, cases=[first, attrs.evolve(second, repeat=2)]), repeat=repeat)
    assert len(script.sent) == sent


@pytest.mark.parametrize("parallel", [2, 3, 8])
async def test_what_counts_does_not_depend_on_how_many_run_side_by_side(
    script: Script, parallel: int
) -> None:
    cases = [("..x..x", 0.8), ("xx....", 0.9), ("......", 0.5), ("!x....", 0.8), (".", 1.0)]
    alone = await run_suite(script.suite(*cases))
    script.delay = lambda text, number: 0.003 * (7 - number)  # the later, the sooner it is over
    beside = await run_suite(script.suite(*cases, parallel=parallel))
    assert [_figures(result) for result in beside.results] == [_figures(result) for result in alone.results]
    assert beside.summary.model_copy(update={"total_duration_ms": 0}) == alone.summary.model_copy(
        update={"total_duration_ms": 0}
    )


def _figures(result: Any) -> Any:
    return result.status, result.agent_response, result.repeat_summary, result.errors


async def test_repeats_count_against_the_limit_as_cases_do(script: Script) -> None:
    script.delay = lambda text, number: 0.01
    notes = Notes()
    await run_suite(script.suite(("......", 1.0), parallel=4), reporters=[notes])
    assert (script.most, notes.parallel) == (4, 4)
    await run_suite(script.suite(("..", 1.0), (".", 1.0), parallel=9), reporters=[notes])
    assert notes.parallel == 3


async def test_the_evidence_of_a_repeated_case_is_that_of_the_first_repeat_that_came_out_as_it_did(
    script: Script,
) -> None:
    report = await run_suite(script.suite(("x..", 0.6), (".!x", 1.0), ("xx", 0.0)), all_repeats=True)
    passed, failed, measured = report.results
    assert (passed.agent_response, passed.metric_results[0].passed, passed.errors) == ("yes", True, [])
    assert (failed.agent_response, failed.metric_results[0].passed) == ("no", False)
    assert (measured.passed, measured.agent_response) == (True, "no")
    for result in report.results:
        assert result.repeats is not None
        assert result.execution_time_ms == sum(repeat.execution_time_ms for repeat in result.repeats)
        assert result.session_id in {repeat.session_id for repeat in result.repeats}


async def test_a_case_is_told_once_and_each_repeat_with_its_turns(script: Script, tmp_path: Path) -> None:
    notes = Notes()
    run = run_suite(script.suite((".x.", 0.5), turns=2), reporters=[notes], run_dir=tmp_path)
    await run
    told = [
        (type(event).__name__, getattr(event, "repeat", None), getattr(event, "status", None))
        for event in notes.events
    ]
    assert told == [
        ("CaseStarted", None, None),
        ("TurnFinished", 0, "passed"),
        ("TurnFinished", 0, "passed"),
        ("RepeatFinished", 0, "passed"),
        ("TurnFinished", 1, "failed"),
        ("TurnFinished", 1, "failed"),
        ("RepeatFinished", 1, "failed"),
        ("TurnFinished", 2, "passed"),
        ("TurnFinished", 2, "passed"),
        ("RepeatFinished", 2, "passed"),
        ("CaseFinished", None, "passed"),
    ]
    assert notes.events[-1].repeat_summary == notes.events[-1].read().repeat_summary
    took = [event.duration_ms for event in notes.events if type(event).__name__ == "TurnFinished"]
    assert [event.duration_ms for event in notes.events if type(event).__name__ == "RepeatFinished"] == [
        pytest.approx(first + second) for first, second in zip(took[::2], took[1::2], strict=True)
    ]
    again = [event for event in read_run(tmp_path / run.id).events() if "Run" not in type(event).__name__]
    assert [_undated(event) for event in again] == [_undated(event) for event in notes.events]


def _undated(event: Any) -> Any:
    fields = attrs.asdict(event, recurse=False, filter=lambda field, _: field.name != "duration_ms")
    return type(event).__name__, {**fields, "read": fields["read"]() if "read" in fields else None}


async def test_the_journal_has_a_line_for_each_repeat_that_says_which_it_is(
    script: Script, tmp_path: Path
) -> None:
    run = run_suite(script.suite(("..", 1.0), (".", 1.0)), run_dir=tmp_path)
    report = await run
    lines = [json.loads(line) for line in (tmp_path / run.id / "results.jsonl").read_bytes().splitlines()]
    plan = {"repeat": 2, "min_pass_rate": 1.0, "all_repeats": False}
    assert [(line["index"], line.get("repeat"), line.get("plan")) for line in lines] == [
        (0, 0, plan),
        (0, 1, plan),
        (1, None, None),
    ]
    assert list(read_run(tmp_path / run.id).results()) == report.results


async def test_a_run_that_is_resumed_runs_the_repeats_that_are_missing(
    script: Script, tmp_path: Path
) -> None:
    cases = [("..", 1.0), (".x..x", 0.6), ("..", 1.0)]
    run = run_suite(script.suite(*cases), run_dir=tmp_path)
    whole = await run
    journal = tmp_path / run.id / "results.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 2 + 4 + 2
    # By whatever lines the killed run got to: any of them may be there, in any order.
    for kept in ([], [0], [0, 1], [3], [0, 1, 2], [4, 2, 0, 1], [5, 4, 3], [7, 3, 1]):
        journal.write_bytes(b"".join(lines[line] for line in kept))
        script.sent.clear()
        stored = read_run(tmp_path / run.id)
        assert len(stored) == ({0, 1} <= set(kept)) + ({2, 3, 4, 5} <= set(kept))
        resumed = resume_suite(_answers_of(script, cases, lines, kept), tmp_path / run.id)
        report = await resumed
        assert len(script.sent) == 8 - len(kept)
        assert [_figures(result) for result in report.results] == [
            _figures(result) for result in whole.results
        ]
        assert report.complete


def _answers_of(script: Script, cases: list[tuple[str, float]], lines: list[bytes], kept: list[int]) -> Suite:
    """The suite, with an agent that goes on with the answers that were not kept."""
    there = {(record["index"], record["repeat"]) for record in (json.loads(lines[line]) for line in kept)}
    left = [
        ("".join(mark for number, mark in enumerate(marks) if (index, number) not in there) + ".....", rate)
        for index, (marks, rate) in enumerate(cases)
    ]
    return attrs.evolve(script.suite(*left), cases=list(script.suite(*cases).cases))


async def test_a_resumed_run_is_repeated_as_it_was_started_with(script: Script, tmp_path: Path) -> None:
    run = run_suite(script.suite(("....", 1.0)), run_dir=tmp_path, repeat=3, all_repeats=True)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    script.sent.clear()
    resumed = resume_suite(script.suite(("....", 1.0)), tmp_path / run.id)
    report = await resumed
    assert report.results[0].repeat_summary is not None
    assert (len(script.sent), report.results[0].repeat_summary.planned) == (2, 3)
    counts = {"taken over": 0, "repeated further": 1, "changed": 0, "new": 0, "left out": 0}
    assert resumed.taken_over == counts


async def test_a_case_that_is_repeated_otherwise_by_now_runs_anew(script: Script, tmp_path: Path) -> None:
    run = run_suite(script.suite(("...", 1.0)), run_dir=tmp_path)
    await run
    suite = script.suite(("...", 1.0))
    other = attrs.evolve(suite, cases=[attrs.evolve(suite.cases[0], min_pass_rate=0.5)])  # type: ignore[index]
    script.sent.clear()
    resumed = resume_suite(other, tmp_path / run.id)
    report = await resumed
    assert (len(script.sent), resumed.taken_over["changed"]) == (2, 1)
    assert list(read_run(tmp_path / run.id).results()) == report.results


@pytest.mark.parametrize(
    "plan",
    [
        "3",
        "{}",
        "[]",
        '{"repeat": 3}',
        '{"repeat": "3", "min_pass_rate": 1.0}',
        '{"repeat": 0, "min_pass_rate": 1.0}',
        '{"repeat": 1, "min_pass_rate": 1.0}',
        '{"repeat": 3, "min_pass_rate": 2}',
        '{"repeat": 3, "min_pass_rate": 1, "more": 1}',
    ],
)
async def test_a_line_whose_plan_is_none_is_no_result(script: Script, tmp_path: Path, plan: str) -> None:
    run = run_suite(script.suite(("..", 1.0)), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    first, second = journal.read_text().splitlines(keepends=True)
    begin, _, _ = second.partition('"plan":')
    journal.write_text(f'{first}{begin}"plan":{plan}}}\n')
    assert list(read_run(tmp_path / run.id).results()) == []


async def test_failing_fast_waits_for_the_verdict_and_lets_begun_cases_come_to_theirs(
    script: Script,
) -> None:
    report = await run_suite(script.suite(("x..", 0.6), ("xx", 1.0), (".", 1.0)), fail_fast=True)
    assert [result.status for result in report.results] == ["passed", "failed"]
    script.delay = lambda text, number: 0.02 if text == "0" else 0
    report = await run_suite(script.suite(("...", 1.0), ("x", 1.0), (".", 1.0), parallel=4), fail_fast=True)
    assert [result.status for result in report.results] == ["passed", "failed"]


async def test_a_case_that_is_stopped_between_two_repeats_has_no_result(script: Script) -> None:
    suite = script.suite((".", 1.0), ("...", 1.0))
    run = run_suite(suite)
    script.at[3] = lambda: run.stop(5)
    report = await run
    assert (len(script.sent), len(report.results), report.complete) == (3, 1, False)


class Many:
    """Cases that are made when they are read."""

    def __init__(self, case: BoundCase, count: int) -> None:
        self._case = case
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[BoundCase]:
        return (attrs.evolve(self._case, index=index) for index in range(self._count))


async def test_memory_does_not_grow_with_the_number_of_repeated_cases(suite_of: Any, turn: Any) -> None:
    def yes(text: str) -> str:
        return "yes" * 1_000

    peaks = []
    for count in (50, 500):
        suite = suite_of(yes, [turn(expected_tools=[])])
        backend = suite.backend
        [case] = suite.cases
        many = Many(attrs.evolve(case, repeat=3), count)
        run = run_suite(attrs.evolve(suite, cases=many, parallel=4))
        backend.opened = backend.closed = deque(maxlen=1)
        tracemalloc.start()
        await run.wait()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert run.summary.passed == count
    assert peaks[1] - peaks[0] < 100_000, "450 cases more, of 9 kB each, are not held"


def test_a_report_with_repeats_is_read_again(script: Script) -> None:
    report = asyncio.run(_report(script))
    assert TestReport.model_validate_json(report.model_dump_json()) == report


async def _report(script: Script) -> TestReport:
    return await run_suite(script.suite((".x", 0.5), (".", 1.0)))
