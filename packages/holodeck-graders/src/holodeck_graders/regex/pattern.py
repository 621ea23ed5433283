"""A compiled pattern, and up to which length of text it can be matched on the spot."""

from __future__ import annotations

import re
import sys
import warnings
from functools import lru_cache
from typing import Final, NamedTuple

from holodeck_graders.regex.cost import cost, parse

UNLIMITED: Final = sys.maxsize
NEVER: Final = -1

# Steps that take some milliseconds at the very most.
_BUDGET: Final = 1_000_000
# A text of this length tells a pattern whose cost grows with the text alone from one whose cost grows faster.
_LONG: Final = 1 << 20
_STEPS_A_CHARACTER: Final = 32


class Pattern(NamedTuple):
    """``limit`` is the length in characters up to which any text is matched within milliseconds: UNLIMITED
    where the time grows no faster than the text, NEVER where not even a text of one character is safe."""

    compiled: re.Pattern[str]
    limit: int


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Pattern:
    """Compile and judge a pattern. Raises ValueError, which names the place, for one that is no regular
    expression."""
    with warnings.catch_warnings():
        # A construct that may change its meaning in a later Python still has one in this.
        warnings.simplefilter("ignore")
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            place = "" if error.pos is None else f" at character {error.pos + 1}"
            raise ValueError(f"not a regular expression: {error.msg}{place}") from None
        except OverflowError as error:
            raise ValueError(f"not a regular expression: {error}") from None
        except RecursionError:
            raise ValueError("not a regular expression: it is nested too deeply") from None
        return Pattern(compiled, _limit(pattern))


def _limit(pattern: str) -> int:
    try:
        tree, flags = parse(pattern)
        if cost(tree, flags, 1_000) <= _BUDGET and cost(tree, flags, _LONG) <= _LONG * _STEPS_A_CHARACTER:
            return UNLIMITED
        if cost(tree, flags, 1) > _BUDGET:
            return NEVER
        length = 1
        while cost(tree, flags, length * 2) <= _BUDGET:
            length *= 2
    except Exception:  # noqa: BLE001 - boundary: the parse tree of `re` may change its form in any release
        return NEVER
    return length
