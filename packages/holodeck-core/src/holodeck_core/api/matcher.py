"""Matchers: one expected value against the actual one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from holodeck_core.api.values import JsonValue


class Matcher(ABC):
    """Compares the argument values of tool calls with what a test case expects.

    One instance is built for each place in a file, while it is loaded, and then asked for many calls, possibly from
    several threads: it keeps no state between calls.
    """

    accepts_absent: bool = False
    """True: ``mismatch`` is also asked when the argument is missing, with ``ABSENT`` as the actual value."""

    blocking: bool = True
    """Whether ``mismatch`` may take long. It is then called in a worker thread; set False for pure, quick code."""

    @abstractmethod
    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        """Take the value under the matcher's key. ``build`` makes the matcher of a nested value.

        Raise ValueError where ``expected`` makes no sense: it becomes a configuration error at its place in the file.
        """

    @abstractmethod
    def mismatch(self, actual: Any) -> str | None:
        """None where ``actual`` (a read-only JSON value) matches, else why not, as ``expected ..., got ...``.

        What this raises costs the one assertion, with the exception as its reason.
        """


def check_reason(reason: object) -> None:
    """Raise TypeError where a matcher's answer is neither None nor a text: it could be read either way."""
    if reason is not None and not isinstance(reason, str):
        raise TypeError(f"a matcher returns None or why not, as a text, got {reason!r}")


class Undecided(str):
    """The reason of a mismatch where it could not be decided whether the value matches."""

    __slots__ = ()


class Absent:
    """The type of ``ABSENT``."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
"""Stands for an argument that the call does not have."""
