"""Suites of any size for the benchmarks: sums, an agent that adds at once, cases in JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_AGENT_FILE = """\
name: sums
model: {{provider: python, agent: "sums_agent:create"}}
evaluations:
  metrics: [{{type: standard, metric: numeric}}]
execution: {{parallel_test_cases: {parallel}}}
test_cases_file: cases.jsonl
"""

ADDER = """\
from holodeck_core import Reply, ToolCall


class Adder:
    async def send(self, message):
        a, b = map(int, message.text.split(" + "))
        return Reply(str(a + b), [ToolCall("add", {"a": a, "b": b}, a + b)])


async def create():  # an async factory is called on the event loop, a class in a worker thread
    return Adder()
"""


def write_suite(
    folder: Path, cases: int, turns: int | None = None, *, agent: str = ADDER, parallel: int = 8
) -> Path:
    """Write ``agent.yaml``, the module of its agent, and its cases, of one ``input`` or of that many ``turns``; each
    turn has a ground truth and one expected tool with two arguments. Returns the agent file."""
    (folder / "sums_agent.py").write_text(agent)
    file = folder / "agent.yaml"
    file.write_text(_AGENT_FILE.format(parallel=parallel))
    with (folder / "cases.jsonl").open("w") as lines:
        for a in range(cases):
            asked = _turn(a, 1) if turns is None else {"turns": [_turn(a, b) for b in range(turns)]}
            lines.write(json.dumps({"name": f"sum {a}", **asked}) + "\n")
    return file


def _turn(a: int, b: int) -> dict[str, Any]:
    return {
        "input": f"{a} + {b}",
        "ground_truth": str(a + b),
        "expected_tools": [{"name": "add", "args": {"a": a, "b": b}}],
    }
