"""Function calls that others have collected: what they accept passes, and what they do not accept fails.

A scripted agent makes the calls of each record, with any of the accepted values. The expectations of a record are
always the same; what is changed is what the agent does. There is a case for each call, or for each argument of each
call; a conversation of several turns has a change in each of them.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

import pytest
from bfcl import Call, Needed, Record, chosen, expected_tool, read_records, serves, unlike
from bfcl_changes import Change, dropped, duplicated, left_out, wrong

from holodeck_core import TestReport, TurnResult

RECORDS = {"simple_python": 400, "multiple": 200, "parallel": 200, "multi_turn_base": 200}

Changes: TypeAlias = Callable[[list[Needed], list[Call], Random], Iterator[Change]]


class Played(NamedTuple):
    """A turn of a case: the calls that it needs, what the agent does instead of them, and what came of it."""

    needed: list[Needed]
    change: Change | None
    result: TurnResult

    @property
    def reasons(self) -> dict[int, str]:
        """Why calls are not as they should be, by their index."""
        details = enumerate(self.result.arg_match_details or ())
        return {index: detail["unmatched_reason"] for index, detail in details if detail["unmatched_reason"]}


Play: TypeAlias = Callable[..., list[Played]]


@pytest.fixture(scope="session")
def play(run: Callable[..., TestReport], corpus: Callable[[str], Path]) -> Play:
    """Runs the records of a category as they are, or with every change of one kind; each only once."""

    @cache
    def play(category: str, changes: Changes | None = None) -> list[Played]:
        random = Random(category)
        records = read_records(corpus("bfcl"), category)
        assert len(records) == RECORDS[category]
        cases: list[Any] = []
        replies: list[Any] = []
        planned: list[tuple[list[Needed], Change | None]] = []
        for record in records:
            calls = [[chosen(needed, random) for needed in turn.needed] for turn in record.turns]
            for case in _cases(record, calls, changes, random):
                turns: list[Any] = []
                for turn, right, change in zip(record.turns, calls, case, strict=True):
                    message = f"({len(cases)}.{len(turns)}) {turn.question}"
                    made = right if change is None else change.calls
                    replies.append({"input": message, "calls": [call._asdict() for call in made]})
                    expected = [expected_tool(needed, right) for needed in turn.needed]
                    turns.append({"input": message, "expected_tools": expected})
                    planned.append((turn.needed, change))
                cases.append({"name": f"{len(cases)} {record.id}", "turns": turns})
        report = run({"model": {"provider": "scripted", "replies": replies}}, cases)
        results = [turn for result in report.results for turn in result.turns or ()]
        return [Played(*plan, result) for plan, result in zip(planned, results, strict=True)]

    return play


def _cases(
    record: Record, calls: list[list[Call]], changes: Changes | None, random: Random
) -> Iterator[list[Change | None]]:
    """For each case of a record, the change in each turn; a turn that has no further changes starts again."""
    if changes is None:
        yield [None] * len(calls)
        return
    found = [
        list(changes(turn.needed, right, random)) for turn, right in zip(record.turns, calls, strict=True)
    ]
    for number in range(max(map(len, found))):
        yield [each[number % len(each)] if each else None for each in found]


def changed_turns(played: list[Played]) -> Iterator[tuple[Played, Change]]:
    """The turns with a change. Those without one pass, also beside others that do not."""
    changed = 0
    for turn in played:
        assert turn.result.tools_matched is (turn.change is None), turn.result
        assert turn.result.passed is (turn.change is None)
        if turn.change is not None:
            changed += 1
            yield turn, turn.change
    assert changed >= len(played) * 0.9


@pytest.mark.parametrize("category", RECORDS)
def test_the_needed_calls_pass(play: Play, category: str) -> None:
    for turn in play(category):
        assert turn.result.passed, turn.reasons
        assert turn.result.tools_matched
        assert len(turn.result.tool_invocations) == len(turn.needed)


@pytest.mark.parametrize("category", RECORDS)
def test_a_call_that_is_dropped_fails_its_turn(play: Play, category: str) -> None:
    for turn, change in changed_turns(play(category, dropped)):
        [(index, reason)] = turn.reasons.items()
        missing = turn.needed[index]
        assert missing.name == turn.needed[change.place].name
        same = [call for call in change.calls if call.name == missing.name]
        if not same:
            assert reason.startswith("no call to ")
            assert missing.name in reason
        elif any(serves(missing, call) for call in same):
            assert reason.startswith("expected a matching call of its own")
        else:
            call, argument = named(reason)
            assert argument == unlike(missing, change.calls[call])[0]
            assert len(unlike(missing, change.calls[call])) == min(
                len(unlike(missing, call)) for call in same
            )


@pytest.mark.parametrize("category", RECORDS)
def test_a_call_that_is_made_twice_fails_its_turn(play: Play, category: str) -> None:
    for turn, change in changed_turns(play(category, duplicated)):
        concerned = [index for index, needed in enumerate(turn.needed) if serves(needed, change.call)]
        assert change.place in concerned
        assert list(turn.reasons) == concerned
        for index, reason in turn.reasons.items():
            got = sum(serves(turn.needed[index], call) for call in change.calls)
            assert reason == f"expected at most {got - 1} matching calls, got {got}"


@pytest.mark.parametrize("changes", [wrong, left_out])
@pytest.mark.parametrize("category", RECORDS)
def test_a_wrong_argument_fails_its_turn_and_is_named(play: Play, category: str, changes: Changes) -> None:
    for turn, change in changed_turns(play(category, changes)):
        [(index, reason)] = turn.reasons.items()
        assert turn.needed[index].name == change.call.name
        if sum(call.name == change.call.name for call in change.calls) == 1:
            assert named(reason) == (change.place, change.argument)
            missing = change.argument not in change.calls[change.place].args
            assert reason.startswith(f"arg '{change.argument}' is missing (") is missing


@pytest.mark.parametrize("changes", [wrong, left_out])
@pytest.mark.parametrize("category", ["parallel", "multi_turn_base"])
def test_of_several_calls_the_one_that_serves_nothing_is_named(
    play: Play, category: str, changes: Changes
) -> None:
    for turn, change in changed_turns(play(category, changes)):
        [(index, reason)] = turn.reasons.items()
        call, argument = named(reason)
        assert call == change.place
        assert argument == unlike(turn.needed[index], change.calls[call])[0]
        assert index != change.place or argument == change.argument


def named(reason: str) -> tuple[int, str]:
    """The call, counted from 0, and the argument that a reason names."""
    match = re.search(r"arg '([^']+)'.*\(call (\d+)\)$", reason, re.DOTALL)
    assert match is not None, reason
    return int(match[2]) - 1, match[1]
