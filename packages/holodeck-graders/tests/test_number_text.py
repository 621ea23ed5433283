"""Number text: what is read as a number, what is not, and what the reason says."""

from __future__ import annotations

import time
import unicodedata
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holodeck_graders.numbers import Accept, Unreadable, parse_number

PLAIN = Accept(percent=False, separators=False)
EVERYTHING = Accept(currency=True, parentheses=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("-0.0", "0"),
        ("25587", "25587"),
        ("+5", "5"),
        ("-5", "-5"),
        ("\u22125", "-5"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("0.5", "0.5"),
        ("29.00", "29"),
        ("1e3", "1000"),
        ("1E+03", "1000"),
        ("1e-07", "0.0000001"),
        ("1e\u22123", "0.001"),
        ("  72\n", "72"),
        ("1,234,567", "1234567"),
        ("1_000", "1000"),
        ("1'000'000", "1000000"),
        ("29 000", "29000"),
        ("29\u00a0000", "29000"),
        ("29\u2009000", "29000"),
        ("29\u202f000", "29000"),
        ("12,34,567", "1234567"),
        ("1,23,456.78", "123456.78"),
        ("1,000.5e-3", "1.0005"),
        ("28%", "0.28"),
        ("28 %", "0.28"),
        ("28\u00a0%", "0.28"),
        ("0.70%", "0.007"),
        ("1e3%", "10"),
        ("٢٣", "23"),
        ("１,２３４", "1234"),
        ("९.५", "9.5"),
        ("1" * 1000, "1" * 1000),
        ("1" * 999 + ".5", "1" * 999 + ".5"),
        ("1e1000", "1e1000"),
        ("1e-1000", "1e-1000"),
        ("1e" + "0" * 999 + "5", "100000"),
        ("9007199254740993", "9007199254740993"),
    ],
)
def test_number_text_is_read_exactly(text: str, value: str) -> None:
    assert parse_number(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-",
        ",",
        ".",
        "%",
        "5.",
        "5.e3",
        "1e",
        "1e+",
        "e5",
        "--5",
        "+-5",
        "- 5",
        "nan",
        "inf",
        "-Infinity",
        "0x10",
        "1/2",
        "6B",
        "**6**",
        "72, in total",
        "28 percent",
        "28  %",
        "28%%",
        "1,2,3",
        "12,34",
        "1234,567",
        "1,234,5678",
        "1,234_567",
        "1,23",
        "1,,000",
        ",000",
        "1,000,",
        "1.234,5",
        "1.200.000,50",
        "1.000,5",
        "31.12.2027",
        "2023-01-02",
        "29 00",
        "29  000",
        "29\u2007000",
        "1 23 456",
        "007",
        "00",
        "00.5",
        "-01",
        "0,123",
        "10²",
        "½",
        "Ⅷ",
        "٢3",
        "٢.3",
        "٢e3",
        "5\u200b",
        "$5",
        "(5)",
    ],
)
def test_anything_else_is_no_number(text: str) -> None:
    assert isinstance(parse_number(text), Unreadable)


@pytest.mark.parametrize(
    "text",
    [
        "1" * 1001,
        "0." + "1" * 1000,
        "1" * 5000,
        "1e1001",
        "1e-1001",
        "1e" + "9" * 5000,
        "1,000" + ",000" * 400,
    ],
    ids=[
        "1001 digits",
        "1001 with fraction",
        "5000 digits",
        "exponent",
        "-exponent",
        "long exponent",
        "grouped",
    ],
)
def test_numbers_beyond_the_bounds_are_too_long(text: str) -> None:
    value = parse_number(text)
    assert isinstance(value, Unreadable)
    assert value.refused
    assert "number too long" in value.reason


