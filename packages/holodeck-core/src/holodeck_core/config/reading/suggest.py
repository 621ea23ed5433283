"""Did you mean: the nearest of the names that would have been right. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

# Comparing is quadratic in the length of a word and linear in the number of names; both come from a file.
_LONGEST: Final = 80
_MOST: Final = 2_000


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that ``word`` was most probably meant to be, None where none is near.

    Other letters' case, and hyphens, underscores or spaces in one another's place, are the nearest misses of all.
    """
    if len(word) > _LONGEST:
        return None
    from difflib import get_close_matches

    by_folded: dict[str, str] = {}
    for candidate in islice(candidates, _MOST):
        if len(candidate) <= _LONGEST:
            by_folded.setdefault(_folded(candidate), candidate)
    for match in get_close_matches(_folded(word), by_folded, n=1, cutoff=0.65):
        return by_folded[match]
    return None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """``; did you mean "name"?``, or nothing where no candidate is near."""
    match = closest(word, candidates)
    return "" if match is None else f'; did you mean "{match}"?'


def _folded(word: str) -> str:
    return word.casefold().replace("-", "_").replace(" ", "_")
