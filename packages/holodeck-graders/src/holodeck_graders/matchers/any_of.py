"""``{any_of: [...]}``: one of several alternatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holodeck_core import ABSENT, JsonValue, Matcher, Undecided, show_value


class AnyOfMatcher(Matcher):
    """Matches where one of the alternatives does. Each is a literal or a matcher; one of them may be
    ``{absent: true}``."""

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if not isinstance(expected, list) or not expected:
            raise ValueError("`any_of` takes a list of at least one alternative")
        self._expected = expected
        self._alternatives = [build(item) for item in expected]
        accepts_absent = any(item.accepts_absent for item in self._alternatives)
        self.accepts_absent = accepts_absent
        self.blocking = any(item.blocking for item in self._alternatives)

    def mismatch(self, actual: Any) -> str | None:
        if actual is ABSENT:
            return (
                None if self.accepts_absent else f"expected any of {show_value(self._expected)}, got nothing"
            )
        reasons = []
        for alternative in self._alternatives:
            reason = alternative.mismatch(actual)
            if reason is None:
                return None
            reasons.append(reason)
        if len(reasons) == 1:
            return reasons[0]
        wanted = f"expected any of {show_value(self._expected)}, got {show_value(actual)}"
        undecided = next((reason for reason in reasons if isinstance(reason, Undecided)), None)
        return wanted if undecided is None else Undecided(f"{wanted}; of one: {undecided}")
