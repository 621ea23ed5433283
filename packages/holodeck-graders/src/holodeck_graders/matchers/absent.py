"""``{absent: true}``: the argument is not given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holodeck_core import ABSENT, JsonValue, Matcher, show_value


class AbsentMatcher(Matcher):
    """Matches an argument, or a key of a mapping, that is not there. ``null`` is there."""

    accepts_absent = True
    blocking = False

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if expected is not True:
            raise ValueError("`absent` takes only `true`")

    def mismatch(self, actual: Any) -> str | None:
        return None if actual is ABSENT else f"expected it to be absent, got {show_value(actual)}"
