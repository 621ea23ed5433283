"""The literal matcher: equal as JSON values, with matchers allowed at any depth."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Final

from holodeck_core.api.matcher import ABSENT, Matcher, Undecided, check_reason
from holodeck_core.api.values import JsonValue
from holodeck_core.models.matcher_shape import shape_of
from holodeck_core.text import show_value


class LiteralMatcher(Matcher):
    """Equality of JSON values: ``true`` equals only ``true``, at every depth; ``1`` equals ``1.0``, by exact value;
    strings are equal character by character, lists in order, mappings by equal keys. ``null`` is a value.

    A value that is itself written as a matcher (``{fuzzy: …}``) is asked instead of compared, at any depth; with
    ``aliases``, also one whose only key is among them.
    """

    blocking = False

    def __init__(
        self,
        expected: JsonValue,
        build: Callable[[JsonValue], Matcher] | None = None,
        aliases: Container[str] = (),
    ) -> None:
        self._expected = expected if build is None else _with_matchers(expected, build, aliases)
        self.blocking = _blocks(self._expected)

    def mismatch(self, actual: Any) -> str | None:
        return _difference(self._expected, actual, "")


def _with_matchers(value: Any, build: Callable[[JsonValue], Matcher], aliases: Container[str]) -> Any:
    """The value with every nested matcher, written as a mapping, replaced by the matcher itself."""
    if isinstance(value, list):
        return [_nested(item, build, aliases) for item in value]
    if isinstance(value, dict):
        return {key: _nested(item, build, aliases) for key, item in value.items()}
    return value


def _nested(value: Any, build: Callable[[JsonValue], Matcher], aliases: Container[str]) -> Any:
    if isinstance(value, dict) and shape_of(value, aliases) is not None:
        return build(value)
    return _with_matchers(value, build, aliases)


def _blocks(value: Any) -> bool:
    if isinstance(value, Matcher):
        return value.blocking
    if isinstance(value, list):
        return any(map(_blocks, value))
    if isinstance(value, dict):
        return any(map(_blocks, value.values()))
    return False


_SCALARS: Final = (str, int, float)


def _difference(expected: Any, actual: Any, place: str) -> str | None:
    """The first difference, with the place where it stands below the compared value, or None."""
    if not isinstance(expected, _SCALARS) and isinstance(expected, Matcher):  # to ask an ABC costs the most
        reason = expected.mismatch(actual)
        check_reason(reason)
        return None if reason is None else _at(place, reason)
    if isinstance(expected, dict):
        if isinstance(actual, dict):
            return _dict_difference(expected, actual, place)
    elif isinstance(expected, list):
        if isinstance(actual, list):
            return _list_difference(expected, actual, place)
    elif isinstance(expected, bool) or isinstance(actual, bool):
        if expected is actual:
            return None
    elif expected == actual:
        return None
    return _at(place, f"expected {_show(expected)}, got {_show(actual)}")


def _dict_difference(expected: dict[str, Any], actual: dict[str, Any], place: str) -> str | None:
    for key, value in expected.items():
        if key in actual:
            difference = _difference(value, actual[key], f"{place}.{key}")
        elif isinstance(value, Matcher) and value.accepts_absent:
            difference = _difference(value, ABSENT, f"{place}.{key}")
        else:
            difference = _at(place, f"key {_show(key)} is missing in {_show(actual)}")
        if difference is not None:
            return difference
    for key in actual:
        if key not in expected:
            return _at(place, f"key {_show(key)} was not expected: got {_show(actual)}")
    return None


def _list_difference(expected: list[Any], actual: list[Any], place: str) -> str | None:
    if len(expected) != len(actual):
        return _at(
            place,
            f"expected {_show(expected)} ({len(expected)} items), got {_show(actual)} ({len(actual)} items)",
        )
    for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
        difference = _difference(left, right, f"{place}[{index}]")
        if difference is not None:
            return difference
    return None


def _at(place: str, reason: str) -> str:
    if not place:
        return reason
    placed = f"at {place.removeprefix('.')}: {reason}"
    return Undecided(placed) if isinstance(reason, Undecided) else placed


def _show(value: Any) -> str:
    return show_value(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, Matcher):
        return f"<{type(value).__name__}>"
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
