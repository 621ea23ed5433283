"""The benchmarks run, print their ratios, and stand in the list of them. What they measure is not judged here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
SMALL = {
    "concurrency.py": ("--cases", "8", "--parallel", "4", "--delay-ms", "5"),
    "loading.py": ("--cases", "20", "--lines", "20", "--rounds", "1"),
    "matching.py": ("--times", "10"),
    "overhead.py": ("--cases", "20"),
    "reports.py": ("--turns", "20"),
    "scale.py": ("--turns", "10"),
    "startup.py": ("--rounds", "1"),
}


@pytest.mark.parametrize("script", SMALL)
def test_a_benchmark_runs_and_prints_a_ratio(script: str) -> None:
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, str(BENCH / script), *SMALL[script]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d\.\d+ x |match", done.stdout), done.stdout


def test_the_list_of_benchmarks_has_every_script() -> None:
    scripts = {path.name for path in BENCH.glob("*.py") if 'if __name__ == "__main__"' in path.read_text()}
    listed = set(re.findall(r"^\| `(\w+\.py)` \|", (BENCH / "README.md").read_text(), re.MULTILINE))
    assert listed == scripts
    assert SMALL.keys() == scripts - {"mutation.py"}  # which takes a quarter of an hour, and tools of its own
