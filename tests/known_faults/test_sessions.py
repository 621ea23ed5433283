"""Conversations that leaked into each other, were cut in two, or were judged by what another turn had said."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import TestReport

Run: TypeAlias = Callable[..., TestReport]

EQUALITY = [{"type": "standard", "metric": "equality"}]

# Answers from its history where it can, as language models like to do.
FORGETFUL = """
from holodeck_core import Reply, ToolCall

class Agent:
    def __init__(self):
        self.history = []

    async def send(self, message):
        known = message.text in self.history
        self.history.append(message.text)
        return Reply("shipped", [] if known else [ToolCall("get_status", {"order": "A1"})])
"""

RECALLING = """
class Agent:
    def __init__(self):
        self.heard = []

    def send(self, message):
        self.heard.append(message.text)
        return next((word for text in reversed(self.heard) for word in text.split() if word.isdigit()), "none")
"""


@pytest.mark.parametrize("parallel", [1, 2, 4])
def test_a_case_does_not_pass_by_the_history_of_another(run: Run, parallel: int) -> None:
    cases = [
        {"name": name, "turns": [{"input": "Order status of A1?", "expected_tools": ["get_status"]}]}
        for name in ("first", "second", "third", "fourth")
    ]
    report = run(
        {
            "model": {"provider": "python", "agent": "forgetful:Agent"},
            "test_cases": cases,
            "execution": {"parallel_test_cases": parallel},
        },
        forgetful=FORGETFUL,
    )
    assert [result.tool_calls for result in report.results] == [["get_status"]] * 4
    assert report.summary.passed == 4
    assert len({result.session_id for result in report.results}) == 4


def test_the_history_of_the_same_case_is_there(run: Run) -> None:
    turn = {"input": "Order status of A1?", "expected_tools": ["get_status"]}
    report = run(
        {
            "model": {"provider": "python", "agent": "forgetful:Agent"},
            "test_cases": [{"turns": [turn, {**turn, "expected_tools": []}]}],
        },
        forgetful=FORGETFUL,
    )
    assert report.summary.passed == 1


def test_the_turns_of_a_case_are_one_conversation(run: Run) -> None:
    cases = [
        {
            "turns": [
                {"input": f"Remember the code {code}"},
                {"input": "Is it raining?"},
                {"input": "What was the code?", "ground_truth": code, "evaluations": EQUALITY},
            ]
        }
        for code in ("7391", "1937")
    ]
    report = run(
        {"model": {"provider": "python", "agent": "recalling:Agent"}, "test_cases": cases},
        recalling=RECALLING,
    )
    assert [result.status for result in report.results] == ["passed", "passed"]
    assert all(result.session_id for result in report.results)


FAILING = """
from holodeck_core import AgentError, Reply, SessionLost, ToolCall

FIRST = Reply("first answer", [ToolCall("find", {"q": 1})], {"prompt_tokens": 12, "completion_tokens": 3})

def agent():
    replies = iter([FIRST, AgentError("401: no such key"), FIRST])

    def send(text):
        reply = next(replies)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return send
