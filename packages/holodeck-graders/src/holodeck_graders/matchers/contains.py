"""``{contains: X}``: a text, a list or a mapping holds a part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holodeck_core import ABSENT, ArgMatcher, JsonValue, LiteralMatcher, Matcher, Undecided, show_value


class ContainsMatcher(Matcher):
    """What it means depends on the actual value:

    - a text contains a text, character by character;
    - a list contains one element that matches X, which is a literal or a matcher;
    - a mapping contains a mapping: every key of X is there, and its value matches; other keys do not matter.
    """

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        self._expected = expected
        self._element = build(expected)
        part = ArgMatcher.from_yaml(expected)
        self._text = part.value if part.kind == "literal" and isinstance(part.value, str) else None
        self._keys: dict[str, Matcher] | None = None
        if part.kind == "literal" and isinstance(part.value, dict):
            make = LiteralMatcher if part.verbatim else build
            self._keys = {key: make(value) for key, value in part.value.items()}
        self.blocking = any(matcher.blocking for matcher in (self._element, *(self._keys or {}).values()))

    def mismatch(self, actual: Any) -> str | None:
        if isinstance(actual, str) and self._text is not None:
            return None if self._text in actual else self._reason(actual)
        if isinstance(actual, list):
            return self._element_mismatch(actual)
        if isinstance(actual, dict) and self._keys is not None:
            return self._key_mismatch(self._keys, actual)
        return self._reason(actual)

    def _element_mismatch(self, actual: list[Any]) -> str | None:
        undecided = None
        for item in actual:
            reason = self._element.mismatch(item)
            if reason is None:
                return None
            if isinstance(reason, Undecided):
                undecided = reason
        wanted = self._reason(actual)
        return wanted if undecided is None else Undecided(f"{wanted}; of one: {undecided}")

    def _key_mismatch(self, keys: dict[str, Matcher], actual: dict[str, Any]) -> str | None:
        for key, matcher in keys.items():
            if key not in actual and not matcher.accepts_absent:
                return f"{self._reason(actual)}: key {show_value(key)} is missing"
            reason = matcher.mismatch(actual.get(key, ABSENT))
            if reason is not None:
                told = f"{self._reason(actual)}: at {key}: {reason}"
                return Undecided(told) if isinstance(reason, Undecided) else told
        return None

    def _reason(self, actual: Any) -> str:
        return f"expected it to contain {show_value(self._expected)}, got {show_value(actual)}"
