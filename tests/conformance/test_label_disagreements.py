"""Printed and computed answers that differ by more than a percent: what a tolerance accepts is what rounding explains.

Each pair has the kind of its disagreement. The printed answer is the response, the computed one the ground truth.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from holodeck_core import TestReport

ROUNDING = "rounding of the printed answer"
KINDS = {
    ROUNDING: 44,
    "other (label error)": 10,
    "sign only": 9,
    "percent/fraction factor 100": 4,
    "sign + rounding": 1,
}


class Pair(NamedTuple):
    """A printed answer and what the program of the question gives, both as written."""

    kind: str
    question: str
    printed: str
    computed: str


@pytest.fixture
def pairs(corpus: Callable[[str], Path]) -> list[Pair]:
    text = corpus("convfinqa/label-disagreements.json").read_text(encoding="utf-8")
    kinds = json.loads(text, parse_float=str)
    assert {kind: len(rows) for kind, rows in kinds.items()} == KINDS
    return [
        Pair(kind, f"{document} {turn}", printed, computed)
        for kind, rows in kinds.items()
        for document, turn, printed, computed, _ in rows
    ]


@pytest.fixture
def passed(run: Callable[..., TestReport], pairs: list[Pair]) -> Callable[..., list[Pair]]:
    """The pairs that pass as numbers under the options, which may depend on the pair; the others say why not."""

    def passed(options: Callable[[Pair], dict[str, Any]]) -> list[Pair]:
        numeric = {"type": "standard", "metric": "numeric", "accept_percent": True}
        replies = [{"input": pair.question, "reply": pair.printed} for pair in pairs]
        cases = [
            {
                "name": pair.question,
                "input": pair.question,
                "ground_truth": pair.computed,
                "evaluations": [{**numeric, **options(pair)}],
            }
            for pair in pairs
        ]
        report = run({"model": {"provider": "scripted", "replies": replies}}, cases)
        metrics = [metric for result in report.results for metric in result.metric_results]
        for pair, metric in zip(pairs, metrics, strict=True):
            assert metric.passed or (
                f"expected {pair.computed}, got " in str(metric.reasoning)
                and "the difference " in str(metric.reasoning)
            )
        return [pair for pair, metric in zip(pairs, metrics, strict=True) if metric.passed]

    return passed


def half_a_unit(printed: str) -> Decimal:
    """Half of what the last printed digit counts."""
    exponent = Decimal(printed.removesuffix("%")).as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal("0.5").scaleb(exponent - 2 if printed.endswith("%") else exponent)


def test_one_percent_accepts_none(passed: Callable[..., list[Pair]]) -> None:
    assert passed(lambda pair: {"relative_tolerance": 0.01}) == []


def test_half_a_unit_of_the_last_place_accepts_what_was_rounded(
    passed: Callable[..., list[Pair]], pairs: list[Pair]
) -> None:
    got = passed(lambda pair: {"absolute_tolerance": float(half_a_unit(pair.printed))})
    assert got == [pair for pair in pairs if pair.kind == ROUNDING]
    assert len(got) == 44


@pytest.mark.parametrize(
    ("printed", "half"),
    [("11%", "0.005"), ("-1.2%", "0.0005"), ("1.70%", "0.00005"), ("193", "0.5"), ("0.0156", "0.00005")],
)
def test_half_a_unit(printed: str, half: str) -> None:
    assert half_a_unit(printed) == Decimal(half)
