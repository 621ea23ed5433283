"""Runs that lost what had finished when they were interrupted, did not stop, or looked whole and were not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
Start: TypeAlias = Callable[..., "subprocess.Popen[bytes]"]

SLOW = """
import asyncio, pathlib

class Agent:
    async def send(self, message):
        with open("sent", "a") as log:
            log.write(message.text + "\\n")
        if pathlib.Path("slow").exists() and int(message.text) >= int(pathlib.Path("slow").read_text()):
            await asyncio.sleep(120)
        return "done"
"""


def _agent(count: int, **more: Any) -> dict[str, Any]:
    return {
        "model": {"provider": "python", "agent": "slow_agent:Agent"},
        "test_cases": [{"name": "the same", "input": str(number)} for number in range(count)],
        **more,
    }


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts ``holodeck``; whatever still runs at the end is killed."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(*args: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "holodeck_cli", *args],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def sent(tmp_path: Path) -> Callable[[], list[int]]:
    """Which messages the agent was sent, in order."""

    def sent() -> list[int]:
        log = tmp_path / "sent"
        return [int(line) for line in log.read_text().split()] if log.exists() else []

    return sent


def _wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _report(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "terminated"]
)
@pytest.mark.parametrize("parallel", [1, 4], ids=["one by one", "side by side"])
def test_what_had_finished_before_a_signal_is_in_the_report_and_runs_no_more(
    write: Write,
    holodeck: Holodeck,
    start: Start,
    sent: Any,
    tmp_path: Path,
    number: int,
    code: int,
    parallel: int,
) -> None:
    write(_agent(20), slow_agent=SLOW)
    (tmp_path / "slow").write_text("5")
    process = start("test", "-o", "report.json", "-p", str(parallel))
    _wait_until(lambda: len(sent()) == 5 + parallel)
    process.send_signal(number)
    assert process.wait(timeout=15) == code
    report = _report(tmp_path)
    assert (report["complete"], report["summary"]["passed"]) == (False, 5)
    assert [result["index"] for result in report["results"]] == [0, 1, 2, 3, 4]
    assert len(sent()) == 5 + parallel  # no case was started after the signal

    (tmp_path / "slow").unlink()
    (tmp_path / "sent").unlink()
    assert holodeck("test", "--resume", "-o", "report.json").returncode == 0
    assert sorted(sent()) == list(range(5, 20))  # names are the same everywhere: they are no key
    assert [result["index"] for result in _report(tmp_path)["results"]] == list(range(20))


def test_a_second_signal_ends_at_once_and_what_had_finished_can_be_read(
    write: Write, holodeck: Holodeck, start: Start, sent: Any, tmp_path: Path
) -> None:
    write(_agent(20), slow_agent=SLOW)
    (tmp_path / "slow").write_text("5")
    process = start("test", "-o", "report.json")
    _wait_until(lambda: len(sent()) == 6)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=15) == 130
    assert time.monotonic() - begun < 3
    assert not (tmp_path / "report.json").exists()
    assert holodeck("report", "-o", "report.json").returncode == 0
    report = _report(tmp_path)
    assert (report["complete"], len(report["results"])) == (False, 5)


CRASHING = """
import os

replace = os.replace

def crash(source, target, **more):
    name = os.path.basename(target)
    if name == {name!r} and (not os.path.exists("count") or open("count").read() == "0"):
        os.kill(os.getpid(), 9)
    if name == {name!r}:
        count = int(open("count").read())
        open("count", "w").write(str(count - 1))
    replace(source, target, **more)

os.replace = crash

def agent():
    return lambda text: "done"
"""


@pytest.mark.parametrize(
    ("name", "before", "kept"),
    [
        pytest.param("run.json", 0, False, id="before the run is described"),
        pytest.param("run.json", 1, True, id="before the number of cases is known"),
        pytest.param("run.json", 2, True, id="before the end is noted"),
        pytest.param("report.json", 0, True, id="before the report is in its place"),
    ],
)
def test_a_crash_between_writing_and_replacing_leaves_the_old_file_or_the_new_one(
    write: Write, holodeck: Holodeck, tmp_path: Path, name: str, before: int, kept: bool
) -> None:
    agent = {
        "model": {"provider": "python", "agent": "crashing:agent"},
        "test_cases": [{"input": str(number)} for number in range(3)],
    }
    write(agent, crashing=CRASHING.format(name=name))
    (tmp_path / "report.json").write_text('{"old": true}')
    (tmp_path / "count").write_text(str(before))
    assert holodeck("test", "-o", "report.json").returncode == -signal.SIGKILL
    report = _report(tmp_path)
    assert report == {"old": True} or (report["complete"] and len(report["results"]) == 3)
    heads = [json.loads(path.read_text()) for path in tmp_path.glob(".holodeck/runs/*/run.json")]
    assert [head["complete"] for head in heads] == ([False] if kept else [])

    (tmp_path / "count").write_text("99")
    done = holodeck("test", "-o", "report.json", *(["--resume"] if heads else []))
    assert done.returncode == 0, done.stderr
    assert (_report(tmp_path)["complete"], len(_report(tmp_path)["results"])) == (True, 3)


@pytest.mark.parametrize("word", [[], ["last"]], ids=["by itself", "by its name"])
def test_a_run_whose_results_are_gone_does_not_look_finished(
    write: Write, holodeck: Holodeck, sent: Any, tmp_path: Path, word: list[str]
) -> None:
    write(_agent(3), slow_agent=SLOW)
    assert holodeck("test").returncode == 0
    [journal] = tmp_path.glob(".holodeck/runs/*/results.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:1]))
    assert "incomplete, 1 of 3 cases finished: 1 passed, 0 failed" in holodeck("report").stdout
    assert holodeck("report", "-o", "report.json").returncode == 0
    assert (_report(tmp_path)["complete"], len(_report(tmp_path)["results"])) == (False, 1)
    os.unlink(tmp_path / "sent")
    assert holodeck("test", "--resume", *word, "-o", "report.json").returncode == 0
    assert sent() == [1, 2]
    assert (_report(tmp_path)["complete"], len(_report(tmp_path)["results"])) == (True, 3)
