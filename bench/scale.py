"""The peak memory of ``holodeck test``, from one thousand to one million turns.

    python bench/scale.py [--turns 1000 100000 1000000]

A JSON Lines suite is written in a temporary folder, once as cases of one turn and once as cases of ten, and run with an
agent that answers at once, in a process of its own, kept in a run folder as always. Printed are the process's peak
memory, by how much it is above that of the smallest size in the same shape, and its CPU time a turn. A million turns
take some minutes and two gigabytes of disk.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from processes import HOLODECK, cost
from suites import write_suite

SHAPES = {"cases of one turn": None, "cases of ten turns": 10}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--turns", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    sizes = sorted(parser.parse_args().turns)
    for shape, turns_a_case in SHAPES.items():
        print(shape)
        smallest = None
        for turns in sizes:
            with tempfile.TemporaryDirectory() as name:
                file = write_suite(Path(name), turns // (turns_a_case or 1), turns_a_case)
                cpu, peak = cost((*HOLODECK, "test", file.name, "-q"), Path(name))
            smallest = peak if smallest is None else smallest
            print(
                f"{turns:10,} turns {peak:7.1f} MB   {peak - smallest:+6.1f} MB, {peak / smallest:4.2f} x"
                f" the smallest   {cpu / turns * 1e6:7.1f} us of CPU a turn",
                flush=True,
            )


if __name__ == "__main__":
    main()
