"""The scalars of YAML's core schema (version 1.2), with one deviation: a leading zero makes a string. Pure.

So `no`, `on`, `12:30:00`, `1_000`, dates, `010` and `01.5` are strings; `0x1F` and `0o17` are integers; `1e-3`, `.5`
and `1.` are floats. A number of JSON is the same number here.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

Scalar: TypeAlias = bool | int | float | str | None

NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})

# What a plain scalar that is no string can begin with; a scalar that begins otherwise needs no further look.
UNUSUAL_STARTS: Final = frozenset({"", *"+-.0123456789~nNtTfF"})

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(NULLS),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NON_FINITE: Final = frozenset(
    [f"{sign}{word}" for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")]
    + [".nan", ".NaN", ".NAN"]
)
_NUMBER_STARTS: Final = frozenset("+-.0123456789")
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED: Final = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")

# Python converts at most 4,300 digits to or from text by default; a longer integer could be shown nowhere.
MAX_DIGITS: Final = 4_300
_MAX_BITS: Final = 14_284


class ScalarError(ValueError):
    """A scalar that the schema knows and HoloDeck refuses; ``instead`` is a value of its type that can stand in."""

    def __init__(self, message: str, instead: int | float) -> None:
        super().__init__(message)
        self.instead = instead


def resolve(text: str) -> Scalar:
    """The value of a plain (unquoted) scalar.

    Raises ScalarError for `.nan`, `.inf`, a float beyond the range of a double, and an integer of more than
    4,300 digits.
    """
    # The commonest number of all, without a pattern.
    if text.isdecimal() and text.isascii() and text[0] != "0":
        return _integer(text)
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _DECIMAL.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return _finite(text)
    if _BASED.fullmatch(text):
        return _based_integer(text)
    if text in _NON_FINITE:
        raise ScalarError(f"{text} is not a finite number: if it is meant as text, quote it", 0.0)
    return text


def _integer(text: str) -> int:
    if len(text) <= MAX_DIGITS + 1:
        try:
            return int(text)
        except ValueError:  # one digit too many, or a limit that the user's environment sets lower
            pass
    raise _too_long()


def _based_integer(text: str) -> int:
    value = int(text[2:], 16 if text[1] == "x" else 8)
    if value.bit_length() > _MAX_BITS:
        raise _too_long()
    return value


def _too_long() -> ScalarError:
    return ScalarError(f"an integer has at most {MAX_DIGITS:,} digits: if it is meant as text, quote it", 0)


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise ScalarError("the number is too large for a float: if it is meant as text, quote it", 0.0)
    return value
