"""Agents and graders that blocked the event loop, could not be stopped, or kept the process from its end."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import NoOptions, Reporter, TestReport, TurnFinished, load_suite, run_suite, run_suite_sync
from holodeck_core.engine import time_limits
from holodeck_core.engine.own_loop import run_in_own_loop

Run: TypeAlias = Callable[..., TestReport]
Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

BLOCKING = """
import asyncio, time
from holodeck_core import RateLimited, SessionLost

class Agent:
    async def send(self, message):
        what, _, seconds = message.text.partition(" ")
        if what == "wait":
            await asyncio.sleep(float(seconds))
        elif what == "pause":  # in small pieces: nobody else is held up
            for _ in range(10):
                await asyncio.sleep(float(seconds) / 10)
        else:
            time.sleep(float(seconds))
        if what == "limited":
            raise RateLimited("slow down", retry_after=0)
        if what == "lost":
            raise SessionLost("gone")
        return "ok"
"""


def talk(*texts: str, **execution: Any) -> dict[str, Any]:
    cases = [{"name": text, "input": text, "expected_tools": []} for text in texts]
    return {
        "model": {"provider": "python", "agent": "blocking:Agent"},
        "test_cases": cases,
        "execution": {"llm_timeout": 0.4, **execution},
    }


@pytest.mark.parametrize("text", ["block 0.5", "limited 0.5", "lost 0.5", "wait 0.5"])
def test_a_turn_that_took_too_long_is_a_timeout_whatever_came_back(run: Run, text: str) -> None:
    [result] = run(talk(text), blocking=BLOCKING).results
    assert result.status == "error"
    assert result.errors[0].startswith("no reply within 0.4 s (llm_timeout)")
    assert result.retry_count == 0


@pytest.mark.parametrize(
    ("text", "status"), [("wait 0.3", "passed"), ("pause 0.3", "passed"), ("wait 1.5", "error")]
)
def test_time_that_another_case_blocks_is_not_charged(run: Run, text: str, status: str) -> None:
    report = run(talk(text, "block 0.7", parallel_test_cases=2), blocking=BLOCKING)
    assert [result.status for result in report.results] == [status, "error"]


def test_who_blocks_the_event_loop_is_told_once(write: Write) -> None:
    texts = ["block 1.1", "block 1.2", "block 0.2"]
    run = run_suite(load_suite(write(talk(*texts, llm_timeout=5), blocking=BLOCKING)))
    report = asyncio.run(_whole(run))
    assert report.summary.passed == 3
    [note] = run.notes
    assert note.startswith(
        "the agent blocked the event loop, for up to 1.2 s, so that no other case could go on"
    )
    assert "write `def`" in note


async def _whole(run: Any) -> TestReport:
    report: TestReport = await run
    return report


GRADERS = """
import asyncio, time

async def blocks(turn):
    time.sleep(0.7)
    return True

async def waits(turn):
    await asyncio.sleep(0.3)
    return True

def sync(turn):
    time.sleep(0.3)
    return True

async def stubborn(turn):
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass
"""


def graded(*names: str) -> dict[str, Any]:
    metrics = [
        [{"type": "code", "grader": f"judges:{name}", "timeout_s": 0.5, "name": name}] for name in names
    ]
    return {
        "model": {"provider": "scripted", "replies": [{"reply": "ok"}]},
        "test_cases": [{"input": "hello", "evaluations": listed} for listed in metrics],
        "execution": {"parallel_test_cases": 3},
    }


def test_a_grader_that_blocks_pays_alone(run: Run) -> None:
    report = run(graded("waits", "sync", "blocks"), judges=GRADERS)
    assert [result.status for result in report.results] == ["passed", "passed", "error"]
    assert report.results[2].errors == ["blocks: TimeoutError: timed out after 0.5 s"]


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "GRACE_S", 0.3)


def test_a_grader_that_cannot_be_stopped_is_left_alone(run: Run, short_grace: None) -> None:
    [first, second] = run(graded("stubborn", "waits"), judges=GRADERS).results
    assert (first.status, second.status) == ("error", "passed")
    assert first.errors == ["stubborn: TimeoutError: timed out after 0.5 s"]


STUBBORN = """
import asyncio

async def forever():
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

class Agent:
    def __init__(self, case_name):
        self.case_name = case_name

    async def send(self, message):
        if message.text == "stubborn":
            await forever()
        return "ok"

    async def close(self):
        if self.case_name == "close":
            await forever()

async def make(case_name):
    if case_name == "open":
        await forever()
    return Agent(case_name)
"""


def stubborn(*names: str, **execution: Any) -> dict[str, Any]:
    turns = [{"input": "hello"}, {"input": "stubborn"}, {"input": "hello"}]
    return {
        "model": {"provider": "python", "agent": "stubborn:make"},
        "test_cases": [
            {"name": name, "turns": turns if name == "send" else [{"input": "hello"}]} for name in names
        ],
        "execution": {"llm_timeout": 0.3, **execution},
    }


class Turns(Reporter):
    """Which turns were told."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.told: list[tuple[int, str]] = []

    def turn_finished(self, event: TurnFinished) -> None:
        self.told.append((event.turn_index, event.status))


