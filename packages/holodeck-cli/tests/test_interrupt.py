"""Ctrl-C and SIGTERM: what has finished is reported, and the exit code says why it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Launch: TypeAlias = Callable[..., "subprocess.Popen[str]"]

AGENT = """
import asyncio, time

def begun():
    with open("begun", "a") as file:
        file.write("x")

class Waits:
    async def send(self, message):
        if message.text == "long":
            begun()
            await asyncio.sleep(60)
        return "done"

    async def close(self):
        with open("closed", "a") as file:
            file.write("x")

class Soon:
    async def send(self, message):
        if message.text == "long":
            begun()
            await asyncio.sleep(0.5)
        return "done"

class Blocks:
    async def send(self, message):
        if message.text == "long":
            begun()
            time.sleep(60)
        return "done"
"""


@pytest.fixture
def begin(tmp_path: Path, launch: Launch) -> Launch:
    """Start a run of two short cases and three long ones.

    Returns when the short ones are over, and as many long ones as there can be have begun.
    """
    (tmp_path / "agents.py").write_text(AGENT)

    def start(agent: str, parallel: int = 1) -> subprocess.Popen[str]:
        cases = [{"name": text, "input": text} for text in ("short", "short", "long", "long", "long")]
        config = {
            "name": "a",
            "model": {"provider": "python", "agent": f"agents:{agent}"},
            "test_cases": cases,
        }
        (tmp_path / "agent.yaml").write_text(json.dumps({**config, "execution": {"llm_timeout": 120}}))
        process = launch("test", "-o", "report.json", "-p", str(parallel))
        assert process.stdout is not None
        assert [process.stdout.readline()[:4] for _ in range(2)] == ["PASS", "PASS"]
        wait_for(tmp_path / "begun", min(parallel, 3))
        return process

    return start


def wait_for(path: Path, size: int = 0) -> None:
    end = time.monotonic() + 30
    while not path.exists() or path.stat().st_size < size:
        assert time.monotonic() < end, f"{path.name} is not there"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("number", "code", "parallel"), [(signal.SIGINT, 130, 1), (signal.SIGTERM, 143, 5)], ids=["int", "term"]
)
def test_the_first_signal_ends_the_run_with_a_report_of_what_finished(
    begin: Launch, tmp_path: Path, number: int, code: int, parallel: int
) -> None:
    process = begin("Waits", parallel)
    process.send_signal(number)
    shown, told = process.communicate(timeout=10)
    assert process.returncode == code
    assert "Traceback" not in told
    assert "incomplete, 2 of 5 cases finished: 2 passed, 0 failed" in shown
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["complete"] is False
    assert [result["test_name"] for result in report["results"]] == ["short", "short"]
    assert report["summary"]["total_tests"] == 2
    sessions = 2 + min(parallel, 3)
    assert len((tmp_path / "closed").read_text()) == sessions


def test_a_case_that_finishes_soon_after_the_first_signal_is_in_the_report(
    begin: Launch, tmp_path: Path
) -> None:
    process = begin("Soon")
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "incomplete, 3 of 5 cases finished: 3 passed, 0 failed" in shown
    assert len(json.loads((tmp_path / "report.json").read_text())["results"]) == 3


def test_a_signal_that_comes_twice_at_once_is_one(begin: Launch, tmp_path: Path) -> None:
    """What starts HoloDeck (``timeout``, ``npm``) hands on a Ctrl-C that the terminal has sent already."""
    process = begin("Soon")
    process.send_signal(signal.SIGINT)
    time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["complete"], len(report["results"])) == (False, 3)


def test_the_second_signal_ends_at_once_and_the_old_report_stays_whole(begin: Launch, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"old": true}')
    process = begin("Blocks")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert json.loads((tmp_path / "report.json").read_text()) == {"old": True}


def test_one_signal_ends_a_run_whose_agent_blocks_the_loop_for_ever(begin: Launch, tmp_path: Path) -> None:
    process = begin("Blocks")
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 143
    assert told.splitlines()[-2:] == [
        "stopping: something blocks the event loop, and has 5 s to let go of it; Ctrl-C again ends at once",
        "ended without reports, since something blocked the event loop; 'holodeck report' shows what had finished",
    ]
    [results] = tmp_path.glob(".holodeck/runs/*/results.jsonl")
    assert len(results.read_bytes().splitlines()) == 2


def test_ctrl_c_while_a_report_is_written_lets_it_be_written(launch: Launch, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, replies: [{reply: hi}]}\n"
        "test_cases: [{input: hi, expected_tools: []}]\n"
    )
    process = launch("test", "--format", "json", "-o", "pipe")
    assert process.stdout is not None
    assert [process.stdout.readline()[:6] for _ in range(2)] == ["PASS c", "1 pass"]
    process.send_signal(signal.SIGINT)  # the report waits for a reader of the pipe
    assert process.stdout.readline() == "stopping: cases under way have 5 s; Ctrl-C again ends at once\n"
    report = json.loads((tmp_path / "pipe").read_text())
    _, told = process.communicate(timeout=10)
    assert (process.returncode, told) == (130, "")
    assert report["complete"] is True
    assert len(report["results"]) == 1


def test_ctrl_c_while_loading_ends_with_130(launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "slow_import.py").write_text("import time\nopen('loading', 'w')\ntime.sleep(60)\n")
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'slow_import:agent'}\ntest_cases: [{input: hi}]\n"
    )
    process = launch("test")
    wait_for(tmp_path / "loading")
    assert process.stderr is not None
    assert process.stderr.readline() == "checking agent.yaml ...\n"
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=10)
    assert (process.returncode, told) == (130, "interrupted\n")
