"""Which characters one step of a pattern can take, as a bit mask that errs on the large side.

A bit for each ASCII character, and one for each kind of character beyond: digits, other word characters,
white space, and the rest. Two masks without a common bit stand for sets without a common character.
"""

from __future__ import annotations

import re
from typing import Any, Final

_ASCII: Final = (1 << 128) - 1
_DIGITS, _WORDS, _SPACES, _OTHERS = (1 << bit for bit in range(128, 132))
EVERYTHING: Final = (1 << 132) - 1


def _ascii(pattern: str) -> int:
    return sum(1 << code for code in range(128) if re.match(pattern, chr(code)))


_CATEGORIES: Final = {
    "CATEGORY_DIGIT": _ascii(r"\d") | _DIGITS,
    "CATEGORY_WORD": _ascii(r"\w") | _DIGITS | _WORDS,
    "CATEGORY_SPACE": _ascii(r"\s") | _SPACES,
}
_ASCII_CATEGORIES: Final = {
    "CATEGORY_DIGIT": _ascii(r"(?a)\d"),
    "CATEGORY_WORD": _ascii(r"(?a)\w"),
    "CATEGORY_SPACE": _ascii(r"(?a)\s"),
}
_LETTERS: Final = _ascii("[A-Za-z]")
_LOWER: Final = _ascii("[a-z]")
_UPPER: Final = _ascii("[A-Z]")


def mask_of(op: str, value: Any, flags: int) -> int | None:
    """The mask of a step of the parse tree that takes exactly one character; None for any other step."""
    if op == "ANY":
        return EVERYTHING if flags & re.DOTALL else EVERYTHING & ~(1 << 10)
    if op == "LITERAL":
        return _both_cases(_range(value, value), flags)
    if op == "NOT_LITERAL":
        return EVERYTHING & ~_certain(value, flags)
    if op == "IN":
        return _set(value, flags)
    return None


def _set(items: list[Any], flags: int) -> int:
    negated = str(items[0][0]) == "NEGATE"
    if negated and flags & re.IGNORECASE:
        return EVERYTHING
    chars = categories = 0
    for op, value in items[negated:]:
        match str(op):
            case "LITERAL":
                chars |= _certain(value, flags) if negated else _range(value, value)
            case "RANGE":
                chars |= _ascii_range(*value) if negated else _range(*value)
            case "CATEGORY":
                categories |= _category(str(value), flags, negated)
            case _:
                return EVERYTHING
    return EVERYTHING & ~(chars | categories) if negated else _both_cases(chars, flags) | categories


def _category(name: str, flags: int, negated: bool) -> int:
    """A category inside a set. What is to be negated errs on the small side, so that its complement errs on
    the large."""
    categories = _ASCII_CATEGORIES if flags & re.ASCII else _CATEGORIES
    positive = categories.get(name.replace("_NOT_", "_"))
    if positive is None:
        return 0 if negated else EVERYTHING
    return EVERYTHING & ~positive if "_NOT_" in name else positive


def _certain(code: int, flags: int) -> int:
    """The bits that a literal covers whole: its own in ASCII, none beyond, none where case is ignored."""
    return 1 << code if code < 128 and not flags & re.IGNORECASE else 0


def _ascii_range(low: int, high: int) -> int:
    return sum(1 << code for code in range(low, min(high, 127) + 1))


def _range(low: int, high: int) -> int:
    if high < 128:
        return _ascii_range(low, high)
    return _ascii_range(low, high) | (_beyond(chr(high)) if low == high else EVERYTHING & ~_ASCII)


def _beyond(char: str) -> int:
    if char.isdecimal():
        return _DIGITS
    if char.isalnum():
        return _WORDS
    return _SPACES if char.isspace() else _OTHERS


def _both_cases(mask: int, flags: int) -> int:
    """With the other case of each letter. Beyond ASCII, any letter may be the other case of any (`K` of the
    kelvin sign)."""
    if not flags & re.IGNORECASE:
        return mask
    if mask & ~_ASCII:
        mask |= _LETTERS
    if mask & _LETTERS:
        mask |= (mask & _LOWER) >> 32 | (mask & _UPPER) << 32 | _WORDS | _OTHERS
    return mask
