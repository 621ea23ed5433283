"""Scores of metrics that either pass or fail."""

from __future__ import annotations

from typing import Final

from holodeck_core import Score

PASSED: Final = Score(1.0, True)


def passed(reason: str | None) -> Score:
    """Full marks."""
    return PASSED if reason is None else Score(1.0, True, reason)


def failed(reason: str) -> Score:
    """No marks, and why."""
    return Score(0.0, False, reason)


NO_GROUND_TRUTH: Final = Score(None, reason="the turn has no ground_truth")
