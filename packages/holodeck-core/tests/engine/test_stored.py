"""Runs that are kept, read again without their suite."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import attrs
import pytest

from holodeck_core import (
    CaseFinished,
    CaseStarted,
    NoOptions,
    Reporter,
    RunError,
    RunFinished,
    RunStarted,
    Suite,
    TurnFinished,
    resume_suite,
    run_suite,
)
from holodeck_core.engine.run_folder import RunFolder, is_live, list_runs
from holodeck_core.engine.stored import read_run


class Notes(Reporter):
    """Writes down every event."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.events: list[Any] = []

    def run_started(self, event: RunStarted) -> None:
        self.events.append(event)

    def case_started(self, event: CaseStarted) -> None:
        self.events.append(event)

    def turn_finished(self, event: TurnFinished) -> None:
        self.events.append(event)

    def case_finished(self, event: CaseFinished) -> None:
        self.events.append(event)

    def run_finished(self, event: RunFinished) -> None:
        self.events.append(event)


@pytest.fixture
def suite(suite_of: Any, turn: Any, metric: Any) -> Callable[..., Suite]:
    """A suite of one case a text; the text ``wrong`` fails."""

    def make(*texts: str, talk: Callable[[str], Any] = str) -> Suite:
        turns = [
            [turn(text, ground_truth="x" if text == "wrong" else text, metrics=(metric(),))] for text in texts
        ]
        found = suite_of(talk, *turns)
        cases = [
            attrs.evolve(
                case, content_hash=case.turns[0].message.text, name=f"case {case.turns[0].message.text}"
            )
            for case in found.cases
        ]
        return attrs.evolve(found, cases=cases)

    return make


def plain(event: Any) -> dict[str, Any]:
    """What an event says, with what it reads, and without durations."""
    fields = {name: getattr(event, name) for name in (each.name for each in attrs.fields(type(event)))}
    fields.pop("duration_ms", None)
    if "read" in fields:
        fields["read"] = fields["read"]()
    if "results" in fields:
        fields["results"] = list(fields["results"]())
    return {"kind": type(event).__name__, **fields}


async def test_the_events_of_a_stored_run_are_those_of_the_run(suite: Any, tmp_path: Path) -> None:
    notes = Notes()
    run = run_suite(suite("a", "wrong", "c"), reporters=[notes], run_dir=tmp_path)
    report = await run
    stored = read_run(tmp_path / run.id)
    assert list(map(plain, stored.events())) == list(map(plain, notes.events))
    assert stored.report_head().model_copy(update={"results": list(stored.results())}) == report


