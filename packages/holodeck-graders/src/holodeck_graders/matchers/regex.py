"""``{regex: "..."}``: the whole text matches a pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holodeck_core import JsonValue, Matcher, Undecided, show_value
from holodeck_graders.regex.child import MATCH_SECONDS
from holodeck_graders.regex.guard import MatchFailed, MatchTimeout, fullmatch_any
from holodeck_graders.regex.pattern import UNLIMITED, compile_pattern
from holodeck_graders.text import spellings


class RegexMatcher(Matcher):
    """A full match in the syntax of Python's ``re``: of a string, or of any other value's JSON text or Python
    text (``true`` or ``True``, ``null`` or ``None``).

    A match that takes longer than a second is no match, and says so. Patterns that cannot take long on the
    text at hand are matched on the spot, others in a process of their own; ``blocking`` is False where no text can
    make the pattern slow.
    """

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if not isinstance(expected, str):
            raise ValueError(f"`regex` takes a pattern as text, not {show_value(expected)}")
        self.pattern = expected
        self.compiled, self._limit = compile_pattern(expected)
        self.blocking = self._limit != UNLIMITED

    def mismatch(self, actual: Any) -> str | None:
        texts = spellings(actual)
        try:
            if all(len(text) <= self._limit for text in texts):
                matches = any(map(self.compiled.fullmatch, texts))
            else:
                matches = fullmatch_any(self.pattern, texts)
        except MatchTimeout:
            note = f": the match was ended because it took longer than {MATCH_SECONDS:g} second"
        except MatchFailed:
            note = ": the match ended without an answer; it needed too much memory, or its process was ended"
        else:
            if matches:
                return None
            note = ""
        reason = f"expected a full match of regex {show_value(self.pattern)}, got {show_value(actual)}{note}"
        return Undecided(reason) if note else reason
