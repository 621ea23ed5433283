"""Ctrl-C and SIGTERM: what has finished is reported, and the exit code says why it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

Start: TypeAlias = Callable[..., "subprocess.Popen[str]"]

AGENT = """
import asyncio, time

class Waits:
    async def send(self, message):
        await asyncio.sleep(float(message.text))
        return "done"

    async def close(self):
        with open("closed", "a") as file:
            file.write("x")

class Blocks:
    async def send(self, message):
        time.sleep(float(message.text))
        return "done"
"""


@pytest.fixture
def start(tmp_path: Path, command: tuple[str, ...]) -> Iterator[Start]:
    """Start a run of five cases: two take no time, three a minute. Returns when the third has begun."""
    (tmp_path / "agents.py").write_text(AGENT)
    processes: list[subprocess.Popen[str]] = []

    def begin(agent: str, *args: str) -> subprocess.Popen[str]:
        cases = [{"name": f"case {seconds}", "input": seconds} for seconds in ("0", "0", "60", "60", "60")]
        config = {
            "name": "a",
            "model": {"provider": "python", "agent": f"agents:{agent}"},
            "test_cases": cases,
        }
        (tmp_path / "agent.yaml").write_text(json.dumps({**config, "execution": {"llm_timeout": 120}}))
        process = subprocess.Popen(
            [*command, "test", "-o", "report.json", *args],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        processes.append(process)
        assert process.stdout is not None
        assert [process.stdout.readline()[:4] for _ in range(2)] == ["PASS", "PASS"]
        time.sleep(0.2)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
@pytest.mark.parametrize("parallel", ["1", "5"])
def test_the_first_signal_ends_the_run_with_a_report_of_what_finished(
    start: Start, tmp_path: Path, number: int, code: int, parallel: str
) -> None:
    process = start("Waits", "-p", parallel)
    process.send_signal(number)
    shown, told = process.communicate(timeout=10)
    assert process.returncode == code
    assert "Traceback" not in told
    assert "interrupted, 2 of 5 cases finished: 2 passed, 0 failed" in shown
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["complete"] is False
    assert [result["test_name"] for result in report["results"]] == ["case 0", "case 0"]
    assert report["summary"]["total_tests"] == 2
    assert len((tmp_path / "closed").read_text()) == (3 if parallel == "1" else 5)


def test_the_second_signal_ends_at_once_and_the_old_report_stays_whole(start: Start, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"old": true}')
    process = start("Blocks")
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert json.loads((tmp_path / "report.json").read_text()) == {"old": True}


def test_ctrl_c_while_a_report_is_written_lets_it_be_written(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, replies: [{reply: hi}]}\ntest_cases: [{input: hi}]\n"
    )
    process = subprocess.Popen(
        [*command, "test", "--format", "json", "-o", "pipe"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert [process.stdout.readline()[:6] for _ in range(2)] == ["PASS c", "1 pass"]
    time.sleep(0.2)  # the report waits for a reader of the pipe
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopping; Ctrl-C again ends at once\n"
    report = json.loads((tmp_path / "pipe").read_text())
    _, told = process.communicate(timeout=10)
    assert (process.returncode, told) == (130, "")
    assert report["complete"] is True
    assert len(report["results"]) == 1


def test_ctrl_c_while_loading_ends_with_130(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "slow_import.py").write_text("import time\nopen('loading', 'w')\ntime.sleep(60)\n")
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'slow_import:agent'}\ntest_cases: [{input: hi}]\n"
    )
    process = subprocess.Popen(
        [*command, "test"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    while not (tmp_path / "loading").exists():
        time.sleep(0.05)
    time.sleep(1.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=10)
    assert process.returncode == 130
    assert told == "checking agent.yaml ...\ninterrupted\n"
