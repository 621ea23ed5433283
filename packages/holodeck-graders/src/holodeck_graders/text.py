"""Text as matchers and metrics compare it: the text of a value, and what is folded away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any
from unicodedata import combining, normalize

# Up to here the standard library's normalisation is quick whatever the text holds.
_SHORT = 1_000
# Marks that begin no combining class of their own, but are made of two that do.
_COMPOSED_MARKS = "\u0f73\u0f75\u0f81"

_NUMBER = r"[$\u00a2-\u00a5\u20a0-\u20c0]?\.?\d"
_PUNCTUATION = re.compile(
    rf"""
    ( (?<![^\W_])(?<![)\]}}])[+-](?={_NUMBER})  # the sign of a number
    | (?<=\d[eE])[+-](?=\d)             # the sign of its exponent
    | (?<=\d)\.(?=\d)                   # its decimal point
    | (?<![^\W_])(?<!\.)\.(?=\d) )     # its decimal point where no digit stands before it
    | [!-/:-@\[-`{{-~]
    """,
    re.VERBOSE,
)


def fold(text: str) -> str:
    """The text without what fuzzy matching does not see: letter case, the composition of characters (NFC),
    and the kind and number of white space characters. Nothing else is taken away."""
    if text.isascii():
        return collapse(text.lower())
    return collapse(compose(compose(text).casefold()))


def collapse(text: str) -> str:
    """The text with each run of white space made one space, and none at its ends."""
    return " ".join(text.split())


def without_punctuation(text: str) -> str:
    """The text without ASCII punctuation, but with the signs and the decimal points of its numbers.

    A sign stands before a number or its currency sign and behind no letter, digit or closing bracket: the hyphens of
    ``GPT-4`` and ``2030-01-02`` are none.
    """
    return _PUNCTUATION.sub(r"\1", text)


def compose(text: str) -> str:
    """The text in Unicode's normal form C, in linear time.

    ``unicodedata.normalize`` sorts the combining marks behind a letter in quadratic time, which takes minutes
    on a text that was made for it. It is quick on marks that are in order already.
    """
    if len(text) > _SHORT:
        runs = groupby(text, key=lambda char: combining(char) != 0 or char in _COMPOSED_MARKS)
        text = "".join(_in_order(run) if marks else "".join(run) for marks, run in runs)
    return normalize("NFC", text)


def _in_order(marks: Iterable[str]) -> str:
    parts = (part for mark in marks for part in normalize("NFD", mark))
    return "".join(sorted(parts, key=combining))


def spellings(value: Any) -> tuple[str, ...]:
    """The texts that stand for a JSON value: a string is its own; any other value has its JSON text, and the text
    that Python gives it where that differs (``true`` and ``True``, ``null`` and ``None``)."""
    if isinstance(value, str):
        return (value,)
    json_text = text_of(value)
    try:
        python_text = str(value)
    except ValueError:
        return (json_text,)
    return (json_text,) if python_text == json_text else (json_text, python_text)


def text_of(value: Any) -> str:
    """A string as it is, any other value as its JSON text."""
    if isinstance(value, str):
        return value
    try:
        # For most values the same, and much quicker.
        return repr(value) if type(value) in (int, float) else json.dumps(value, ensure_ascii=False)
    except ValueError:  # an integer that is too long to be written
        return f"<{type(value).__name__} that is too long to write>"
