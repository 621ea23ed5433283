"""A run that is killed at any moment is taken up again, and its report is that of a run that nobody disturbed.

``HOLODECK_KILLS`` says how many moments are tried, spread evenly over the time of an undisturbed run.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

KILLS = int(os.environ.get("HOLODECK_KILLS", "5"))
CASES = 80 if KILLS <= 10 else 300
PARALLEL = 4
TURN_S = 0.1

AGENT = f"""
import asyncio
from holodeck_core import Reply, ToolCall

class Agent:
    async def send(self, message):
        with open("sent", "a") as log:
            log.write(message.text + "\\n")
        await asyncio.sleep({TURN_S})
        number = int(message.text.split()[1])
        if number % 11 == 10:
            raise RuntimeError(f"case {{number}} is out of order \\u2713")
        return Reply(f"{{number}} \\u540d", [ToolCall("look_up", {{"number": number}}, [number] * (number % 50))])
"""


def write_suite(folder: Path) -> None:
    """Two turns a case; some fail, some end in an error, some have no name, and others all the same one."""
    cases = [
        {
            **({} if number % 5 == 0 else {"name": "same" if number % 5 == 1 else f"case {number}"}),
            "turns": [
                {
                    "input": f"case {number} turn {turn}",
                    "expected_tools": [
                        {"name": "look_up", "args": {"number": 0 if number % 7 == 6 else number}}
                    ],
                }
                for turn in range(2)
            ],
        }
        for number in range(CASES)
    ]
    agent = {
        "name": "desk",
        "model": {"provider": "python", "agent": "kill_agent:Agent"},
        "execution": {"parallel_test_cases": PARALLEL},
        "test_cases": cases,
    }
    folder.mkdir()
    (folder / "agent.yaml").write_text(json.dumps(agent, indent=1))
    (folder / "kill_agent.py").write_text(AGENT)


def settled(value: Any) -> Any:
    """The report without ids and times."""
    if isinstance(value, Mapping):
        return {
            key: settled(item)
            for key, item in value.items()
            if key not in ("run_id", "session_id", "timestamp") and not key.endswith("_ms")
        }
    return [settled(item) for item in value] if isinstance(value, list) else value


def what_is_kept(folder: Path) -> tuple[dict[str, Any] | None, set[int]]:
    """``run.json``, and the cases whose line is complete."""
    head, kept = None, set()
    for run in folder.glob(".holodeck/runs/*"):
        if (run / "run.json").exists():
            head = json.loads((run / "run.json").read_bytes())
        if (run / "results.jsonl").exists():
            lines = (run / "results.jsonl").read_bytes().split(b"\n")
            kept = {json.loads(line)["index"] for line in lines[:-1]}
    return head, kept


def sent(folder: Path) -> list[str]:
    log = folder / "sent"
    return log.read_text().splitlines() if log.exists() else []


@pytest.mark.slow
@pytest.mark.timeout(120 * max(5, KILLS))
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, command: tuple[str, ...]) -> None:
    def holodeck(folder: Path, *args: str) -> int:
        return subprocess.run(
            [*command, *args, "-q", "-o", "report.json"],
            cwd=folder,
            capture_output=True,
            timeout=100,
            check=False,
        ).returncode

    def report_of(folder: Path) -> Any:
        return settled(json.loads((folder / "report.json").read_bytes()))

    write_suite(tmp_path / "undisturbed")
    begun = time.monotonic()
    assert holodeck(tmp_path / "undisturbed", "test") == 1
    whole_time = time.monotonic() - begun
    expected = report_of(tmp_path / "undisturbed")
    assert (expected["complete"], expected["summary"]["total_tests"]) == (True, CASES)

    halfway = 0
    for kill in range(KILLS):
        folder = tmp_path / f"kill {kill}"
        write_suite(folder)
        process = subprocess.Popen(
            [*command, "test"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(whole_time * (kill + 0.5) / KILLS)
        process.send_signal(signal.SIGKILL)
        process.wait()

        head, kept = what_is_kept(folder)
        halfway += 0 < len(kept) < CASES
        before = len(sent(folder))
        if head is not None and head["complete"]:
            assert holodeck(folder, "report") == 0
        else:
            assert holodeck(folder, "test", *([] if head is None else ["--resume"])) == 1
        assert report_of(folder) == expected
        assert {int(text.split()[1]) for text in sent(folder)[before:]} == set(range(CASES)) - kept
        print(f"killed after {len(kept)} of {CASES} cases")
    assert halfway >= KILLS * 4 // 5 - (KILLS < 10)
