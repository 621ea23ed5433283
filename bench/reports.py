"""The peak memory of ``holodeck report`` in each format, of a large run of which every third turn failed.

    python bench/reports.py [--turns 1000 100000]

A suite is run once for each number of turns, in cases of ten turns and of one, and kept; then each format is written of
it, in a process of its own. Printed are the process's peak memory, by how much it is above that of the smallest number,
and its CPU time a turn. A hundred thousand turns take some minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from processes import HOLODECK, cost
from suites import write_suite

FORMATS = ("terminal", "json", "junit", "markdown", "github")

_WRONG_AT_TIMES = """\
from holodeck_core import Reply, TokenUsage, ToolCall


class Adder:
    async def send(self, message):
        a, b = map(int, message.text.split(" + "))
        said = a + b + (a % 3 == 0)
        usage = TokenUsage(prompt_tokens=100 + a % 5_000, completion_tokens=10, total_tokens=110 + a % 5_000)
        return Reply(str(said), [ToolCall("add", {"a": a, "b": said}, said)], usage)


async def create():
    return Adder()
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--turns", type=int, nargs="+", default=[1_000, 100_000])
    sizes = sorted(parser.parse_args().turns)
    for turns_a_case in (None, 10):
        print(f"cases of {turns_a_case or 1} turn{'s' if turns_a_case else ''}")
        smallest: dict[str, float] = {}
        for turns in sizes:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                file = write_suite(folder, turns // (turns_a_case or 1), turns_a_case, agent=_WRONG_AT_TIMES)
                subprocess.run(
                    [*HOLODECK, "test", file.name, "-q"], cwd=folder, capture_output=True, check=False
                )
                for kind in FORMATS:
                    asked = () if kind == "terminal" else ("--format", kind, "-o", f"report.{kind}")
                    cpu, peak = cost((*HOLODECK, "report", *asked), folder)
                    least = smallest.setdefault(kind, peak)
                    print(
                        f"{turns:10,} turns {kind:9} {peak:7.1f} MB   {peak - least:+6.1f} MB, {peak / least:4.2f} x"
                        f" the smallest   {cpu / turns * 1e6:7.1f} us of CPU a turn",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
