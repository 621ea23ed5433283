"""``metric: numeric``: the response is the ground truth, as a number."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import ClassVar

from pydantic import BaseModel

from holodeck_core import EvaluationMetric, Metric, Score, TurnView, show_value
from holodeck_graders.arithmetic import difference, share, show_number
from holodeck_graders.metrics.response_path import ResponsePath
from holodeck_graders.metrics.verdict import NO_GROUND_TRUTH, failed, passed
from holodeck_graders.numbers import Accept, Found, Number, Unreadable, find_numbers, parse_number

_SHOWN = 10


class NumericMetric(Metric):
    """Passes where the difference is at most ``absolute_tolerance``, or at most ``relative_tolerance`` of the
    ground truth's size: either suffices, both are inclusive, and nothing is rounded.

    Both sides are read as number text, with only those extensions that the options accept. The whole response
    must be a number, unless ``extract`` says which number in it counts. A side that cannot be read fails the
    turn, and the reason says what stood in the way.
    """

    Options: ClassVar[type[BaseModel]] = EvaluationMetric
    needs = frozenset({"ground_truth"})
    blocking = False
    options: EvaluationMetric

    def __init__(self, options: BaseModel) -> None:
        super().__init__(options)
        given = self.options
        self._path = None if given.response_path is None else ResponsePath(given.response_path)
        self._accept = Accept(
            percent=given.accept_percent,
            separators=given.accept_thousands_separators,
            currency=given.accept_currency,
            parentheses=given.accept_parentheses,
        )
        self._extract = given.extract
        self._absolute = Decimal(repr(given.absolute_tolerance))
        self._relative = Decimal(repr(given.relative_tolerance))
        self._rule = f"more than absolute_tolerance {given.absolute_tolerance:g}"

    def score(self, turn: TurnView) -> Score:
        if turn.ground_truth is None:
            return NO_GROUND_TRUTH
        expected = parse_number(turn.ground_truth, self._accept)
        if isinstance(expected, Unreadable):
            return failed(
                f"the ground truth {show_value(turn.ground_truth)} is not a number: {expected.reason}"
            )
        try:
            response = turn.agent_response if self._path is None else self._path.read(turn.agent_response)
        except ValueError as error:
            return failed(f"expected {show_number(expected)}: {error}")
        if self._extract is None:
            value = parse_number(response, self._accept)
            if isinstance(value, Number):
                return self._compare(expected, value)
            found: Found | str = self._not_a_number(response, value)
        else:
            found = _choose(find_numbers(response, self._accept), self._extract)
        if isinstance(found, str):
            return failed(f"expected {show_number(expected)}, got {show_value(response)}: {found}")
        if isinstance(found.value, Unreadable):
            return failed(f"expected {show_number(expected)}, got {_shown(found)}: {found.value.reason}")
        return self._compare(expected, found.value, found)

    def _not_a_number(self, response: str, whole: Unreadable) -> str:
        """Why the response is no number, and how a number in it could be read."""
        found = [] if whole.refused else list(islice(find_numbers(response, self._accept), 2))
        if len(found) != 1:
            return f"not a number: {whole.reason}"
        [one] = found
        also = f", but {one.value.reason}" if isinstance(one.value, Unreadable) else ""
        hint = f"it contains one number, {_shown(one)}, which `extract: only` would read{also}"
        return f"not a number: {whole.reason}; {hint}"

    def _compare(self, expected: Number, got: Number, found: Found | None = None) -> Score:
        """The verdict on two numbers; ``found`` is where the second was found in a longer response."""
        if expected == got:
            return self._passed(found)
        distance = difference(got, expected)
        if distance <= self._absolute:
            return self._passed(found)
        rule = self._rule
        if self._relative:
            allowed = share(self._relative, expected)
            if distance <= allowed:
                return self._passed(found)
            relative = f"relative_tolerance {self.options.relative_tolerance:g}"
            rule += f" and than {relative} of the expected, {show_number(allowed)}"
        source = "" if found is None else f" (extract: {self._extract})"
        return failed(
            f"expected {show_number(expected)}, got {show_number(got)}{source}: "
            f"the difference {show_number(distance)} is {rule}"
        )

    def _passed(self, found: Found | None) -> Score:
        return passed(None if found is None else f"read {_shown(found)} (extract: {self._extract})")


def _choose(found: Iterator[Found], which: str) -> Found | str:
    """The number that counts, or why there is none."""
    if which == "last":
        several = list(deque(found, maxlen=1))
    else:
        several = list(islice(found, 1 if which == "first" else _SHOWN + 1))
    if not several:
        return f"it contains no number that stands alone (extract: {which})"
    if len(several) == 1:
        return several[0]
    names = ", ".join(_shown(each) for each in several[:_SHOWN])
    return f"more than one number, {names}{', ...' if len(several) > _SHOWN else ''} (extract: {which})"


def _shown(found: Found) -> str:
    return found.text if len(found.text) <= 40 else show_value(found.text, 40)
