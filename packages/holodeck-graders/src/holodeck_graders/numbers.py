"""The number grammar: what text is a number, once for every matcher and metric.

*Number text* is an optional sign, digits, an optional fraction, an optional exponent and an optional percent
sign::

    number   = [sign] (integer [fraction] | fraction) [exponent] [[space] "%"]
    sign     = "+" | "-" | U+2212
    integer  = digits without a leading zero, plain or in groups
    groups   = one to three digits, then groups of exactly three, all with one kind of separator
             | one or two digits, then groups of two and a last one of three, separated by ","
    fraction = "." digits
    exponent = ("e" | "E") [sign] digits

Separators are ``,`` ``_`` ``'``, the plain space, U+00A0, U+2009 and U+202F. Digits are the decimal digits of
any script, all of one script. At most 1,000 digits and an exponent of at most 1,000 either way: what is
larger is *too long*. White space around the whole is no part of it, and everything else must be: no prefix of
a text is ever a number. Numbers are exact decimals; no binary fraction is involved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias
from unicodedata import category, decimal

from holodeck_core import show_value

MAX_DIGITS: Final = 1_000
MAX_EXPONENT: Final = 1_000

Number: TypeAlias = Decimal
"""A finite number, exact."""


class Unreadable(NamedTuple):
    """Why a text is no number: what could not be read, and where (characters count from 1).

    ``refused`` tells number text that is too long, or needs an option that is off, from text that is no
    number at all.
    """

    reason: str
    refused: bool = False


class Accept(NamedTuple):
    """What is taken besides plain digits. ``currency`` (``$5``, ``5 €``) and ``parentheses`` (``(5)`` for -5)
    go beyond number text, the other two are part of it and can be taken away."""

    percent: bool = True
    separators: bool = True
    currency: bool = False
    parentheses: bool = False


NUMBER_TEXT: Final = Accept()
"""Number text, as it stands above."""


class Found(NamedTuple):
    """A number in prose: its text, and its value or why it cannot be read."""

    text: str
    value: Number | Unreadable


_SPACES = " \u00a0\u2009\u202f"
_SIGNS = frozenset("+-\u2212")
_OTHER_DASHES = frozenset("\u2010\u2011\u2012\u2013")

# The grammar behind the sign. What ends in `++` is never given back, so that no text is read twice; nor is an exponent
# or a percent sign, whose other way is that there is none (`?+` behind a group goes wrong before Python 3.11.5). A
# leading zero and a mix of scripts are found when the value is made.
_UNSIGNED = rf"""
    (?=\.?\d)
    (
        \d{{1,3}}([,_'{_SPACES}])\d{{3}}(?:\2\d{{3}})*(?!\d)
      | \d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?!\d)
      | \d++
    )?
    (?:\.(\d++))?
    (?:[eE]([+\-\u2212]?\d++)|(?![eE][+\-\u2212]?\d))
    (?:([{_SPACES}]?%)|(?![{_SPACES}]?%))
"""
_match_unsigned = re.compile(_UNSIGNED, re.VERBOSE).match
# In prose a number stands free: no letter, digit, `_`, `*` or `/` touches it, and nothing joins it to another
# digit. Other marks that people group or point digits with are no part of number text, but they join: what stands on
# one side of them is not the whole number.
_OTHER_JOINERS = "\u00b7\u02bc\u066b\u066c\u2007\u2008\u200b-\u200d\u2019\u205f\u2060\uff0c\uff0e"
_JOINER = rf"[-\u2010-\u2013\u2212.,'{_OTHER_JOINERS}{_SPACES[1:]}]"
_IN_PROSE = re.compile(rf"(?<![\w*/.])(?<!\d{_JOINER}){_UNSIGNED}(?![\w*/])(?!{_JOINER}\d)", re.VERBOSE)
# What most texts are that are numbers at all.
_is_plain = re.compile(r"[+-]?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?").fullmatch


def parse_number(text: str, accept: Accept = NUMBER_TEXT) -> Number | Unreadable:
    """The number that the whole text is, white space at its ends aside."""
    body = text.strip()
    if len(body) <= MAX_DIGITS and _is_plain(body):
        return Decimal(body)
    return _parse(body, accept, len(text) - len(text.lstrip()) + 1)


def find_numbers(text: str, accept: Accept = NUMBER_TEXT) -> Iterator[Found]:
    """The numbers that stand free in prose, in order, with those that ``accept`` refuses or that are too long.

    A ``-`` is a sign only at the start or after white space, an opening bracket, a currency sign, ``:`` or
    ``=``. After anything else it belongs to a word (``GPT-4``), and what follows it is no number; nor is what
    follows another dash.
    """
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    for match in _IN_PROSE.finditer(text):
        start, end = match.span()
        wrapped = _wrapped(text, start, end)
        if wrapped is not None and (accept.parentheses or wrapped == (first, last)):
            start, end = wrapped
        else:
            signed = _signed(text, start)
            if signed is None:
                continue
            start = signed
        value = parse_number(text[start:end], accept)
        if isinstance(value, Number) or value.refused:
            yield Found(text[start:end], value)


def _wrapped(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The place of a number, with its currency sign, together with the parentheses directly around it."""
    if _is_currency(text[start - 1 : start]):
        start -= 1
    elif _is_currency(text[end : end + 1]):
        end += 1
    return (start - 1, end + 1) if text[start - 1 : start] == "(" and text[end : end + 1] == ")" else None


def _signed(text: str, start: int) -> int | None:
    """Where a number begins with its sign; None where a ``-`` before it is none, so that it is no number
    either."""
    place = start - 1
    currency = place - 1 if text[place:start].isspace() else place
    if currency > 0 and _is_currency(text[currency : currency + 1]) and text[currency - 1] in _SIGNS:
        place = (
            currency - 1
        )  # -$5, -$ 5: the sign may not be lost, so the currency sign is part of the number
    before = text[place : place + 1]
    if place < 0 or before not in _SIGNS:
        return None if before in _OTHER_DASHES else start
    if place == 0 or text[place - 1].isspace() or text[place - 1] in "([{:=" or _is_currency(text[place - 1]):
        return place
    return start if before == "+" else None


def _parse(body: str, accept: Accept, offset: int) -> Number | Unreadable:
    """The number that the trimmed text is. ``offset`` is the number of its first character, for messages."""
    if body[:1] != "(" or body[-1:] != ")" or body[1:2] in _SIGNS:
        return _parse_bare(body, accept, offset)
    value = _parse_bare(body[1:-1], accept, offset + 1)
    if isinstance(value, Unreadable):
        return value if value.refused else _no_number(body, 0, offset)
    return value.copy_negate() if accept.parentheses else _needs("accept_parentheses", "(", offset)


def _parse_bare(body: str, accept: Accept, offset: int) -> Number | Unreadable:
    """The number without parentheses that the text is."""
    start, negative, currency = _prefix(body)
    match = _match_unsigned(body, start)
    if match is None:
        return _no_number(body, start if currency is None else 0, offset)
    end = match.end()
    if end < len(body) and currency is None and _is_currency(body[end + (body[end] in _SPACES) :]):
        currency, end = len(body) - 1, len(body)
    integer, separator, _, _, percent = match.groups()
    if end < len(body) or (currency is not None and percent):
        return _no_number(body, min(end, len(body) - 1), offset)
    value = _value(match, negative)
    if isinstance(value, Unreadable):
        return value
    if currency is not None and not accept.currency:
        return _needs("accept_currency", body[currency], offset + currency)
    if not accept.separators and (separator or (integer and "," in integer)):
        separator = separator or ","
        return _needs("accept_thousands_separators", separator, offset + body.index(separator, start))
    if not accept.percent and percent:
        return _needs("accept_percent", "%", offset + end - 1)
    return value


def _prefix(body: str) -> tuple[int, bool, int | None]:
    """Where the digits begin, whether the number is negative, and the place of a currency sign before them."""
    if body[:1].isdecimal():
        return 0, False, None
    sign = body[:1] if body[:1] in _SIGNS else ""
    start = len(sign)
    currency = None
    if _is_currency(body[start : start + 1]):
        currency = start
        start += 1
        if not sign and body[start : start + 1] in _SIGNS:
            sign = body[start]
            start += 1
        elif body[start : start + 1].strip(_SPACES) == "":
            start += 1
    return start, sign not in ("", "+"), currency


def _value(match: re.Match[str], negative: bool) -> Number | Unreadable:
    integer, separator, fraction, exponent, percent = match.groups("")
    if not integer.isdecimal():
        integer = integer.replace(separator or ",", "")
    if len(integer) + len(fraction) > MAX_DIGITS:
        length = len(integer) + len(fraction)
        return Unreadable(f"number too long: {length} digits, and at most {MAX_DIGITS} are read", True)
    if len(integer) > 1 and decimal(integer[0]) == 0:
        return Unreadable("a leading zero makes it an identifier")
    power = 0
    if exponent:
        exponent = exponent.replace("\u2212", "-")
        if len(exponent) > MAX_DIGITS or abs(power := int(exponent)) > MAX_EXPONENT:
            return Unreadable(f"number too long: its exponent is beyond {MAX_EXPONENT}", True)
    digits = integer + fraction + exponent.lstrip("+-")
    if not digits.isascii() and len({ord(char) - decimal(char) for char in digits}) > 1:
        return Unreadable("its digits are of more than one script")
    if percent:
        power -= 2
    return Decimal(f"{'-' if negative else ''}{integer}.{fraction}E{power}")


def _is_currency(char: str) -> bool:
    return len(char) == 1 and category(char) == "Sc"


def _no_number(body: str, place: int, offset: int) -> Unreadable:
    if not body:
        return Unreadable("the text is empty")
    place = place if place < len(body) else 0
    return Unreadable(f"cannot read {show_value(body[place:], 40)} at character {offset + place}")


def _needs(option: str, char: str, place: int) -> Unreadable:
    return Unreadable(f"{show_value(char)} at character {place} needs {option}", True)
