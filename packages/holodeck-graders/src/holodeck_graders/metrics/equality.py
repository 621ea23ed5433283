"""``metric: equality``: the response is the ground truth, as text."""

from __future__ import annotations

from itertools import zip_longest
from typing import ClassVar

from pydantic import BaseModel

from holodeck_core import EvaluationMetric, Metric, Score, TurnView, show_value
from holodeck_graders.metrics.response_path import ResponsePath
from holodeck_graders.metrics.verdict import NO_GROUND_TRUTH, failed, passed
from holodeck_graders.text import collapse, without_punctuation

_FLAGS = ("case_insensitive", "strip_whitespace", "strip_punctuation")


class EqualityMetric(Metric):
    """Compares character by character, after what the flags of the options take away from both sides:
    ``strip_punctuation`` first, then ``case_insensitive`` (lower case), then ``strip_whitespace``.

    The reason names the flags that were on, also where the turn passes.
    """

    Options: ClassVar[type[BaseModel]] = EvaluationMetric
    needs = frozenset({"ground_truth"})
    blocking = False
    options: EvaluationMetric

    def __init__(self, options: BaseModel) -> None:
        super().__init__(options)
        path = self.options.response_path
        self._path = None if path is None else ResponsePath(path)
        self._flags = [flag for flag in _FLAGS if getattr(self.options, flag)]
        self._passed = passed(f"equal with {', '.join(self._flags)}" if self._flags else None)

    def score(self, turn: TurnView) -> Score:
        if turn.ground_truth is None:
            return NO_GROUND_TRUTH
        try:
            got = turn.agent_response if self._path is None else self._path.read(turn.agent_response)
        except ValueError as error:
            return failed(f"expected {show_value(turn.ground_truth)}: {error}")
        left, right = self._folded(turn.ground_truth), self._folded(got)
        if left == right:
            return self._passed
        rule = f"compared with {', '.join(self._flags)}" if self._flags else "compared character by character"
        return failed(
            f"expected {show_value(turn.ground_truth)}, got {show_value(got)}: {_difference(left, right)} ({rule})"
        )

    def _folded(self, text: str) -> str:
        if self.options.strip_punctuation:
            text = without_punctuation(text)
        if self.options.case_insensitive:
            text = text.lower()
        return collapse(text) if self.options.strip_whitespace else text


def _difference(expected: str, got: str) -> str:
    """Where two unequal texts part, with code points, as characters may look the same."""
    for place, (left, right) in enumerate(zip_longest(expected, got)):
        if left != right:
            return f"they differ from character {place + 1} on, {_name(left)} against {_name(right)}"
    raise AssertionError("the texts are equal")


def _name(char: str | None) -> str:
    return "the end" if char is None else f"{show_value(char)} U+{ord(char):04X}"