def test_the_digits_before_and_behind_the_point_count_together() -> None:
    reason = "number too long: 1002 digits, and at most 1000 are read"
    assert parse_number("1" * 999 + ".555") == Unreadable(reason, refused=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the text is empty"),
        ("72, in total", 'cannot read ", in total" at character 3'),
        ("  72x", 'cannot read "x" at character 5'),
        ("10²", 'cannot read "²" at character 3'),
        ("1.200.000,50", 'cannot read ".000,50" at character 6'),
        ("abc", 'cannot read "abc" at character 1'),
        ("007", "a leading zero makes it an identifier"),
        ("٢3", "its digits are of more than one script"),
        ("5 kg", 'cannot read " kg" at character 2'),
        ("-", 'cannot read "-" at character 1'),
        ("-abc", 'cannot read "abc" at character 2'),
        ("$abc", 'cannot read "$abc" at character 1'),
        ("$5%", 'cannot read "%" at character 3'),
        ("(abc)", 'cannot read "(abc)" at character 1'),
        ("55)", 'cannot read ")" at character 3'),
        ("x" * 50, f'cannot read "{"x" * 23}...{"x" * 12}" at character 1'),
    ],
)
def test_the_reason_says_what_cannot_be_read_and_where(text: str, reason: str) -> None:
    assert parse_number(text) == Unreadable(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("28 %", '"%" at character 4 needs accept_percent'),
        (" 1,234", '"," at character 3 needs accept_thousands_separators'),
        ("12,34,567", '"," at character 3 needs accept_thousands_separators'),
        ("29\u202f000", '"\\u202f" at character 3 needs accept_thousands_separators'),
        ("$29.00", '"$" at character 1 needs accept_currency'),
        ("-€5", '"€" at character 2 needs accept_currency'),
        ("5 €", '"€" at character 3 needs accept_currency'),
        ("(123)", '"(" at character 1 needs accept_parentheses'),
        ("(1,234)", '"," at character 3 needs accept_thousands_separators'),
    ],
)
def test_a_reason_names_the_option_that_would_read_it(text: str, reason: str) -> None:
    assert parse_number(text, PLAIN) == Unreadable(reason, refused=True)


def test_the_space_behind_a_currency_sign_is_no_separator() -> None:
    reason = '" " at character 4 needs accept_thousands_separators'
    assert parse_number("€ 1 000", Accept(separators=False, currency=True)) == Unreadable(
        reason, refused=True
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$29.00", "29"),
        ("-$1,287", "-1287"),
        ("$-1,287", "-1287"),
        ("+€5", "5"),
        ("$+5", "5"),
        ("€ 5", "5"),
        ("5€", "5"),
        ("5 €", "5"),
        ("-5 £", "-5"),
        ("(123,456)", "-123456"),
        ("($5.50)", "-5.5"),
        ("(28%)", "-0.28"),
        ("(0)", "0"),
    ],
)
def test_currency_and_parentheses_are_read_where_they_are_accepted(text: str, value: str) -> None:
    assert parse_number(text, EVERYTHING) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "$",
        "$$5",
        "$5€",
        "-$-5",
        "5 $ 3",
        "$5%",
        "5%€",
        "(-5)",
        "((5))",
        "(5",
        "5)",
        "(55",
        "55)",
        "€\n5",
        "( 5 )",
        "()",
        "(",
        "x5$",
    ],
)
def test_currency_and_parentheses_have_one_form(text: str) -> None:
    value = parse_number(text, EVERYTHING)
    assert isinstance(value, Unreadable)
    assert not value.refused


_SEPARATORS = ",_' \u00a0\u2009\u202f"
_ZEROS = [ord(zero) for zero in "0٠०０𝟎"]


def _spelt(digits: str, zero: int) -> str:
    return "".join(chr(zero + int(digit)) if digit.isdecimal() else digit for digit in digits)


def _grouped(integer: str, style: str, separator: str) -> str:
    if style == "plain" or len(integer) < 4:
        return integer
    if style == "thousands":
        head = len(integer) % 3 or 3
        return separator.join([integer[:head], *(integer[i : i + 3] for i in range(head, len(integer), 3))])
    front, last = integer[:-3], integer[-3:]
    head = len(front) % 2 or 2
    return ",".join([front[:head], *(front[i : i + 2] for i in range(head, len(front), 2)), last])


@given(
    integer=st.integers(0, 10**30),
    fraction=st.one_of(st.none(), st.text("0123456789", min_size=1, max_size=20)),
    exponent=st.one_of(st.none(), st.integers(-1000, 1000)),
    sign=st.sampled_from(["", "+", "-", "\u2212"]),
    style=st.sampled_from(["plain", "thousands", "indian"]),
    separator=st.sampled_from(_SEPARATORS),
    zero=st.sampled_from(_ZEROS),
    percent=st.sampled_from(["", "%", " %", "\u202f%"]),
    marker=st.sampled_from("eE"),
    around=st.sampled_from(["", " ", "\n", "\u00a0"]),
)
def test_every_spelling_of_a_number_reads_back(
    integer: int,
    fraction: str | None,
    exponent: int | None,
    sign: str,
    style: str,
    separator: str,
    zero: int,
    percent: str,
    marker: str,
    around: str,
) -> None:
    text = _grouped(str(integer), style, separator)
    value = Fraction(integer)
    if fraction is not None:
        text += "." + fraction
        value += Fraction(int(fraction), 10 ** len(fraction))
    if exponent is not None:
        text += f"{marker}{exponent}"
        value *= Fraction(10) ** exponent
    if percent:
        value /= 100
    if sign in ("-", "\u2212"):
        value = -value
    read = parse_number(around + sign + _spelt(text, zero) + percent + around)
    assert isinstance(read, Decimal), read
    assert Fraction(read) == value


