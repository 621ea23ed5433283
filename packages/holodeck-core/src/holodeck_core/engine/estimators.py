"""What a number of passes says about an agent. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from statistics import NormalDist

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
"""The quantile of the normal distribution that belongs to ``CONFIDENCE``: 1.96."""


def pass_at_k(n: int, c: int) -> list[float]:
    """For k = 1 … n, the unbiased estimate of the probability that at least one of k tries passes, where ``c`` of
    ``n`` did: ``1 - C(n-c, k) / C(n, k)`` (Chen et al. 2021, arXiv:2107.03374)."""
    return [1.0 - share for share in _shares(n, n - c)]


def pass_hat_k(n: int, c: int) -> list[float]:
    """For k = 1 … n, the unbiased estimate of the probability that all of k tries pass, where ``c`` of ``n`` did:
    ``C(c, k) / C(n, k)`` (Yao et al. 2024, arXiv:2406.12045)."""
    return list(_shares(n, c))


def _shares(n: int, m: int) -> Iterator[float]:
    """``C(m, k) / C(n, k)`` for k = 1 … n: each is the one before, times ``(m-k+1) / (n-k+1)``."""
    share = 1.0
    for taken in range(n):
        share *= max(0, m - taken) / (n - taken)
        yield share


def wilson_interval(n: int, c: int) -> tuple[float, float]:
    """The score interval for the probability to pass, where ``c`` of ``n`` > 0 did, at ``Z`` standard deviations
    (Wilson 1927, doi:10.1080/01621459.1927.10502953)."""
    rate, square = c / n, Z * Z
    centre = rate + square / (2 * n)
    half = Z * sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    # At its ends the interval reaches 0 and 1, which rounding must not miss.
    low = 0.0 if c == 0 else (centre - half) / (1 + square / n)
    high = 1.0 if c == n else (centre + half) / (1 + square / n)
    return low, high
