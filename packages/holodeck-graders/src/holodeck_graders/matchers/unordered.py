"""``{unordered: [...]}``: a list in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any

from holodeck_core import JsonValue, Matcher, Undecided, show_value

# Above this many elements, comparing each with each takes long enough to be worth a thread.
_QUICK = 50


class UnorderedMatcher(Matcher):
    """Matches a list of as many elements, each of which serves one of the expected ones, in any order.

    Elements are literals or matchers. Where several would do, they are assigned so that all are served if
    that is possible at all: ``[{regex: ".*"}, "a"]`` matches ``["a", "b"]``.
    """

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if not isinstance(expected, list):
            raise ValueError(f"`unordered` takes a list, not {show_value(expected)}")
        self._expected = expected
        self._elements = [build(item) for item in expected]
        self.blocking = len(expected) > _QUICK or any(element.blocking for element in self._elements)

    def mismatch(self, actual: Any) -> str | None:
        wanted = f"expected in any order {show_value(self._expected)}"
        if not isinstance(actual, list):
            return f"{wanted}, got {show_value(actual)}"
        if len(actual) != len(self._elements):
            return f"{wanted} ({len(self._elements)} items), got {show_value(actual)} ({len(actual)} items)"

        undecided: list[Undecided] = []

        @cache
        def serves(element: int, item: int) -> bool:
            reason = self._elements[element].mismatch(actual[item])
            if isinstance(reason, Undecided):
                undecided.append(reason)
            return reason is None

        unserved = assign(len(actual), serves)
        if unserved is None:
            return None
        left = (
            f"{wanted}, got {show_value(actual)}: nothing is left for {show_value(self._expected[unserved])}"
        )
        return Undecided(f"{left}; of one: {undecided[0]}") if undecided else left


def assign(count: int, serves: Callable[[int, int], bool]) -> int | None:
    """Give each of ``count`` elements an item of its own that serves it; the first that none can be found
    for, else None.

    An element whose items are all taken gets one whose element can move on to another (an augmenting path).
    """
    owner: dict[int, int] = {}
    for element in range(count):
        if not _place(element, count, serves, owner):
            return element
    return None


def _place(element: int, count: int, serves: Callable[[int, int], bool], owner: dict[int, int]) -> bool:
    """Find an item for one more element, moving those that have one; ``owner`` maps items to elements."""
    reached_from: dict[int, int] = {}
    waiting = deque([element])
    while waiting:
        current = waiting.popleft()
        # The item at its own place is the likeliest.
        for item in (current, *range(count)):
            if item in reached_from or not serves(current, item):
                continue
            reached_from[item] = current
            if item not in owner:
                _shift(item, reached_from, owner)
                return True
            waiting.append(owner[item])
    return False


def _shift(item: int, reached_from: dict[int, int], owner: dict[int, int]) -> None:
    """Give the free ``item`` to the element it was reached from, that one's former item to the one before,
    and so on."""
    held = {element: taken for taken, element in owner.items()}
    place: int | None = item
    while place is not None:
        element = reached_from[place]
        owner[place] = element
        place = held.get(element)
