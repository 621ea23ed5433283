"""``{fuzzy: X}``: the same number however it is spelt, or the same text but for case and white space."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from holodeck_core import JsonValue, Matcher, show_value
from holodeck_graders.arithmetic import difference, is_whole, share, show_number
from holodeck_graders.numbers import Number, parse_number
from holodeck_graders.text import fold, text_of

RELATIVE_TOLERANCE = Decimal("1e-9")


class FuzzyMatcher(Matcher):
    """Compares as text; other values than strings by their JSON text, ``null`` also as ``none``.

    Two texts that are both number text are compared as numbers: integers exactly, others within a relative
    1e-9 of the larger one, so that 0 equals only 0. All others are compared folded
    (``holodeck_graders.text.fold``).
    """

    blocking = False

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if expected is None or isinstance(expected, list | dict):
            raise ValueError("`fuzzy` compares with a single text or number")
        self.pattern = text_of(expected)
        number = parse_number(self.pattern)
        self._number = number if isinstance(number, Number) else None
        self._is_whole = self._number is not None and is_whole(self._number)
        self._folded = fold(self.pattern)

    def mismatch(self, actual: Any) -> str | None:
        text = actual if isinstance(actual, str) else text_of(actual)
        if text == self.pattern:
            return None
        note = ""
        if self._number is not None:
            number = parse_number(text)
            if isinstance(number, Number):
                apart = self._apart(self._number, number)
                return None if apart is None else f"{self._reason(actual)}: {apart}"
            if number.refused:
                note = f": {number.reason}"
        if fold(text) == self._folded or (actual is None and self._folded == "none"):
            return None
        return f"{self._reason(actual)}{note}"

    def _reason(self, actual: Any) -> str:
        return f"expected {show_value(self.pattern)} (fuzzy), got {show_value(actual)}"

    def _apart(self, expected: Number, number: Number) -> str | None:
        if expected == number:
            return None
        distance = difference(expected, number)
        if self._is_whole and is_whole(number):
            return f"they differ by {show_number(distance)}, and integers are compared exactly"
        if distance <= share(RELATIVE_TOLERANCE, max(expected.copy_abs(), number.copy_abs())):
            return None
        return f"they differ by {show_number(distance)}, more than a relative {RELATIVE_TOLERANCE:e}"
