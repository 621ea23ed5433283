"""Graders of the user's own that fail, hang, leave or say nothing: each state is its own, and costs its own metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from holodeck_core import MetricResult, TestReport

Run: TypeAlias = Callable[..., TestReport]

# (what the grader does, its body, the score, whether it passed, what the reason holds)
SCORED: list[tuple[str, str, float, bool, str]] = [
    ("a low score without a threshold", "return 0.08", 0.08, False, "score 0.08 is below the threshold 0.5"),
    ("the lowest score that passes", "return 0.5", 0.5, True, ""),
    ("nought", "return 0.0", 0.0, False, "score 0 is below the threshold 0.5"),
    ("a whole nought, which is not false", "return 0", 0.0, False, "score 0 is below the threshold 0.5"),
    ("false", "return False", 0.0, False, "the grader returned false"),
    ("true", "return True", 1.0, True, ""),
    ("a verdict against its score", "return GraderResult(0.9, passed=False)", 0.9, False, "the grader says failed"),
]  # fmt: skip

# (what the grader does, its body, what the error holds)
ERRORS: list[tuple[str, str, str]] = [
    (
        "nothing",
        "return None",
        "TypeError: a grader returns GraderResult, bool or a number from 0 to 1, got NoneType",
    ),
    (
        "forgets to return",
        "ctx.agent_response == 'x'",
        "TypeError: a grader returns GraderResult, bool or a number",
    ),
    ("a text", "return 'yes'", 'or a number from 0 to 1, got str "yes"'),
    (
        "a score above one",
        "return 1.5",
        "ValueError: a grader's number is a finite number from 0 to 1, got 1.5",
    ),
    ("no number", "return float('nan')", "ValueError: a grader's number is a finite number"),
    ("an empty result", "return GraderResult(None)", "TypeError: a grader's score is a number"),
    ("raises", "raise Exception('forced')", "Exception: forced"),
    ("raises without words", "raise ValueError", "ValueError"),
    ("fails an assertion", "assert ctx.agent_response == 'x'", "AssertionError"),
    ("leaves the program", "sys.exit(0)", "SystemExit: 0"),
    ("leaves the program in words", "raise SystemExit('stop')", "SystemExit: stop"),
    ("interrupts", "raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("ends an iteration", "raise StopIteration(1)", "StopIteration"),
    ("ends a generator", "raise GeneratorExit", "GeneratorExit"),
    ("cancels", "raise asyncio.CancelledError", "CancelledError"),
    ("recurses", "return grader(ctx)", "RecursionError"),
    ("hangs", "time.sleep(3600)", "TimeoutError: timed out after 1 s"),
    ("changes the evidence", "ctx.turn_config.clear()", "TypeError: this value is evidence"),
]

IMPORTS = "import asyncio, sys, time\nfrom holodeck_core import GraderResult\n"


def _agent(*names: str, turns: int = 1, **keys: Any) -> dict[str, Any]:
    metrics = [
        {"type": "code", "grader": f"graders:{name}", "timeout_s": 1, **keys.get(name, {})} for name in names
    ]
    case = {"name": "graded", "turns": [{"input": f"turn {number}"} for number in range(turns)]}
    return {
        "model": {"provider": "scripted", "replies": [{"reply": "hello"}] * turns},
        "test_cases": [case, {"name": "another", "input": "turn 0", "evaluations": []}],
        "evaluations": {"metrics": metrics},
    }


def _metrics(report: TestReport, turn: int = 0) -> list[MetricResult]:
    turns = report.results[0].turns
    assert turns is not None
    return turns[turn].metric_results


def _write_grader(prefix: str, body: str) -> str:
    if prefix == "async def":
        body = body.replace("time.sleep", "await asyncio.sleep").replace("grader(ctx)", "await grader(ctx)")
    return f"{IMPORTS}{prefix} grader(ctx):\n    {body}\ndef fine(ctx):\n    return True\n"


@pytest.mark.parametrize("prefix", ["def", "async def"])
@pytest.mark.parametrize(("body", "score", "passed", "told"), [row[1:] for row in SCORED],
                         ids=[row[0] for row in SCORED])  # fmt: skip
def test_a_low_score_is_no_error_and_passes_only_from_its_threshold_on(
    run: Run, prefix: str, body: str, score: float, passed: bool, told: str
) -> None:
    report = run(_agent("grader", "fine"), graders=_write_grader(prefix, body))
    found, fine = _metrics(report)
    assert (found.status, found.score, found.passed, found.error) == ("scored", score, passed, None)
    assert told in str(found.reasoning)
    assert fine.passed
    assert [result.status for result in report.results] == ["passed" if passed else "failed", "passed"]


# A coroutine runs on the event loop, where these end more than the grader.
ONLY_IN_A_THREAD = ("interrupts", "ends a generator")
FAILING = [
    pytest.param(prefix, body, told, id=f"{prefix}: {name}")
    for prefix in ("def", "async def")
    for name, body, told in ERRORS
    if prefix == "def" or name not in ONLY_IN_A_THREAD
]


@pytest.mark.parametrize("prefix", ["def", "async def"])
def test_the_reason_says_where_a_grader_went_wrong(run: Run, prefix: str) -> None:
    [found, _] = _metrics(
        run(_agent("grader", "fine"), graders=_write_grader(prefix, "raise ValueError('no')"))
    )
    assert (found.error, found.reasoning) == ("ValueError: no", "ValueError: no (graders.py:4 in grader)")


@pytest.mark.parametrize(("prefix", "body", "told"), FAILING)
def test_a_grader_that_goes_wrong_costs_its_own_metric_and_says_how(
    run: Run, prefix: str, body: str, told: str
) -> None:
    report = run(_agent("grader", "fine"), graders=_write_grader(prefix, body))
    found, fine = _metrics(report)
    assert (found.status, found.score, found.passed) == ("error", 0.0, False)
    assert told in str(found.error)
    assert (fine.status, fine.passed) == ("scored", True)
    assert [result.status for result in report.results] == ["error", "passed"]


@pytest.mark.parametrize(
    ("threshold", "in_force", "passed"),
    [(None, 0.5, False), (0.05, 0.05, True), (0.0, 0.0, True), (0.9, 0.9, False)],
)
def test_the_threshold_in_force_stands_in_the_report(
    run: Run, threshold: float | None, in_force: float, passed: bool
) -> None:
    report = run(
        _agent("grader", grader={"threshold": threshold}), graders="def grader(ctx):\n    return 0.08\n"
    )
    [found] = _metrics(report)
    assert (found.threshold, found.passed) == (in_force, passed)


def test_turns_whose_grader_failed_do_not_make_a_bad_run_look_good(run: Run) -> None:
    source = "def grader(ctx):\n    if ctx.turn_index % 2: raise RuntimeError('judge down')\n    return 0.9\n"
    report = run(_agent("grader", turns=10), graders=source)

    assert [_metrics(report, turn)[0].passed for turn in range(10)] == [True, False] * 5
    [rolled] = report.results[0].metric_results
    assert rolled.passed is False
    assert rolled.score == pytest.approx(0.9)
    assert "over 5 of 10 turns" in str(rolled.reasoning)
    assert report.summary.metric_states == {"grader": {"scored": 5, "error": 5}}
    assert report.summary.metrics_evaluated == {"grader": 5}
    assert (report.summary.passed, report.summary.errored) == (1, 1)


def test_no_score_an_error_and_nought_are_told_apart_in_the_totals(run: Run) -> None:
    source = "def none(ctx): return None\ndef err(ctx): raise ValueError('x')\ndef zero(ctx): return 0.0\n"
    agent = _agent("none", "err", "zero")
    agent["evaluations"]["metrics"].append({"type": "standard", "metric": "equality"})
    report = run(agent, graders=source)
    assert report.summary.metric_states == {
        "none": {"error": 1},
        "err": {"error": 1},
        "zero": {"scored": 1},
        "equality": {"skipped": 1},
    }
    assert report.summary.average_scores == {"zero": 0.0}


@pytest.mark.parametrize("fail_on_error", [False, True])
def test_an_error_ends_its_case_only_where_that_is_asked_for(run: Run, fail_on_error: bool) -> None:
    source = "def boom(ctx): raise Exception('forced')\ndef fine(ctx): return True\n"
    report = run(_agent("boom", "fine", turns=2, boom={"fail_on_error": fail_on_error}), graders=source)
    case, another = report.results
    assert case.turns is not None
    assert [result.metric_name for result in _metrics(report)] == ["boom", "fine"]
    assert [turn.status for turn in case.turns] == ["error", "skipped" if fail_on_error else "error"]
    assert (case.status, another.status) == ("error", "passed")


def test_a_case_without_a_usable_metric_is_no_success_with_a_score_of_nought(run: Run) -> None:
    metric = {"type": "standard", "metric": "equality"}
    cases: list[dict[str, Any]] = [
        {"name": "no-metrics"},
        {"name": "gt-only", "ground_truth": "x"},
        {"name": "switched off", "ground_truth": "x", "evaluations": [{**metric, "enabled": False}]},
        {"name": "scored", "ground_truth": "hi", "evaluations": [metric]},
    ]
    cases = [{**case, "input": "hi"} for case in cases]
    report = run({"model": {"provider": "scripted", "replies": [{"reply": "hi"}]}, "test_cases": cases})
    assert [result.checked for result in report.results] == [False, False, False, True]
    assert (report.summary.passed, report.summary.unchecked) == (4, 3)
    assert report.summary.average_scores == {"equality": 1.0}
