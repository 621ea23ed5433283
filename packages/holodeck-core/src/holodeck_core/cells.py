"""Widths of text in the cells of a terminal: a wide character has two, a combining one none. Pure.

The one rule by which texts are aligned. The core has it without a dependency; what the command line breaks into lines
it leaves to wcwidth, which knows where a character may not be parted from its marks.
"""

from __future__ import annotations

import unicodedata

_JOINED_JAMO = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7fb"))
"""Vowels and final consonants of Hangul, which stand in the cells of the consonant before them."""


def width_of(text: str) -> int:
    """How many cells a line of text takes. Where a joiner makes one picture of several it may be fewer: in values and
    names it stands as an escape."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if any(first <= character <= last for first, last in _JOINED_JAMO):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, width: int) -> str:
    """The text with spaces behind it, up to ``width`` cells."""
    return text + " " * (width - width_of(text))
