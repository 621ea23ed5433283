"""The verdicts of another evaluator of trajectories are HoloDeck's, where its modes can be said in HoloDeck's words."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from trajectories import Message, Trajectory, read_trajectories, turns_of

from holodeck_core import TestReport, TestResult

# There is no way to say that a call may be made or not, and that no other may be made.
_MAY_BE_MISSING = (
    "`subset` lets a call of the reference be missing; an expected tool has a `count` of at least 1"
)
CANNOT_BE_SAID = {
    ("test_trajectory_subset_tool_call", "subset"): _MAY_BE_MISSING,
    ("test_trajectory_with_subset_tool_calls_and_override", "subset"): _MAY_BE_MISSING,
}

Side: TypeAlias = Callable[[Trajectory], list[Message]]
Replay: TypeAlias = Callable[[list[Trajectory], Side, Side], dict[str, TestResult]]


@pytest.fixture
def trajectories(corpus: Callable[[str], Path]) -> list[Trajectory]:
    return read_trajectories(corpus("agentevals/trajectory_cases.jsonl"))


@pytest.fixture
def replay(run: Callable[..., TestReport]) -> Replay:
    """Replays one side of each trajectory, where the calls of the other are expected; the results by name."""

    def replay(trajectories: list[Trajectory], played: Side, expected: Side) -> dict[str, TestResult]:
        report = run(
            {"model": {"provider": "replay", "file": "recorded.jsonl"}},
            [{"name": each.name, "turns": turns_of(each, expected(each))} for each in trajectories],
            {"recorded.jsonl": [{"id": each.name, "messages": played(each)} for each in trajectories]},
        )
        assert not any(result.errors for result in report.results)
        return {str(result.test_name): result for result in report.results}

    return replay


def outputs(trajectory: Trajectory) -> list[Message]:
    return trajectory.outputs


def reference(trajectory: Trajectory) -> list[Message]:
    return trajectory.reference


def why_it_cannot_be_said(trajectory: Trajectory) -> str | None:
    return CANNOT_BE_SAID.get((trajectory.name.partition("[")[0], trajectory.mode))


def test_the_verdicts_are_the_recorded_ones(trajectories: list[Trajectory], replay: Replay) -> None:
    results = replay(trajectories, outputs, reference)
    assert len(results) == 28
    recorded = {each.name: each.passes for each in trajectories if why_it_cannot_be_said(each) is None}
    assert len(recorded) == 28 - len(CANNOT_BE_SAID)
    assert {name: results[name].passed for name in recorded} == recorded


def test_what_cannot_be_said_fails_for_the_missing_call_alone(
    trajectories: list[Trajectory], replay: Replay
) -> None:
    others = [each for each in trajectories if why_it_cannot_be_said(each)]
    assert len(others) == len(CANNOT_BE_SAID)
    for result in replay(others, outputs, reference).values():
        assert result.turns is not None
        [turn] = result.turns
        [missing] = filter(None, (detail["unmatched_reason"] for detail in turn.arg_match_details or ()))
        assert "was not expected" not in missing
    assert all(each.passes for each in others)


def test_a_subset_is_a_superset_seen_from_the_other_side(
    trajectories: list[Trajectory], replay: Replay
) -> None:
    """Where the reference is replayed, and the calls that were made are expected, nothing is missing."""
    subsets = [each._replace(mode="superset") for each in trajectories if each.mode == "subset"]
    assert len(subsets) == 11
    results = replay(subsets, reference, outputs)
    assert {name: result.passed for name, result in results.items()} == {
        each.name: each.passes for each in subsets
    }
