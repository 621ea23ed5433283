"""``{type: integer}``: any value of one JSON type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holodeck_core import JsonValue, Matcher, show_value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


_TESTS: dict[str, Callable[[Any], bool]] = {
    "integer": _is_integer,
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


class TypeMatcher(Matcher):
    """Types are JSON Schema's: a number without a fraction is an integer however it is written (``5.0``), and
    ``true`` is no number. ``null`` is of none of them."""

    blocking = False

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if not isinstance(expected, str) or expected not in _TESTS:
            raise ValueError(f"`type` is one of {', '.join(_TESTS)}, not {show_value(expected)}")
        self._name = expected
        self._test = _TESTS[expected]

    def mismatch(self, actual: Any) -> str | None:
        return None if self._test(actual) else f"expected type {self._name}, got {show_value(actual)}"