"""


def test_a_failed_turn_is_not_judged_by_the_answer_before_it(run: Run) -> None:
    turn = {"ground_truth": "first answer", "expected_tools": ["find"], "evaluations": EQUALITY}
    report = run(
        {
            "model": {"provider": "python", "agent": "failing:agent"},
            "test_cases": [{"turns": [{"input": text, **turn} for text in ("one", "two", "three")]}],
        },
        failing=FAILING,
    )
    [result] = report.results
    assert result.turns is not None
    first, second, third = result.turns
    assert (first.status, second.status, third.status) == ("passed", "error", "passed")
    assert second.response is None
    assert second.tool_invocations == []
    assert second.tools_matched is None
    assert second.metric_results == []
    assert second.token_usage is None
    assert second.errors == ["AgentError: 401: no such key"]
    assert result.token_usage is not None
    assert (result.token_usage.prompt_tokens, result.token_usage.partial) == (24, True)
    assert result.status == "error"


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        ("lost", "skipped", "the session was lost in turn 0"),
        ("boom", "passed", ""),
        ("timeout", "passed", ""),
    ],
)
def test_a_turn_without_an_answer_is_neither_a_success_nor_missing(
    run: Run, error: str, status: str, told: str
) -> None:
    turns = [
        {"input": "one", "ground_truth": "1", "expected_tools": []},
        {"input": "two", "ground_truth": "2", "expected_tools": []},
    ]
    report = run(
        {
            "model": {"provider": "scripted", "replies": [{"reply": "1", "error": error}, {"reply": "2"}]},
            "evaluations": {"metrics": EQUALITY},
            "test_cases": [{"name": "short-run", "turns": turns}],
            "execution": {"llm_timeout": 0.5},
        }
    )
    [result] = report.results
    assert result.turns is not None
    assert [turn.status for turn in result.turns] == ["error", status]
    assert told in "".join(result.turns[1].errors)
    assert not result.passed
    assert (report.summary.passed, report.summary.failed, report.summary.errored) == (0, 1, 1)


BUSY = """
import asyncio
from pathlib import Path

class Agent:
    async def send(self, message):
        name, delay = message.text.split()
        if name == "raises":
            raise RuntimeError("at once")
        await asyncio.sleep(float(delay))
        Path(__file__).with_name(f"{name}.done").touch()
        return "done"
"""


def test_the_failure_of_one_case_throws_away_no_other_and_leaves_none_behind(
    run: Run, tmp_path: Path
) -> None:
    inputs = ["raises 0", *(f"case{number} 0.2" for number in range(1, 10))]
    report = run(
        {
            "model": {"provider": "python", "agent": "busy:Agent"},
            "evaluations": {"metrics": EQUALITY},
            "test_cases": [{"input": text, "ground_truth": "done"} for text in inputs],
            "execution": {"parallel_test_cases": 10},
        },
        busy=BUSY,
    )
    assert [result.status for result in report.results] == ["error", *["passed"] * 9]
    assert len(list(tmp_path.glob("*.done"))) == 9


def test_what_runs_out_of_time_does_not_go_on_behind_the_run(run: Run, tmp_path: Path) -> None:
    report = run(
        {
            "model": {"provider": "python", "agent": "busy:Agent"},
            "test_cases": [{"input": "late 1.2"}, {"input": "good 0"}],
            "execution": {"parallel_test_cases": 2, "llm_timeout": 0.5},
        },
        busy=BUSY,
    )
    assert [result.status for result in report.results] == ["error", "passed"]
    time.sleep(1)
    assert [path.name for path in tmp_path.glob("*.done")] == ["good.done"]


@pytest.mark.parametrize("parallel", [1, 2, 3, 50])
def test_results_stand_in_the_order_of_the_file_whatever_finishes_first(run: Run, parallel: int) -> None:
    delays = {"slow": 0.12, "mid": 0.06, "fast": 0.0}
    agent = {
        "model": {
            "provider": "scripted",
            "replies": [{"input": name, "reply": name, "delay": delay} for name, delay in delays.items()],
        },
        "evaluations": {"metrics": EQUALITY},
        "test_cases": [{"name": name, "input": name, "ground_truth": name} for name in delays],
        "execution": {"parallel_test_cases": parallel},
    }
    reports = [run(agent) for _ in range(2)]
    assert [result.test_name for result in reports[0].results] == ["slow", "mid", "fast"]
    first, second = (_without_times(report.model_dump(mode="json")) for report in reports)
    assert first == second


def _without_times(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    if not isinstance(value, dict):
        return value
    changing = ("timestamp", "run_id", "session_id")
    return {
        key: _without_times(item)
        for key, item in value.items()
        if key not in changing and not key.endswith("_ms")
    }
