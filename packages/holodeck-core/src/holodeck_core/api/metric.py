"""Metrics: look at one turn, give a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable
from typing import Any, ClassVar, TypeAlias

import attrs
from pydantic import BaseModel

from holodeck_core.api.grader import GraderContext

TurnView: TypeAlias = GraderContext
"""What a metric sees of a turn is what a grader sees of it."""


@attrs.frozen
class Score:
    """A metric's score for a turn, and its verdict.

    ``value`` is a finite number, or None where the turn could not be scored because something that the metric needs
    is missing: the metric is then skipped, with ``reason``, and decides nothing. ``passed`` is the metric's own
    verdict; a threshold in the file takes its place unless the metric judges itself (``Metric.judges_itself``).
    ``threshold`` is the one that the metric applied by itself. ``reason`` says why, always where the turn fails.
    ``details`` is a JSON value for the report.
    """

    value: float | None
    passed: bool | None = None
    reason: str | None = None
    threshold: float | None = None
    details: Any = None
    model_used: str | None = None
    retry_count: int = 0


class Metric(ABC):
    """Scores turns. One instance is built for each place in a file, and asked for many turns, possibly at once."""

    Options: ClassVar[type[BaseModel]]
    """The model of the metric's entry in the file: its keys, defaults and checks."""

    needs: ClassVar[frozenset[str]] = frozenset()
    """Fields of the turn that must not be None (``"ground_truth"``, ``"retrieval_context"``), else it is skipped."""

    judges_itself: ClassVar[bool] = False
    """True: ``Score.passed`` stands even where the file sets a threshold, which the metric then applies itself."""

    has_own_rule: ClassVar[bool] = True
    """False: the metric never gives ``Score.passed``, so that without a threshold in the file it decides nothing."""

    blocking: bool = True
    """Whether ``score`` may take long before it returns. It is then called in a worker thread."""

    timeout_s: float | None = None
    """Seconds that one call of ``score`` may take, its awaitable included; None for no limit."""

    def __init__(self, options: BaseModel) -> None:
        self.options = options

    @property
    def identity(self) -> str:
        """Whose worker threads these are: after several that never came back, the metric is not called again."""
        return type(self).__qualname__

    @abstractmethod
    def score(self, turn: TurnView) -> Score | Awaitable[Score]:
        """Score one turn. What this raises is that metric's error on that turn, and costs nothing else."""