async def test_a_line_that_is_being_written_is_not_read_and_not_touched(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a", "b"), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    for content in (journal.read_bytes()[:-1], journal.read_bytes() + b'{"index": 7, "t', b'{"ind', b""):
        journal.write_bytes(content)
        stored = read_run(tmp_path / run.id)
        assert len(stored) == content.count(b"\n")
        assert stored.summary().total_tests == content.count(b"\n")
        assert journal.read_bytes() == content


async def test_a_run_that_has_no_results_yet_is_empty(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a"), run_dir=tmp_path)
    await run
    (tmp_path / run.id / "results.jsonl").unlink()
    assert list(read_run(tmp_path / run.id).results()) == []
    assert not (tmp_path / run.id / "results.jsonl").exists()


@pytest.mark.parametrize(
    "line",
    [
        b"\x00" * 100,
        b"\xff\xfe",
        b"",
        b"{}",
        b"[1]",
        b"null",
        b'{"index": -1}',
        b'{"index": true}',
        b'{"index": 1.0}',
        b'{"index": 99999999999999999999}',
        b"[" * 100_000,
    ],
)
async def test_a_line_that_is_no_result_is_passed_over(suite: Any, tmp_path: Path, line: bytes) -> None:
    run = run_suite(suite("a", "b"), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    first, second = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + line + b"\n" + second)
    assert [result.index for result in read_run(tmp_path / run.id).results()] == [0, 1]
    resumed = resume_suite(suite("a", "b"), tmp_path / run.id)
    await resumed
    assert resumed.taken_over == {
        "taken over": 2,
        "repeated further": 0,
        "changed": 0,
        "new": 0,
        "left out": 0,
    }


OUTLINE = {"index": 0, "status": "passed", "checked": True, "multi_turn": True, "case_hash": "a"}
BEFORE_ITS_BEGIN = {"input": "b", "status": "passed", "metric_results": [], "execution_time_ms": -1}


@pytest.mark.parametrize(
    "damage",
    [
        {"status": "odd", "metric_results": []},
        {"status": "passed", "metric_results": [{}]},
        {"status": "passed", "metric_results": [], "tool_invocations": [3]},
        {"status": "passed", "metric_results": [], "passed": True, "response": {}},
    ],
    ids=repr,
)
async def test_a_result_of_another_shape_is_an_error(
    suite: Any, tmp_path: Path, damage: dict[str, Any]
) -> None:
    run = run_suite(suite("a"), run_dir=tmp_path)
    await run
    turns = [{"turn_index": 0, "input": "a", "execution_time_ms": 0, **damage}]
    (tmp_path / run.id / "results.jsonl").write_text(json.dumps({**OUTLINE, "turns": turns}) + "\n")
    stored = read_run(tmp_path / run.id)
    for read in (stored.events, stored.results):
        told = f"{run.id}/results.jsonl:1: the stored result of case 1 cannot be read; resuming the run"
        with pytest.raises(RunError, match=told):
            list(cast("Any", read()))
    resumed = resume_suite(suite("a"), tmp_path / run.id)
    assert [result.passed for result in (await resumed).results] == [True]
    assert (resumed.taken_over["taken over"], resumed.taken_over["new"]) == (0, 1)
    assert [result.passed for result in read_run(tmp_path / run.id).results()] == [True]


@pytest.mark.parametrize(
    ("lines", "told", "new"),
    [
        ({1: b"\x00" * 9}, "line 2", 1),
        ({0: b"{}", 2: b'{"index": 2, "sta'}, "lines 1, 3", 2),
        (dict.fromkeys(range(12), b"[]"), "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more", 12),
        ({1: b"\n"}, None, 1),
        ({1: json.dumps({**OUTLINE, "index": 1, "turns": [BEFORE_ITS_BEGIN]}).encode()}, "line 2", 1),
    ],
    ids=["one", "two", "many", "blank", "a negative duration"],
)
async def test_lines_that_are_damaged_are_named_as_long_as_their_cases_have_no_result(
    suite: Any, tmp_path: Path, lines: dict[int, bytes], told: str | None, new: int
) -> None:
    texts = [f"t{number}" for number in range(12)]
    run = run_suite(suite(*texts), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    written = journal.read_bytes().splitlines()
    journal.write_bytes(b"".join(lines.get(at, line) + b"\n" for at, line in enumerate(written)))
    damage = read_run(tmp_path / run.id).damage
    assert damage == (told and f"{journal}: {told} cannot be read: what was there counts as not run")
    resumed = resume_suite(suite(*texts), tmp_path / run.id)
    await resumed
    assert resumed.taken_over["new"] == new
    assert resumed.notes == (
        () if told is None else (f"{journal}: {told} could not be read: what was there ran anew",)
    )
    again = resume_suite(suite(*texts), tmp_path / run.id)
    await again
    assert (again.notes, read_run(tmp_path / run.id).damage) == ((), None)


def standing(suite: Any, line: int, repeat: int) -> Suite:
    """Two cases, of which the first stands at a line of the agent file."""
    found = suite("a", "b")
    cases = [
        attrs.evolve(case, source=f"agent.yaml:{line + case.index}", repeat=repeat) for case in found.cases
    ]
    moved: Suite = attrs.evolve(found, cases=cases)
    return moved


@pytest.mark.parametrize("repeat", [1, 2])
async def test_a_result_that_is_taken_over_says_where_its_case_stands_now(
    suite: Any, tmp_path: Path, repeat: int
) -> None:
    run = run_suite(standing(suite, 5, repeat), run_dir=tmp_path)
    await run
    for line in (7, 7, 9):
        resumed = resume_suite(standing(suite, line, repeat), tmp_path / run.id)
        results = (await resumed).results
        assert resumed.taken_over["taken over"] == 2
        for found in (results, list(read_run(tmp_path / run.id).results())):
            assert [result.source for result in found] == [f"agent.yaml:{line}", f"agent.yaml:{line + 1}"]
            assert {each.source for result in found for each in result.repeats or [result]} == {
                f"agent.yaml:{line}",
                f"agent.yaml:{line + 1}",
            }
    assert (tmp_path / run.id / "results.jsonl").read_bytes().count(b"\n") == 2 * repeat + 4


async def test_repeats_of_before_and_after_say_the_same_place(suite: Any, tmp_path: Path) -> None:
    run = run_suite(standing(suite, 5, 2), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    resumed = resume_suite(standing(suite, 7, 2), tmp_path / run.id)
    results = (await resumed).results
    assert (resumed.taken_over["taken over"], resumed.taken_over["repeated further"]) == (1, 1)
    for found in (results, list(read_run(tmp_path / run.id).results())):
        places = [{each.source for each in result.repeats or ()} for result in found]
        assert places == [{"agent.yaml:7"}, {"agent.yaml:8"}]


async def test_what_a_resumed_run_left_out_is_not_there_any_more(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a", "b", "c", "d"), run_dir=tmp_path)
    await run
    resumed = resume_suite(suite("a", "x"), tmp_path / run.id)
    report = await resumed
    assert resumed.taken_over == {
        "taken over": 1,
        "repeated further": 0,
        "changed": 1,
        "new": 0,
        "left out": 2,
    }
    stored = read_run(tmp_path / run.id)
    assert list(stored.results()) == report.results
    again = resume_suite(suite("a", "x", "c"), tmp_path / run.id)
    await again
    assert again.taken_over == {"taken over": 2, "repeated further": 0, "changed": 0, "new": 1, "left out": 0}


async def test_a_run_that_goes_on_is_incomplete_until_it_is_over(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a", "b"), run_dir=tmp_path)
    await run
    assert read_run(tmp_path / run.id).folder.head.complete

    begun = asyncio.Event()

    async def waits(text: str) -> str:
        begun.set()
        await asyncio.sleep(60)
        return text

    resumed = resume_suite(suite("a", "b", "c", talk=waits), tmp_path / run.id)
    task = asyncio.ensure_future(_wait(resumed))
    await begun.wait()
    assert is_live(tmp_path / run.id)
    stored = read_run(tmp_path / run.id)
    assert (stored.folder.head.complete, stored.folder.head.total, len(stored)) == (False, 3, 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_live(tmp_path / run.id)
    assert not read_run(tmp_path / run.id).folder.head.complete


async def test_a_case_that_was_taken_over_is_told_as_such(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a", "wrong"), run_dir=tmp_path)
    await run
    notes = Notes()
    await resume_suite(suite("a", "wrong", "c"), tmp_path / run.id, reporters=[notes])
    told = [event for event in notes.events if isinstance(event, CaseFinished)]
    assert [(event.name, event.status, event.taken_over) for event in told] == [
        ("case a", "passed", True),
        ("case wrong", "failed", True),
        ("case c", "passed", False),
    ]
    assert [event.read().test_name for event in told] == ["case a", "case wrong", "case c"]
    assert [event.name for event in notes.events if isinstance(event, CaseStarted)] == ["case c"]


async def test_an_error_is_a_failure_for_a_run_that_fails_fast(suite: Any) -> None:
    def talk(text: str) -> str:
        raise ValueError(text)

    report = await run_suite(suite("a", "b", talk=talk), fail_fast=True)
    assert [result.status for result in report.results] == ["error"]


@pytest.mark.parametrize("parallel", [1, 3])
async def test_a_run_that_fails_fast_starts_no_case_after_a_failure_and_lets_others_finish(
    suite: Any, parallel: int
) -> None:
    async def talk(text: str) -> str:
        await asyncio.sleep(0.05 if text == "slow" else 0)
        return text

    slow_first = attrs.evolve(suite("slow", "wrong", "c", "d", "e", talk=talk), parallel=parallel)
    report = await run_suite(slow_first, fail_fast=True)
    names = [result.test_name for result in report.results]
    assert names[:2] == ["case slow", "case wrong"]
    assert len(names) <= 1 + parallel
    assert not report.complete


async def test_a_run_that_fails_fast_can_still_be_stopped(suite: Any) -> None:
    begun = asyncio.Event()

    async def talk(text: str) -> str:
        if text == "slow":
            begun.set()
            await asyncio.sleep(60)
        return text

    two = attrs.evolve(suite("slow", "wrong", "c", talk=talk), parallel=2)
    run = run_suite(two, fail_fast=True)
    task = asyncio.ensure_future(_wait(run))
    await begun.wait()
    while not two.backend.closed:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.01)
    run.stop(grace_s=0.01)
    await asyncio.wait_for(task, 5)
    assert run.summary.total_tests == 1
    assert not run.complete


async def test_looking_at_a_run_does_not_stand_in_its_way(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a"), run_dir=tmp_path)
    await run
    folder = RunFolder.open(tmp_path / run.id)
    looking = os.open(folder.path / "lock", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)  # as whoever looks holds it, for a moment
    threading.Timer(0.02, os.close, [looking]).start()
    await asyncio.to_thread(folder.lock)
    assert is_live(folder.path)


async def test_a_lock_is_held_by_one(suite: Any, tmp_path: Path) -> None:
    run = run_suite(suite("a"), run_dir=tmp_path)
    await run
    first, second = (RunFolder.open(tmp_path / run.id) for _ in range(2))
    first.lock()
    first.lock()
    with pytest.raises(RunError, match="is still running in another process"):
        second.lock()
    assert is_live(tmp_path / run.id)
    first.unlock()
    second.lock()
    second.unlock()
    assert not is_live(tmp_path / run.id)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "is not the folder of a run: run.json: No such file or directory"),
        (b"", "does not describe a run: Invalid JSON"),
        (b"\xff", "does not describe a run: Invalid JSON"),
        (b"[" * 100_000, "does not describe a run: Invalid JSON"),
        (b"{}", "does not describe a run: run_id: Field required"),
        (b'{"run_id": "x", "agent_name": "a", "holodeck_version": "1", "started_at": "now"}', "started_at: "),
        (b'{"schema_version": 2}', "run.json was written by a later version of HoloDeck"),
    ],
    ids=["missing", "empty", "no-text", "deep", "no-fields", "no-time", "of-a-later-version"],
)
def test_a_folder_without_a_readable_description_is_no_run(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    run = tmp_path / "one"
    run.mkdir()
    if content is not None:
        (run / "run.json").write_bytes(content)
    with pytest.raises(RunError, match=message):
        read_run(run)
    assert list_runs(tmp_path) == []


async def test_runs_are_listed_in_the_order_in_which_they_began(suite: Any, tmp_path: Path) -> None:
    ids = []
    for _ in range(5):  # within a second
        run = run_suite(suite("a"), run_dir=tmp_path)
        await run
        ids.append(run.id)
    (tmp_path / ids[0]).rename(tmp_path / "renamed")
    assert [run.head.run_id for run in list_runs(tmp_path)] == ids


async def _wait(run: Any) -> None:
    await run.wait()
