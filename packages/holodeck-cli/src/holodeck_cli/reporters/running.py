"""What is running, in one line. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holodeck_core.cells import width_of
from holodeck_core.text import one_line

_NAME_WIDTH: Final = 40
_AT_MOST: Final = 20


def running_text(running: Sequence[tuple[str, float]], now: float, width: int) -> str:
    """``running: one (12 s), two (3 s) and 6 more``, in ``width`` cells, the one that runs longest first; empty where
    nothing runs. Of each the name is given, and when it started, by the same clock as ``now``."""
    text = ""
    longest = sorted(running, key=lambda case: case[1])
    for number, (name, since) in enumerate(longest):
        one = f"{one_line(name, _NAME_WIDTH)} ({max(0.0, now - since):.0f} s)"
        longer = f"{text}, {one}" if text else f"running: {one}"
        left = len(longest) - number - 1
        if number and (number == _AT_MOST or width_of(longer + _more(left)) > width):
            return text + _more(left + 1)
        text = longer
    return text


def _more(number: int) -> str:
    return f" and {number} more" if number else ""