def _reference(text: str) -> Fraction | None:
    """The grammar once more, by splitting instead of matching, in binary-free fractions."""
    text = text.strip()
    scale = Fraction(1)
    if text.endswith("%"):
        scale = Fraction(1, 100)
        text = text[:-1]
        if text[-1:] in tuple(" \u00a0\u2009\u202f"):
            text = text[:-1]
    if text[:1] in tuple("+-\u2212"):
        scale *= 1 if text[0] == "+" else -1
        text = text[1:]
    mantissa, marker, exponent = text.replace("E", "e").partition("e")
    integer, point, fraction = mantissa.partition(".")
    power = 0
    if marker:
        sign = exponent[:1] if exponent[:1] in tuple("+-\u2212") else ""
        exponent = exponent.removeprefix(sign)
        if not _digits(exponent):
            return None
        power = int(exponent) * (1 if sign in ("", "+") else -1)
    if point and not _digits(fraction):
        return None
    whole = _reference_integer(integer)
    if whole is None and not (integer == "" and point):
        return None
    whole = whole or ""
    used = {unicodedata.name(char).rpartition(" ")[0] for char in whole + fraction + exponent}
    if len(used) > 1 or (len(whole) > 1 and unicodedata.decimal(whole[0]) == 0) or abs(power) > 1000:
        return None
    return scale * Fraction(int(whole + fraction)) * Fraction(10) ** (power - len(fraction))


def _digits(text: str) -> bool:
    return text != "" and all(unicodedata.category(char) == "Nd" for char in text)


def _reference_integer(text: str) -> str | None:
    if _digits(text):
        return text
    for separator in _SEPARATORS:
        groups = text.split(separator)
        if len(groups) < 2 or not all(map(_digits, groups)):
            continue
        sizes = [len(group) for group in groups]
        thousands = sizes[0] <= 3 and set(sizes[1:]) == {3}
        indian = (
            separator == ","
            and len(sizes) > 2
            and sizes[0] <= 2
            and set(sizes[1:-1]) == {2}
            and sizes[-1] == 3
        )
        if thousands or indian:
            return "".join(groups)
    return None


_PIECES = [
    "0",
    "1",
    "7",
    "12",
    "123",
    "000",
    ".",
    ",",
    "_",
    "'",
    " ",
    "\u00a0",
    "\u2007",
    "\u2009",
    "\u202f",
    "e",
    "E",
]
_PIECES += ["+", "-", "\u2212", "%", "٣", "۳", "५", "²", "x", "\n", "$", "(", ")", "234", "45"]


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
@example("12,34,567")
@example("1,23,456")
@example("1 000 %")
@example("0,000")
def test_nothing_outside_the_grammar_is_read_and_everything_inside_is(text: str) -> None:
    expected = _reference(text)
    read = parse_number(text)
    assert (Fraction(read) if isinstance(read, Decimal) else None) == expected


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join), st.integers(0, 15))
def test_options_only_add_to_what_is_read(text: str, options: int) -> None:
    accept = Accept(*(bool(options >> bit & 1) for bit in range(4)))
    read, full = parse_number(text, accept), parse_number(text, EVERYTHING)
    if isinstance(read, Decimal):
        assert read == full
    elif isinstance(full, Decimal):
        assert read.refused


_MANY = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "1" * _MANY,
        "1" * _MANY + "x",
        "1," * (_MANY // 2),
        "1" + ",23" * (_MANY // 3),
        "1" + ",234" * (_MANY // 4) + "x",
        "1" + " 234" * (_MANY // 4) + "x",
        "1e" + "1" * _MANY,
        "(" * (_MANY // 2) + "5" + ")" * (_MANY // 2),
        "-" * _MANY,
        " " * _MANY + "x",
    ],
    ids=[
        "digits",
        "digits x",
        "commas",
        "indian",
        "groups",
        "spaces",
        "exponent",
        "parentheses",
        "signs",
        "blank",
    ],
)
def test_a_hostile_text_is_judged_in_linear_time(text: str) -> None:
    started = time.process_time()
    assert isinstance(parse_number(text, EVERYTHING), Unreadable)
    assert time.process_time() - started < 2
