"""What a comparison costs, as a ratio to ``decimal.Decimal(text)``, in one run.

    python bench/matching.py [--times 20000]

Each row compares one actual value with one expected one that was bound before, as a run does; most comparisons match,
so the first figure is what matters, and the second, for a value that does not match, includes the reason's text.
"""

from __future__ import annotations

import argparse
import timeit
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from holodeck_core import EvaluationMetric, GraderContext, LiteralMatcher, PluginHost

NUMBER = "206,588.25"
PLAIN = "206588.25"


def cost(run: Callable[[], object], times: int) -> float:
    """Seconds of one call, in the fastest of five rounds of so many."""
    return min(timeit.repeat(run, number=times, repeat=5)) / times


def matcher(name: str, expected: Any) -> Callable[[Any], str | None]:
    """The comparison of a matcher that a file names."""
    made = PluginHost().matcher(name).object
    mismatch: Callable[[Any], str | None] = made(expected, LiteralMatcher).mismatch
    return mismatch


def numeric(**options: Any) -> Callable[[Any], object]:
    """The score of the metric ``numeric``, of a turn."""
    made = PluginHost().metric("numeric").object
    score: Callable[[Any], object] = made(EvaluationMetric(metric="numeric", **options)).score
    return score


def turn(response: str) -> GraderContext:
    """A turn with that response."""
    return GraderContext(turn_input="", agent_response=response, ground_truth=PLAIN)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--times", type=int, default=20_000)
    times = parser.parse_args().times
    unit = cost(lambda: Decimal(PLAIN), times)
    rows: list[tuple[str, Callable[[Any], object], Any, Any]] = [
        ("literal, number", LiteralMatcher(206588.25).mismatch, 206588.25, 206588.5),
        ("literal, text", LiteralMatcher("operating cash").mismatch, "operating cash", "operating costs"),
        ("literal, mapping", LiteralMatcher({"a": [1, 2]}).mismatch, {"a": [1, 2]}, {"a": [1, 3]}),
        ("fuzzy, number", matcher("fuzzy", NUMBER), 206588.25, 206588.5),
        ("fuzzy, text", matcher("fuzzy", "Operating  Cash"), "operating cash", "operating costs"),
        ("regex", matcher("regex", r"ORD-\d+"), "ORD-12345", "ORD-"),
        ("numeric", numeric(), turn(PLAIN), turn("206588.5")),
        ("numeric, separators", numeric(accept_thousands_separators=True), turn(NUMBER), turn("206,588.5")),
        ("numeric, extract", numeric(extract="only"), turn(f"It is {PLAIN}."), turn("It is 206588.5.")),
    ]
    print(f"Decimal({PLAIN!r}) takes {unit * 1e9:.0f} ns; the ratio to it of")
    print(f"{'':24}{'a match':>10}{'a mismatch':>14}")
    for name, compare, same, other in rows:
        ratios = [cost(partial(compare, value), times) / unit for value in (same, other)]
        print(f"{name:24}{ratios[0]:10.1f}{ratios[1]:14.1f}")


if __name__ == "__main__":
    main()
