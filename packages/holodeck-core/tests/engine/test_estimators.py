"""pass@k, pass^k and the interval of a pass rate."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.engine.estimators import Z, pass_at_k, pass_hat_k, wilson_interval

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(COUNTS)
def test_the_estimates_are_those_of_the_formulas(counts: tuple[int, int]) -> None:
    n, c = counts
    ks = range(1, n + 1)
    at_least_one = [float(1 - Fraction(comb(n - c, k), comb(n, k))) for k in ks]
    assert pass_at_k(n, c) == pytest.approx(at_least_one, rel=1e-12, abs=1e-12)
    assert pass_hat_k(n, c) == pytest.approx([float(Fraction(comb(c, k), comb(n, k))) for k in ks], rel=1e-12)


@pytest.mark.parametrize(("n", "c"), [(n, c) for n in range(1, 7) for c in range(n + 1)])
def test_the_estimates_are_the_share_of_all_ways_to_draw_k_of_the_repeats(n: int, c: int) -> None:
    repeats = [True] * c + [False] * (n - c)
    draws = [list(combinations(repeats, k)) for k in range(1, n + 1)]
    assert pass_at_k(n, c) == pytest.approx([sum(map(any, drawn)) / len(drawn) for drawn in draws])
    assert pass_hat_k(n, c) == pytest.approx([sum(map(all, drawn)) / len(drawn) for drawn in draws])


def test_the_estimates_for_many_repeats_are_quick_and_finite() -> None:
    estimates = pass_at_k(100_000, 5), pass_hat_k(100_000, 99_995)
    assert all(0 <= value <= 1 for values in estimates for value in values)
    assert (estimates[0][-1], estimates[1][-1]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("n", "c", "low", "high"),
    [  # the roots of (p - c/n)**2 == z**2 * p * (1 - p) / n
        (5, 3, 0.230724, 0.882379),
        (10, 8, 0.490162, 0.943318),
        (1, 0, 0.0, 0.793450),
        (1, 1, 0.206550, 1.0),
        (100, 50, 0.403832, 0.596168),
    ],
)
def test_the_interval_is_that_of_wilson(n: int, c: int, low: float, high: float) -> None:
    assert wilson_interval(n, c) == pytest.approx((low, high), abs=1e-6)


@given(COUNTS)
def test_at_the_ends_of_the_interval_the_rate_is_z_deviations_away(counts: tuple[int, int]) -> None:
    n, c = counts
    low, high = wilson_interval(n, c)
    assert 0 <= low <= c / n <= high <= 1
    for p in (low, high):
        assert (p - c / n) ** 2 == pytest.approx(Z * Z * p * (1 - p) / n, abs=1e-9)


def test_the_interval_has_a_confidence_of_95_percent() -> None:
    assert pytest.approx(1.959963984540054) == Z
