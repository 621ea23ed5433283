"""``{approx: N}`` and ``{approx: N, tolerance: T}``: a number near another."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from holodeck_core import JsonValue, Matcher, show_value
from holodeck_graders.arithmetic import difference, exact, share, show_number
from holodeck_graders.numbers import Number

RELATIVE_TOLERANCE = Decimal("1e-6")


class ApproxMatcher(Matcher):
    """Within ``tolerance`` of the expected number, or within a millionth of it where none is given; both
    inclusive, and in decimal arithmetic, so that 0.3 is within 0.2 of 0.1. Text that looks like a number is
    none, and neither is ``true``.
    """

    blocking = False

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        given = expected if isinstance(expected, dict) else {"approx": expected}
        self._expected = _number(given.get("approx"), "`approx` takes a finite number")
        self._absolute = "tolerance" in given
        if self._absolute:
            self._tolerance = _number(given["tolerance"], "`tolerance` takes a finite number")
        else:
            self._tolerance = share(RELATIVE_TOLERANCE, self._expected)
        if self._tolerance < 0:
            raise ValueError("`tolerance` cannot be negative")

    def mismatch(self, actual: Any) -> str | None:
        number = exact(actual)
        if number is None:
            return f"expected {self._rule()}, got {show_value(actual)}, which is not a number"
        distance = difference(self._expected, number)
        if distance <= self._tolerance:
            return None
        return f"expected {self._rule()}, got {show_value(actual)}: they differ by {show_number(distance)}"

    def _rule(self) -> str:
        tolerance = show_number(self._tolerance) if self._absolute else f"a relative {RELATIVE_TOLERANCE:e}"
        return f"{show_number(self._expected)} within {tolerance}"


def _number(value: Any, rule: str) -> Number:
    number = exact(value)
    if number is None:
        raise ValueError(f"{rule}, not {show_value(value)}")
    return number
