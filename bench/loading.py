"""What loading costs, against libyaml's ``compose`` of the same file, in one run.

    python bench/loading.py [--cases 10000] [--lines 100000] [--rounds 3]

The suite has two-turn cases with a ground truth and one expected tool with two arguments a turn. Printed are: libyaml's
``compose`` as it comes, and with the garbage collector off; ``load_suite`` of the YAML file; ``load_suite`` of the same
cases as JSON Lines (the check that every line goes through), a case. CPU time of this process, best of the
rounds.

Then ``holodeck test`` of ``--lines`` cases of one turn in JSON Lines: the CPU time from the start of the process to the
first session, the check of the whole file included, against ``json.loads`` of every line.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from processes import HOLODECK, cost
from suites import write_suite

from holodeck_core import load_suite

HEAD = """\
name: loading
model: {provider: scripted, replies: []}
evaluations:
  metrics: [{type: standard, metric: numeric}]
"""

CASE = """\
  - name: case {a}
    turns:
      - input: What is {a} plus 1?
        ground_truth: {one}
        expected_tools:
          - name: add
            args: {{a: {a}, b: {{fuzzy: "1"}}}}
      - input: And plus 2?
        ground_truth: {two}
        expected_tools:
          - name: add
            args: {{a: {one}, b: 2}}
"""


def case_line(a: int) -> str:
    """The case as a line of JSON."""

    def turn(text: str, truth: int, args: dict[str, Any]) -> dict[str, Any]:
        return {"input": text, "ground_truth": str(truth), "expected_tools": [{"name": "add", "args": args}]}

    turns = [
        turn(f"What is {a} plus 1?", a + 1, {"a": a, "b": {"fuzzy": "1"}}),
        turn("And plus 2?", a + 3, {"a": a + 1, "b": 2}),
    ]
    return json.dumps({"name": f"case {a}", "turns": turns})


def best(run: Callable[[], object], times: int) -> float:
    """The least CPU time of several runs, in seconds."""
    found = []
    for _ in range(times):
        gc.collect()
        before = time.process_time()
        run()
        found.append(time.process_time() - before)
    return min(found)


def without_collector(run: Callable[[], object]) -> Callable[[], object]:
    """The same, with the garbage collector off."""

    def quietly() -> None:
        gc.disable()
        try:
            run()
        finally:
            gc.enable()

    return quietly


FIRST_SESSION = """\
import os


async def create():
    os._exit(0)
"""


def until_the_first_session(cases: int, times: int) -> tuple[float, float]:
    """CPU seconds from the start of ``holodeck test`` to its first session; those of ``json.loads`` of each line."""
    with tempfile.TemporaryDirectory() as name:
        file = write_suite(Path(name), cases, agent=FIRST_SESSION)
        command = (*HOLODECK, "test", file.name, "-q")
        spent = min(cost(command, Path(name), code=3).cpu for _ in range(times))

        def read() -> None:
            with (file.parent / "cases.jsonl").open() as lines:
                for line in lines:
                    json.loads(line)

        return spent, best(read, times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    cases, times = options.cases, options.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = HEAD + "test_cases:\n" + "".join(CASE.format(a=a, one=a + 1, two=a + 3) for a in range(cases))
        (folder / "agent.yaml").write_text(text)
        (folder / "lines.yaml").write_text(HEAD + "test_cases_file: cases.jsonl\n")
        (folder / "cases.jsonl").write_text("".join(case_line(a) + "\n" for a in range(cases)))

        def compose() -> object:
            return yaml.compose(text, Loader=yaml.CSafeLoader)

        load_suite(folder / "lines.yaml")  # imports what is imported once
        stock = best(compose, times)
        quiet = best(without_collector(compose), times)
        loading = best(lambda: load_suite(folder / "agent.yaml"), times)
        lines = best(lambda: load_suite(folder / "lines.yaml"), times)
    print(f"{cases} cases of two turns, {len(text) / 1e6:.1f} MB of YAML")
    print(f"compose            {stock:6.2f} s")
    print(f"compose, no gc     {quiet:6.2f} s")
    print(
        f"load_suite, YAML   {loading:6.2f} s   {loading / stock:4.2f} x compose, {loading / quiet:4.2f} x without gc"
    )
    print(f"load_suite, lines  {lines / cases * 1e6:6.1f} us a case")
    started, read = until_the_first_session(options.lines, times)
    print(f"{options.lines} cases of one turn in JSON Lines, from the start of holodeck test")
    print(f"first session      {started:6.2f} s   {started / read:4.1f} x json.loads of each line")


if __name__ == "__main__":
    main()