def test_each_turn_of_a_case_that_is_given_up_is_told_once(
    write: Write, short_grace: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holodeck_core.engine.own_loop.LEFT_OVER_S", 0.3)
    turns = Turns()
    run_suite_sync(load_suite(write(stubborn("send"), stubborn=STUBBORN)), reporters=[turns])
    assert turns.told == [(0, "passed"), (1, "error"), (2, "skipped")]


def test_an_agent_that_cannot_be_stopped_costs_its_own_case(
    run: Run, short_grace: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holodeck_core.engine.case.CLOSE_TIMEOUT_S", 0.3)
    monkeypatch.setattr("holodeck_core.engine.own_loop.LEFT_OVER_S", 0.3)
    started = time.monotonic()
    opening, sending, closing, fine = run(
        stubborn("open", "send", "close", "fine"), stubborn=STUBBORN
    ).results
    assert time.monotonic() - started < 10
    assert (opening.status, sending.status, closing.status, fine.status) == (
        "error",
        "error",
        "passed",
        "passed",
    )
    assert opening.turns is not None
    assert (
        opening.turns[0]
        .errors[0]
        .startswith("no session was opened within 0.3 s (llm_timeout); the agent was ")
    )
    assert sending.turns is not None
    first, second, third = sending.turns
    assert (first.status, second.status, third.status) == ("passed", "error", "skipped")
    assert second.errors[0].startswith(
        "no reply within 0.3 s (llm_timeout); the agent was cancelled and did not stop"
    )
    assert third.errors[0].startswith(
        "not sent: the session was lost in turn 1: the agent was cancelled and did not"
    )
    assert closing.errors[0].startswith(
        "closing the session failed: it was cancelled and did not stop within "
    )


LINGERING = """
import asyncio, concurrent.futures, subprocess, sys, threading, time

async def forever():
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass

class Agent:
    def __init__(self, case_name):
        self.case_name = case_name

    async def send(self, message):
        match self.case_name:
            case "task":
                self.task = asyncio.create_task(forever())
            case "executor":
                asyncio.get_running_loop().run_in_executor(None, time.sleep, 3600)
            case "own executor":
                concurrent.futures.ThreadPoolExecutor().submit(time.sleep, 3600)
            case "to_thread":
                self.task = asyncio.create_task(asyncio.to_thread(time.sleep, 3600))
            case "thread":
                threading.Thread(target=time.sleep, args=(3600,)).start()
        await asyncio.sleep(0)
        return "ok"
"""


def lingering(*names: str) -> dict[str, Any]:
    evaluations = [{"type": "standard", "metric": "equality"}]
    return {
        "model": {"provider": "python", "agent": "lingering:Agent"},
        "test_cases": [
            {"name": name, "input": "hello", "ground_truth": name, "evaluations": evaluations}
            for name in names
        ],
    }


def test_the_process_ends_whatever_the_agent_leaves_behind(
    write: Write, holodeck: Holodeck, tmp_path: Path
) -> None:
    write(lingering("ok", "task", "executor", "own executor", "to_thread", "thread"), lingering=LINGERING)
    started = time.monotonic()
    done = holodeck("test", "-o", "report.json")
    assert time.monotonic() - started < 30
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[-1].startswith("1 passed, 5 failed in ")
    assert json.loads((tmp_path / "report.json").read_text())["complete"] is True


def test_run_suite_sync_returns_whatever_the_agent_leaves_behind(write: Write, tmp_path: Path) -> None:
    write(lingering("ok", "task", "executor", "to_thread"), lingering=LINGERING)
    program = (
        "import os; from holodeck_core import load_suite, run_suite_sync\n"
        "print(run_suite_sync(load_suite('agent.yaml')).summary.passed, flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, timeout=30, check=False
    )
    assert (done.stdout, done.stderr) == (b"1\n", b"")


DEAF = """
import asyncio

class Agent:
    async def send(self, message):
        while True:
            try:
                await asyncio.sleep(3600)
            except:
                pass
"""


def test_the_process_ends_although_the_agent_ignores_the_end_of_its_coroutine(
    write: Write, tmp_path: Path
) -> None:
    agent = {"model": {"provider": "python", "agent": "deaf:Agent"}, "execution": {"llm_timeout": 0.1}}
    write({**agent, "test_cases": [{"input": "hello"}]}, deaf=DEAF)
    program = (
        "from holodeck_core import load_suite, run_suite_sync\n"
        "from holodeck_core.engine import own_loop, time_limits\n"
        "time_limits.GRACE_S = own_loop.LEFT_OVER_S = 0.1\n"
        "print(run_suite_sync(load_suite('agent.yaml')).results[0].status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, timeout=30, check=False
    )
    assert (done.stdout, done.stderr) == (b"error\n", b"")


def test_an_agent_that_cannot_be_stopped_does_not_keep_an_interrupted_run_alive(
    write: Write, short_grace: None
) -> None:
    run = run_suite(load_suite(write(stubborn("send", "fine", llm_timeout=600), stubborn=STUBBORN)))

    async def stopped() -> TestReport:
        waiting = asyncio.ensure_future(_whole(run))
        await asyncio.sleep(0.3)
        run.stop(grace_s=0.1)
        return await asyncio.wait_for(waiting, 5)

    report = run_in_own_loop(stopped())
    assert (report.complete, report.results) == (False, [])


LATE = """
import asyncio
from pathlib import Path

LOG = Path("log")

class Agent:
    async def send(self, message):
        with LOG.open("a") as log:
            log.write(message.text + " ")
        for _ in range(20):
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                pass
        return "late"

    async def close(self):
        with LOG.open("a") as log:
            log.write("closed")
"""


def test_a_session_that_was_given_up_is_sent_nothing_more_and_is_closed_when_it_comes_back(
    run: Run,
    short_grace: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    report = run(
        {
            "model": {"provider": "python", "agent": "late:Agent"},
            "test_cases": [{"turns": [{"input": "one"}, {"input": "two"}]}],
            "execution": {"llm_timeout": 0.2},
        },
        late=LATE,
    )
    assert [turn.status for turn in report.results[0].turns or ()] == ["error", "skipped"]
    assert (tmp_path / "log").read_text() == "one closed"
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
