"""Widths of text in the cells of a terminal: a wide character has two, a combining one none. Pure."""

from __future__ import annotations

import unicodedata

_JOINED_JAMO = (("\u1160", "\u11ff"), ("\ud7b0", "\ud7fb"))
"""Vowels and final consonants of Hangul, which stand in the cells of the consonant before them."""


def width_of(text: str) -> int:
    """How many cells a line of text takes in which joiners and selectors stand as escapes, as values and names do."""
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
