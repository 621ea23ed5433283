from __future__ import annotations

import pytest

from holodeck_core.config.reading.suggest import closest, did_you_mean

KEYS = ["ground_truth", "expected_tools", "input", "turns", "min_pass_rate"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("ground_thruth", "ground_truth"),
        ("groundtruth", "ground_truth"),
        ("ground-truth", "ground_truth"),
        ("Ground Truth", "ground_truth"),
        ("INPUT", "input"),
        ("expected_tool", "expected_tools"),
        ("turn", "turns"),
        ("banana", None),
        ("", None),
        ("x" * 100_000, None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_the_nearest_name_is_found_or_none(word: str, meant: str | None) -> None:
    assert closest(word, KEYS) == meant


def test_the_phrase_is_empty_where_nothing_is_near() -> None:
    assert did_you_mean("inptu", KEYS) == '; did you mean "input"?'
    assert did_you_mean("banana", KEYS) == ""


def test_very_long_candidates_are_not_compared() -> None:
    assert closest("input", ["input" * 100_000, "inputs"]) == "inputs"
