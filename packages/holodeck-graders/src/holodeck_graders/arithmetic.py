"""Comparing numbers in decimal arithmetic, without rounding."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from typing import Any, Final

from holodeck_graders.numbers import Number

# An integer of more than 4,300 digits has no decimal text in Python.
_MAX_BITS: Final = 14_000
# Wide enough for the difference and the product of any two numbers that can be read, so that nothing is ever
# rounded.
_EXACT: Final = Context(prec=10_000, Emin=-20_000, Emax=20_000)


def is_whole(number: Number) -> bool:
    """Whether the number is an integer by value, as ``5.0`` is."""
    return number == number.to_integral_value()


def difference(left: Number, right: Number) -> Number:
    """The distance between two numbers."""
    return _EXACT.subtract(left, right).copy_abs()


def share(fraction: Number, whole: Number) -> Number:
    """``fraction`` times the magnitude of ``whole``."""
    return _EXACT.multiply(fraction, whole.copy_abs())


def exact(value: Any) -> Number | None:
    """The number that a JSON number is written as (``0.1`` is a tenth); None for any other value, and for an integer
    that is too long to be written."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value) if value.bit_length() <= _MAX_BITS else None
    return Decimal(repr(value)) if isinstance(value, float) and math.isfinite(value) else None


def show_number(number: Number) -> str:
    """The number as people write it; rounded, in exponent form, where that would be longer than a line."""
    text = str(number)
    if len(text) <= 60 and "E" not in text:
        return text
    plain = f"{number:f}" if abs(number.adjusted()) < 40 else text
    return plain if len(plain) <= 60 else f"{number:.15E}"
