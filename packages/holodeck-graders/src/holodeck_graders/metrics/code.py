"""``type: code``: a Python callable of the user's grades the turn."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from pydantic import BaseModel

from holodeck_core import CodeMetric, GraderResult, Metric, Score, TurnView
from holodeck_graders.metrics.json_details import json_details

DEFAULT_THRESHOLD = 0.5


class CodeGraderMetric(Metric):
    """Calls the grader with the turn and makes a score of what it returns.

    The verdict is the grader's ``passed`` (a bool is one), else whether the score reaches the ``threshold``
    of the options, else whether it reaches 0.5; the score says which threshold was in force. A coroutine
    function runs on the event loop, everything else in a worker thread; an awaitable result is awaited.

    Anything but a GraderResult, a bool or a finite number from 0 to 1 raises TypeError or ValueError, as do
    details that JSON cannot hold.
    """

    Options: ClassVar[type[BaseModel]] = CodeMetric
    judges_itself = True
    options: CodeMetric

    def __init__(self, options: BaseModel) -> None:
        super().__init__(options)
        self._grader = _callable(self.options)
        self.blocking = not _is_async(self._grader)
        self.timeout_s = self.options.timeout_s

    @property
    def identity(self) -> str:
        return self.options.grader

    def score(self, turn: TurnView) -> Score | Awaitable[Score]:
        returned = self._grader(turn)
        if inspect.isawaitable(returned):
            return self._later(returned)
        return self._score(returned)

    async def _later(self, returned: Awaitable[Any]) -> Score:
        return self._score(await returned)

    def _score(self, returned: Any) -> Score:
        result = GraderResult.of(returned)
        value, passed, threshold = result.score, result.passed, None
        if passed is None:
            threshold = DEFAULT_THRESHOLD if self.options.threshold is None else self.options.threshold
            passed = value >= threshold
        return Score(
            value,
            passed,
            result.reason if passed else _why(returned, value, threshold, result.reason),
            threshold,
            None if result.details is None else json_details(result.details),
        )


def _callable(options: CodeMetric) -> Callable[[TurnView], Any]:
    """The grader; of a class, one instance."""
    grader = options.callable
    if grader is None:
        raise ValueError(f"the grader {options.grader} has not been resolved")
    if not inspect.isclass(grader):
        return grader
    try:
        instance = grader()
    except Exception as error:  # boundary: the user's own class
        raise ValueError(
            f"the grader {options.grader} is a class that cannot be made without arguments: {error}"
        ) from error
    if not callable(instance):
        raise ValueError(f"the grader {options.grader} is a class whose instances cannot be called")
    return instance


def _is_async(grader: Any) -> bool:
    return inspect.iscoroutinefunction(grader) or inspect.iscoroutinefunction(type(grader).__call__)


def _why(returned: Any, value: float, threshold: float | None, reason: str | None) -> str:
    if threshold is not None:
        below = f"score {value:g} is below the threshold {threshold:g}"
        return f"{below}: {reason}" if reason else below
    if reason:
        return reason
    if isinstance(returned, GraderResult):
        return f"the grader says failed, score {value:g}"
    return "the grader returned false"
