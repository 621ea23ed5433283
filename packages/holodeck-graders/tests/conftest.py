"""Matchers and metrics as a file would have them, found through the hooks of this distribution."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core import (
    ArgMatcher,
    EvaluationMetric,
    GraderContext,
    LiteralMatcher,
    Matcher,
    Metric,
    Score,
)
from holodeck_graders import hooks

_TARGETS = {each.name: each.target for each in (*hooks.holodeck_matchers(), *hooks.holodeck_metrics())}


def _load(name: str) -> Any:
    module, _, attribute = _TARGETS[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def _build(value: Any) -> Matcher:
    expected = ArgMatcher.from_yaml(value)
    if expected.kind == "literal":
        return LiteralMatcher(expected.value, None if expected.verbatim else _build)
    matcher: Matcher = _load(expected.kind)(expected.value, _build)
    return matcher


def _standard(metric: str, response: str, ground_truth: str | None, **options: Any) -> Score:
    made: Metric = _load(metric)(EvaluationMetric(metric=metric, **options))
    turn = GraderContext(turn_input="q", agent_response=response, ground_truth=ground_truth)
    score = made.score(turn)
    assert isinstance(score, Score)
    return score


@pytest.fixture(scope="session")
def build() -> Callable[[Any], Matcher]:
    """The matcher that a YAML value stands for."""
    return _build


@pytest.fixture(scope="session")
def matches() -> Callable[[Any, Any], bool]:
    """Whether the matcher that a YAML value stands for matches; a failure always has a reason."""

    def answer(expected: Any, actual: Any) -> bool:
        reason = _build(expected).mismatch(actual)
        assert reason is None or reason.strip()
        return reason is None

    return answer


@pytest.fixture(scope="session")
def equality() -> Callable[..., Score]:
    """The score of one response under ``metric: equality``."""

    def score(response: str, ground_truth: str | None, **options: Any) -> Score:
        return _standard("equality", response, ground_truth, **options)

    return score


@pytest.fixture(scope="session")
def numeric() -> Callable[..., Score]:
    """The score of one response under ``metric: numeric``."""

    def score(response: str, ground_truth: str | None, **options: Any) -> Score:
        return _standard("numeric", response, ground_truth, **options)

    return score
