"""Trying again: what is tried, how often, after how long."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from holodeck_core import RateLimited, SessionLost, TransientError, run_suite
from holodeck_core.engine.pace import wait_before


@pytest.mark.parametrize(
    ("attempt", "retry_after", "jitter", "wait"),
    [
        (1, None, 0.0, 1),
        (1, None, 1.0, 1),
        (2, None, 0.0, 1),
        (2, None, 1.0, 2),
        (3, None, 0.0, 2),
        (3, None, 1.0, 4),
        (6, None, 1.0, 30),
        (900, None, 1.0, 30),
        (1, 0.25, 1.0, 0.25),
        (1, 0.0, 1.0, 0),
        (1, -3.0, 1.0, 1),
        (1, 60.0, 1.0, 60),
    ],
)
def test_waits_double_up_to_thirty_seconds_and_a_requested_wait_is_honoured(
    attempt: int, retry_after: float | None, jitter: float, wait: float
) -> None:
    assert wait_before(attempt, TransientError("", retry_after), lambda: jitter) == pytest.approx(wait)


def test_a_requested_wait_over_a_minute_ends_the_turn() -> None:
    assert wait_before(1, RateLimited("", 86_400)) == (
        "the provider asks to wait 86400 s, and the longest wait is 60 s"
    )


def flaky(*faults: BaseException | None) -> Any:
    """An agent that raises these, one a call, and answers for each None and after the last."""
    left = list(faults)

    def talk(text: str) -> str:
        fault = left.pop(0) if left else None
        if fault is not None:
            raise fault
        return text

    return talk


SOON = 0.01


@pytest.mark.parametrize(
    ("faults", "retries", "status", "counted", "error"),
    [
        ([TransientError("busy", SOON)], 2, "passed", 1, None),
        ([TransientError("busy", SOON)] * 2, 2, "passed", 2, None),
        (
            [TransientError("busy", SOON)] * 3,
            2,
            "error",
            2,
            "TransientError: busy (given up after 3 attempts)",
        ),
        ([RateLimited("slow", SOON)] * 2, 2, "passed", 2, None),
        ([TransientError("busy", SOON)], 0, "error", 0, "TransientError: busy"),
        ([TransientError("busy", 90)], 2, "error", 0, "TransientError: busy (the provider asks to wait 90 s"),
        ([ValueError("bad request")], 2, "error", 0, "ValueError: bad request"),
        ([SessionLost("gone")], 2, "error", 0, "the session was lost: gone"),
    ],
)
async def test_only_transient_errors_are_tried_again_and_retries_are_counted(
    suite_of: Any,
    turn: Any,
    faults: list[BaseException],
    retries: int,
    status: str,
    counted: int,
    error: str | None,
) -> None:
    report = await run_suite(suite_of(flaky(*faults), [turn("hello")], retries=retries))
    result = report.results[0]
    assert result.turns is not None
    assert (result.turns[0].status, result.turns[0].retry_count) == (status, counted)
    assert result.retry_count == counted
    assert (result.turns[0].errors[0].startswith(error) if error else not result.turns[0].errors) is True


async def test_a_provider_that_asks_to_slow_down_holds_up_every_case(suite_of: Any, turn: Any) -> None:
    sent: list[tuple[str, float]] = []

    async def talk(text: str) -> str:
        await asyncio.sleep(0)
        sent.append((text, time.monotonic()))
        if len(sent) == 1:
            raise RateLimited("slow down", 0.3)
        return text

    turns = [[turn(f"{case}.{number}") for number in range(2)] for case in range(3)]
    report = await run_suite(suite_of(talk, *turns, parallel=3))
    assert report.summary.passed == 3
    first = sent[0][1]
    second_turns = [moment for text, moment in sent if text.endswith(".1")]
    assert min(second_turns) - first >= 0.29


async def test_a_rate_limit_of_one_case_leaves_the_results_of_the_others(suite_of: Any, turn: Any) -> None:
    def talk(text: str) -> str:
        if text == "2":
            raise RateLimited("no more today", 3600)
        return text

    report = await run_suite(suite_of(talk, *[[turn(str(number))] for number in range(5)], parallel=2))
    assert [result.status for result in report.results] == ["passed", "passed", "error", "passed", "passed"]
