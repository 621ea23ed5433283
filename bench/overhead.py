"""What the engine costs a turn, against a bare loop and a script written by hand, in one run.

    python bench/overhead.py [--cases 10000]

Three ways to send the same turns to the same agent, which answers at once: (a) the bare loop: one task a case under a
semaphore, ``await send`` with one ``sleep(0)`` in it, a comparison with ``==``, one JSON line a case; (b) a script with
the same calls and the same checks as the suite (a number within a tolerance, one expected tool with two arguments) and
one JSON line a case; (c) ``run_suite`` with the ``python`` provider, ``numeric`` and ``expected_tools``. Printed is the
CPU time of this process a turn, in microseconds, and the ratios of the same run. Loading is not part of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from holodeck_core import Reply, ToolCall, UserMessage, load_suite, run_suite

PARALLEL = 8
TURNS = 2

AGENT_MODULE = """
from holodeck_core import Reply, ToolCall
import asyncio


class Adder:
    async def send(self, message):
        await asyncio.sleep(0)
        a, b = message.text.split(" + ")
        total = int(a) + int(b)
        return Reply(str(total), [ToolCall("add", {"a": int(a), "b": int(b)}, total)])


async def create():  # an async factory is called on the event loop, a class in a worker thread
    return Adder()
"""

AGENT_FILE = """
name: overhead
model: {provider: python, agent: "overhead_agent:create"}
evaluations:
  metrics:
    - {type: standard, metric: numeric}
execution: {parallel_test_cases: %d}
test_cases:
"""

CASE = """
  - turns:
      - {{input: "{a} + 1", ground_truth: {one}, expected_tools: [{{name: add, args: {{a: {a}, b: 1}}}}]}}
      - {{input: "{a} + 2", ground_truth: {two}, expected_tools: [{{name: add, args: {{a: {a}, b: 2}}}}]}}
"""


class Adder:
    """The agent of (a) and (b): the same as the suite's."""

    async def send(self, message: UserMessage) -> Reply:
        await asyncio.sleep(0)
        a, b = message.text.split(" + ")
        total = int(a) + int(b)
        return Reply(str(total), [ToolCall("add", {"a": int(a), "b": int(b)}, total)])


async def bare_loop(cases: int, folder: Path) -> None:
    """(a)"""
    limit = asyncio.Semaphore(PARALLEL)
    with (folder / "bare.jsonl").open("w") as lines:

        async def hold(a: int) -> None:
            async with limit:
                agent = Adder()
                passed = [(await agent.send(UserMessage(f"{a} + {b}"))).text == str(a + b) for b in (1, 2)]
                lines.write(json.dumps({"case": a, "passed": passed}) + "\n")

        await asyncio.gather(*[hold(a) for a in range(cases)])


async def by_hand(cases: int, folder: Path) -> None:
    """(b)"""
    limit = asyncio.Semaphore(PARALLEL)
    with (folder / "by_hand.jsonl").open("w") as lines:

        async def hold(a: int) -> None:
            async with limit:
                agent = Adder()
                turns = []
                for b in (1, 2):
                    text = f"{a} + {b}"
                    started = time.perf_counter()
                    async with asyncio.timeout(60):
                        reply = await agent.send(UserMessage(text))
                    elapsed = time.perf_counter() - started
                    difference = abs(Decimal(reply.text) - Decimal(a + b))
                    numeric = difference <= Decimal("1e-6")
                    tools = any(
                        call.name == "add" and call.args.get("a") == a and call.args.get("b") == b
                        for call in reply.tool_calls
                    )
                    turns.append(
                        {
                            "input": text,
                            "response": reply.text,
                            "ground_truth": str(a + b),
                            "calls": [
                                {"name": call.name, "args": call.args, "result": call.result}
                                for call in reply.tool_calls
                            ],
                            "numeric": numeric,
                            "tools": tools,
                            "ms": elapsed * 1000,
                            "passed": numeric and tools,
                        }
                    )
                lines.write(json.dumps({"case": a, "turns": turns}) + "\n")

        await asyncio.gather(*[hold(a) for a in range(cases)])


def write_suite(cases: int, folder: Path) -> Path:
    """The suite of (c), as a user would write it."""
    (folder / "overhead_agent.py").write_text(AGENT_MODULE)
    agent = folder / "agent.yaml"
    lines = [CASE.format(a=a, one=a + 1, two=a + 2) for a in range(cases)]
    agent.write_text(AGENT_FILE % PARALLEL + "".join(lines))
    return agent


def cpu_per_turn(run: Callable[[], Awaitable[Any]], cases: int) -> float:
    """Microseconds of CPU a turn."""

    async def measure() -> float:
        before = time.process_time()
        await run()
        return time.process_time() - before

    return asyncio.run(measure()) / (cases * TURNS) * 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    cases = parser.parse_args().cases
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = load_suite(write_suite(cases, folder))
        bare = cpu_per_turn(lambda: bare_loop(cases, folder), cases)
        hand = cpu_per_turn(lambda: by_hand(cases, folder), cases)
        run = run_suite(suite)
        engine = cpu_per_turn(lambda: _finish(run), cases)
    if (run.summary.passed, run.summary.total_tests) != (cases, cases):
        raise SystemExit(f"not every case passed: {run.summary}")
    print(f"{cases} cases of {TURNS} turns, {PARALLEL} side by side; CPU a turn")
    print(f"(a) bare loop   {bare:7.1f} us")
    print(f"(b) by hand     {hand:7.1f} us   {hand / bare:5.2f} x (a)")
    print(f"(c) the engine  {engine:7.1f} us   {engine / bare:5.2f} x (a)   {engine / hand:5.2f} x (b)")


async def _finish(run: Any) -> None:
    await run.wait()


if __name__ == "__main__":
    main()
