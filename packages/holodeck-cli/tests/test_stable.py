"""``--stable``: what a deterministic agent does gives the same bytes in every run."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

AGENT = """
import asyncio
from holodeck_core import Reply, ToolCall

async def create(case_name):
    async def answer(text):
        number = int(text.split()[0])
        await asyncio.sleep(0.002 * (12 - number))  # the later a case stands in the file, the sooner it is over
        if number % 5 == 4:
            raise RuntimeError("out of order")
        usage = {"prompt_tokens": number, "completion_tokens": 1}
        return Reply(f"{number / 7}", [ToolCall("look", {"n": number}, [number], duration_ms=number + 0.5)], usage)
    return answer
"""

SUFFIXES = {"json": "json", "xml": "junit", "md": "markdown"}
IDS_AND_TIMES = ("run_id", "session_id", "timestamp")
DURATIONS = ("duration_ms", "execution_time_ms", "evaluation_time_ms", "total_duration_ms")
VARIES = {*IDS_AND_TIMES, *DURATIONS, "cost"}


@pytest.fixture
def suite(tmp_path: Path) -> None:
    (tmp_path / "late_agent.py").write_text(AGENT)
    (tmp_path / "nearness.py").write_text(
        "def near(context): return 0.1 + float(context.agent_response) / 20\n"
    )
    cases: list[dict[str, Any]] = [
        {
            "name": f"case {n}",
            "turns": [
                {
                    "input": f"{n} turn {turn}",
                    "ground_truth": f"{(n - (n == 3)) / 7:.9f}",
                    "expected_tools": [{"name": "look", "args": {"n": n}}],
                }
                for turn in range(2)
            ],
            **({"repeat": 4, "min_pass_rate": 0.5} if n in (2, 3) else {}),
        }
        for n in range(12)
    ]
    agent = {
        "name": "late",
        "model": {"provider": "python", "agent": "late_agent:create"},
        "evaluations": {
            "metrics": [
                {"type": "standard", "metric": "numeric"},
                {"type": "code", "grader": "nearness:near", "name": "near", "threshold": 0},
            ]
        },
        "test_cases": cases,
    }
    (tmp_path / "agent.yaml").write_text(json.dumps(agent))


def without(value: Any) -> Any:
    """JSON without what differs from run to run."""
    if isinstance(value, dict):
        return {key: without(item) for key, item in value.items() if key not in VARIES}
    return [without(item) for item in value] if isinstance(value, list) else value


@pytest.mark.usefixtures("suite")
def test_two_runs_give_the_same_bytes_at_any_number_of_cases_side_by_side(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    shown = []
    for p in (1, 7):
        files = [word for suffix in SUFFIXES for word in ("-o", f"{p}.{suffix}")]
        shown.append(holodeck("test", "-v", "--stable", *files, "-p", str(p)).stdout)
    assert shown[0] == shown[1]
    assert shown[0].splitlines()[0] == "PASS case 0 (2 turns)"
    assert holodeck("report", "-v", "--stable").stdout == shown[0]
    for suffix, name in SUFFIXES.items():
        written = [(tmp_path / f"{p}.{suffix}").read_bytes() for p in (1, 7)]
        assert written[0] == written[1]
        assert holodeck("report", "--stable", "--format", name).stdout.encode() == written[0]
    annotations = [
        holodeck("report", run, "--stable", "--format", "github").stdout for run in ("last", "last~1")
    ]
    assert annotations[0] == annotations[1]
    told = annotations[0] + (tmp_path / "1.md").read_text() + (tmp_path / "1.xml").read_text()
    assert re.findall(r"\d ms\b|\d s\b", told) == []


@pytest.mark.usefixtures("suite")
def test_without_it_two_runs_differ_only_in_ids_times_and_durations(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    for name, *more in (["one", "-p", "1"], ["two", "-p", "7"], ["stable", "--stable"]):
        holodeck("test", "-o", f"{name}.json", *more)
    one, two, stable = [
        json.loads((tmp_path / f"{name}.json").read_bytes()) for name in ("one", "two", "stable")
    ]
    assert one != two
    assert without(one) == without(two) == without(stable)
    assert list(one["summary"]["average_scores"].items()) == list(two["summary"]["average_scores"].items())
    assert (stable["run_id"], stable["timestamp"]) == (None, "1970-01-01T00:00:00Z")


@pytest.mark.usefixtures("suite")
def test_how_to_go_on_with_an_incomplete_run_names_no_id(holodeck: Holodeck) -> None:
    done = holodeck("test", "--stable", "--fail-fast", "-q")
    assert done.stdout.splitlines()[-2:] == [
        "incomplete, 4 of 12 cases finished: 3 passed, 1 failed",
        "resume: holodeck test agent.yaml --resume --run-dir .holodeck/runs",
    ]
    command = done.stdout.splitlines()[-1].removeprefix("resume: holodeck ")
    again = holodeck(*command.split(), "--stable", "-q")
    assert again.stdout.splitlines()[-1] == "resumed: 4 taken over, 8 new"
