"""Numbers in prose: which stand free, and which belong to a word, a date or an expression."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_graders.numbers import NUMBER_TEXT, Accept, Unreadable, find_numbers, parse_number

PLAIN = Accept(percent=False, separators=False)


def _found(text: str, accept: Accept = NUMBER_TEXT) -> list[Any]:
    """The values found, and the text of those that cannot be read."""
    return [
        each.value if isinstance(each.value, Decimal) else each.text for each in find_numbers(text, accept)
    ]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The answer is 25587.", ["25587"]),
        ("72, in total", ["72"]),
        ("it is 1,234.5!", ["1234.5"]),
        ("costs 29\u202f000 a year", ["29000"]),
        ("(5)", []),
        ("see (5) there", ["5"]),
        ("-5 degrees", ["-5"]),
        ("is \u22125", ["-5"]),
        ("x=-5", ["-5"]),
        ("total:-5", ["-5"]),
        ("[-5; 6]", ["-5", "6"]),
        ("$-5 now", ["-5"]),
        ("+5 and C+4", ["5", "4"]),
        ("about .5 of it", ["0.5"]),
        ("\\mathbf{88.55}", ["88.55"]),
        ("1e3 or 5E-2", ["1000", "0.05"]),
        ("1 2 3", ["1", "2", "3"]),
        ("5;6 and 7•8", ["5", "6", "7", "8"]),
        ("12 345 6789", ["12345", "6789"]),
        ("18\n\nQuestion: what is 3*3?\nAnswer: 9", ["18", "9"]),
        ("US$5 or 5€", ["5", "5"]),
        ("$5, and rated C-", ["5"]),
        ("5-star", ["5"]),
        ("- 5 apples", ["5"]),
        ('"7"', ["7"]),
        ("٢٣ كتب", ["23"]),
    ],
)
def test_numbers_that_stand_free_are_found_in_order(text: str, numbers: list[str]) -> None:
    readable = [value for value in _found(text) if isinstance(value, Decimal)]
    assert readable == [Decimal(number) for number in numbers]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        "no number",
        "GPT-4",
        "X-5",
        "6B",
        "B6",
        "x_5",
        "5_x",
        "3*3",
        "**6**",
        "1/2",
        "2023-01-02",
        "31.12.2027",
        "1.200.000,50",
        "1,2,3",
        "12,34",
        "v1.2.3",
        "10²",
        "007",
        "No.5",
        "wait...5",
        "5'6",
        "29\u202f00",
        "10-20",
        "10\u201320",
        "\u20135",
        "(a)-5",
        "--5",
        "5%x",
        "1e5x",
        "٢3",
    ],
)
def test_what_is_joined_to_something_else_is_no_number(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    "mark",
    "-.,'\u00a0\u00b7\u02bc\u066b\u066c\u2007\u2008\u2009\u200b\u200c\u200d\u2010\u2011\u2012\u2013\u2019"
    "\u202f\u205f\u2060\u2212\uff0c\uff0e",
    ids=lambda mark: f"U+{ord(mark):04X}",
)
def test_what_people_group_point_or_join_digits_with_joins_them(mark: str) -> None:
    assert _found(f"it is 5{mark}67{mark}89 now") == []


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013", ids=lambda dash: f"U+{ord(dash):04X}")
def test_a_number_behind_a_dash_that_is_no_sign_is_none(dash: str) -> None:
    assert _found(f"it is {dash}5 now") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("20% of the 100 units", ["20%", Decimal(100)]),
        ("1,234 of 5", ["1,234", Decimal(5)]),
        ("-$5 left", ["-$5"]),
        ("1" * 1001 + " and 2", ["1" * 1001, Decimal(2)]),
        ("(123)", ["(123)"]),
        ("($123)", ["($123)"]),
    ],
    ids=["percent", "separators", "sign before currency", "too long", "accounting", "accounting currency"],
)
def test_a_number_that_is_not_accepted_is_found_but_not_read(text: str, found: list[Any]) -> None:
    assert _found(text, PLAIN) == found


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a loss of (5) there", ["-5"]),
        ("a loss of ($5)", ["-5"]),
        ("a loss of (5€)", ["-5"]),
        ("(-5)", ["-5"]),
        ("-$1,287", ["-1287"]),
        ("(5", ["5"]),
    ],
)
def test_accounting_forms_are_read_where_they_are_accepted(text: str, numbers: list[str]) -> None:
    assert _found(text, Accept(currency=True, parentheses=True)) == [Decimal(number) for number in numbers]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9))
def test_a_number_among_words_is_the_one_that_is_found(number: Decimal) -> None:
    assert _found(f"It came to {number}, which GPT-4 said on 2023-01-02.") == [number]


@given(st.text("0123456789.,-% _'\u00a0\u202f$()e*/xé²٣\n:=", max_size=20))
def test_whatever_is_found_is_number_text_of_its_own(text: str) -> None:
    for found in find_numbers(text, Accept(currency=True, parentheses=True)):
        assert found.text in text
        assert found.value == parse_number(found.text, Accept(currency=True, parentheses=True))
        assert isinstance(found.value, Decimal) or found.value.refused


_MANY = 500_000


@pytest.mark.parametrize(
    "text",
    [
        "1" * _MANY + "x",
        "1," * (_MANY // 2),
        "1" + ",23" * (_MANY // 3),
        "1" + ",234" * (_MANY // 4) + "x",
        "1" + " 234" * (_MANY // 4) + "x",
        "1" + "'234" * (_MANY // 4) + "x",
        "1." * (_MANY // 2),
        "1e" * (_MANY // 2),
        "1%" * (_MANY // 2),
        "(" * _MANY,
        "-" * _MANY + "1",
        "$" * _MANY,
        " " * _MANY,
        "(1)" * (_MANY // 3),
        "1 " * (_MANY // 2),
    ],
    ids=str.split(
        "digits commas indian groups spaces quotes points e percent open minus currency blank wrapped many"
    ),
)
def test_a_hostile_text_is_searched_in_linear_time(text: str) -> None:
    started = time.process_time()
    for found in find_numbers(text):
        assert isinstance(found.value, Decimal | Unreadable)
    assert time.process_time() - started < 4


@pytest.mark.parametrize("text", ["-$5", "-$ 5", "The balance is -€ 5.", "-\u00a3\u00a05 is due"])
def test_the_sign_before_a_currency_sign_is_not_lost(text: str) -> None:
    assert [str(each.value) for each in find_numbers(text, Accept(currency=True))] == ["-5"]
