"""Runs on disk: what is kept, what is taken up again, what stands in the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from holodeck_core import RunError, Suite, resume_suite, run_suite
from holodeck_core.engine.run_folder import RunFolder

Talk = Callable[[str], Any]


@pytest.fixture
def five(suite_of: Any, turn: Any) -> Callable[[Talk], Suite]:
    """A suite of five cases of one turn, with hashes of their content."""

    def make(talk: Talk) -> Suite:
        suite = suite_of(talk, *[[turn(str(number))] for number in range(5)])
        cases = [attrs.evolve(case, content_hash=f"hash {case.index}") for case in suite.cases]
        return attrs.evolve(suite, cases=cases, fingerprint={"model": "m1"}, plugins={"core": "0.1.0"})

    return make


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_bytes().splitlines()]


async def test_a_run_is_kept_in_a_folder_of_its_own_which_git_ignores(five: Any, tmp_path: Path) -> None:
    runs = tmp_path / ".holodeck" / "runs"
    run = run_suite(five(str), run_dir=runs)
    report = await run
    folder = runs / run.id
    head = json.loads((folder / "run.json").read_text())
    assert (head["run_id"], head["complete"], head["summary"]["passed"]) == (run.id, True, 5)
    assert head["fingerprint"] == {"model": "m1"}
    assert [record["index"] for record in lines(folder)] == [0, 1, 2, 3, 4]
    assert (tmp_path / ".holodeck" / ".gitignore").read_text() == "*\n"
    assert report.run_id == run.id


@pytest.mark.parametrize(
    ("runs", "before", "after"),
    [(".holodeck/runs", "runs/*/lock\n", "runs/*/lock\n"), ("kept/runs", None, None)],
    ids=["ignores otherwise", "another folder"],
)
async def test_what_git_ignores_is_the_users_own(
    five: Any, tmp_path: Path, runs: str, before: str | None, after: str | None
) -> None:
    ignore = (tmp_path / runs).parent / ".gitignore"
    if before is not None:
        ignore.parent.mkdir()
        ignore.write_text(before)
    await run_suite(five(str), run_dir=tmp_path / runs)
    assert (ignore.read_text() if ignore.exists() else None) == after


async def test_a_run_that_is_removed_leaves_nothing_but_files_of_others(five: Any, tmp_path: Path) -> None:
    for others in ((), ("notes.txt",)):
        run = run_suite(five(str), run_dir=tmp_path)
        await run
        folder = tmp_path / run.id
        for name in ("run.json.new", *others):  # the first is left by a process that was killed
            (folder / name).write_text("")
        RunFolder.open(folder).remove()
        assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [*others]  # noqa: ASYNC240
        assert folder.exists() is bool(others)


async def test_what_is_finished_is_on_disk_before_the_next_result_is_reported(
    five: Any, tmp_path: Path
) -> None:
    run = run_suite(five(str), run_dir=tmp_path)
    seen = 0
    async for _ in run:
        seen += 1
        assert len(lines(tmp_path / run.id)) >= seen
    assert seen == 5


async def interrupted(suite: Suite, runs: Path, after: int) -> Path:
    """A run that ended after that many cases."""
    run = run_suite(suite, run_dir=runs)
    results = run.__aiter__()
    for _ in range(after):
        await results.__anext__()
    await results.aclose()  # type: ignore[attr-defined]
    return runs / run.id


async def test_a_resumed_run_sends_only_what_is_missing_and_reports_all(five: Any, tmp_path: Path) -> None:
    sent: list[str] = []

    async def talk(text: str) -> str:
        await asyncio.sleep(0.01)
        sent.append(text)
        return text

    folder = await interrupted(five(talk), tmp_path, 2)
    assert json.loads((folder / "run.json").read_text())["complete"] is False
    done = [record["index"] for record in lines(folder)]
    sent.clear()
    report = await resume_suite(five(talk), folder)
    assert sorted(sent) == [str(index) for index in range(5) if index not in done]
    assert [result.index for result in report.results] == [0, 1, 2, 3, 4]
    assert report.complete
    assert (report.run_id, report.summary.passed) == (folder.name, 5)


async def test_a_torn_last_line_is_dropped_and_its_case_runs_again(five: Any, tmp_path: Path) -> None:
    run = run_suite(five(str), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    whole = journal.read_bytes()
    for cut in (1, 10, len(whole.splitlines()[-1])):
        journal.write_bytes(whole[:-cut])
        sent: list[str] = []
        report = await resume_suite(
            five(lambda text, sent=sent: sent.append(text) or text), tmp_path / run.id
        )
        assert sent == ["4"]
        assert [result.index for result in report.results] == [0, 1, 2, 3, 4]
        assert len(lines(tmp_path / run.id)) == 5


@pytest.mark.parametrize(
    "damage",
    [
        {"turns": []},
        {"turns": {}},
        {"turns": [{"input": "4"}]},
        {"turns": None},
        {"status": "fine"},
        {"checked": None},
        {"multi_turn": "no"},
    ],
    ids=repr,
)
async def test_a_line_that_is_no_result_any_more_costs_its_own_case(
    five: Any, tmp_path: Path, damage: dict[str, Any]
) -> None:
    run = run_suite(five(str), run_dir=tmp_path)
    await run
    journal = tmp_path / run.id / "results.jsonl"
    *whole, last = journal.read_text().splitlines()
    journal.write_text("\n".join([*whole, json.dumps({**json.loads(last), **damage})]) + "\n")
    sent: list[str] = []
    report = await resume_suite(five(lambda text: sent.append(text) or text), tmp_path / run.id)
    assert sent == ["4"]
    assert [result.index for result in report.results] == [0, 1, 2, 3, 4]


async def test_changed_cases_run_again_new_ones_run_and_removed_ones_are_left_out(
    five: Any, tmp_path: Path
) -> None:
    run = run_suite(five(str), run_dir=tmp_path)
    await run
    sent: list[str] = []
    suite = five(lambda text: sent.append(text) or text)
    cases = list(suite.cases)
    changed = [cases[0], attrs.evolve(cases[1], content_hash="other"), cases[2], cases[3]]
    resumed = resume_suite(attrs.evolve(suite, cases=changed), tmp_path / run.id)
    report = await resumed
    assert sent == ["1"]
    assert [result.index for result in report.results] == [0, 1, 2, 3]
    assert resumed.taken_over == {
        "taken over": 3,
        "repeated further": 0,
        "changed": 1,
        "left out": 1,
        "new": 0,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fingerprint": {"model": "m2"}}, "`model` of the agent file has changed"),
        ({"fingerprint": {}}, "`model` of the agent file was removed"),
        ({"fingerprint": {"model": "m1", "tools": "t"}}, "`tools` of the agent file was added"),
        ({"plugins": {"core": "0.2.0"}}, "the plugin core was 0.1.0 and is 0.2.0"),
    ],
)
async def test_a_run_of_something_else_is_not_taken_up_unless_that_is_allowed(
    five: Any, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    run = run_suite(five(str), run_dir=tmp_path)
    await run
    suite = attrs.evolve(five(str), **change)
    with pytest.raises(RunError, match=message):
        resume_suite(suite, tmp_path / run.id)
    assert (await resume_suite(suite, tmp_path / run.id, allow_changes=True)).complete


async def test_a_run_that_is_going_on_cannot_be_resumed(five: Any, tmp_path: Path) -> None:
    started = asyncio.Event()

    async def talk(text: str) -> str:
        started.set()
        await asyncio.sleep(9)
        return text

    run = run_suite(five(talk), run_dir=tmp_path)
    task = asyncio.ensure_future(_wait(run))
    await started.wait()
    with pytest.raises(RunError, match="is still running in another process"):
        await resume_suite(five(str), tmp_path / run.id)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_folder_that_holds_no_run_is_refused(five: Any, tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunError, match="run"):
        resume_suite(five(str), tmp_path)


async def test_a_run_folder_that_cannot_be_made_is_told(five: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        await run_suite(five(str), run_dir=tmp_path / "file")


async def _wait(run: Any) -> None:
    await run.wait()
