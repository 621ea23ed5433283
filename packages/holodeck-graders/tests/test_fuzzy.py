"""``{fuzzy: X}``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import Matcher
from holodeck_graders.matchers.fuzzy import FuzzyMatcher

Matches = Callable[[Any, Any], bool]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("206588", 206588),
        ("206588", "206,588"),
        ("206588", "206588.0"),
        ("206588", 206588.0),
        ("206588", " 206 588\n"),
        ("206,588", "206588"),
        (206588, "206588"),
        (206588.0, "206,588"),
        ("1", 1),
        ("0.28", "28%"),
        ("28%", 0.28),
        ("-5", "\u22125"),
        ("1e3", 1000),
        ("0", "-0.0"),
        ("29000", "29\u202f000"),
        ("0.3333333333", 0.33333333331),
        ("1", "1.0000000001"),
        ("1.0000000001", "1"),
        ("1", "0.999999999"),
        ("Operating Cash", "operating  cash"),
        ("caf\u00e9", "cafe\u0301"),
        ("a b", "a\u00a0b"),
        ("true", True),
        ("True", True),
        (True, "TRUE"),
        ("none", None),
        ("None", None),
        ("null", None),
        ("007", "007"),
        ("nan", "NaN"),
        ('["x"]', ["x"]),
        ('{"a": 1}', {"a": 1}),
        ("9" * 5000, "9" * 5000),
        ("", "  "),
    ],
)
def test_matches(matches: Matches, expected: Any, actual: Any) -> None:
    assert matches({"fuzzy": expected}, actual)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("5", "25"),
        ("-5", "5"),
        ("3.14", "33.14"),
        ("29", "29\u202f000"),
        ("2900", "29 00"),
        ("123", "1,2,3"),
        ("1234", "12,34"),
        ("31122027", "31.12.2027"),
        ("7", "007"),
        ("28", "28%"),
        ("102", "10²"),
        ("6", "6B"),
        ("29", "$29"),
        ("50000000000000000", 50000000000000001),
        ("9007199254740993", 9007199254740992),
        ("100000000000000000000", "100000000000000000001.0"),
        ("1.0", "1.00000001"),
        ("1", "0.9999999989"),
        ("0", "1e-300"),
        ("9", "9" * 5000),
        ("1", True),
        ("0", False),
        ("none", "null"),
        ("", None),
        ("a-b", "ab"),
        ("1", [1]),
    ],
)
def test_does_not_match(matches: Matches, expected: Any, actual: Any) -> None:
    assert not matches({"fuzzy": expected}, actual)


def test_an_integer_of_any_size_is_judged(matches: Matches) -> None:
    assert matches({"fuzzy": "1" + "0" * 400}, 10**400)
    assert not matches({"fuzzy": "9"}, 10**400)
    assert not matches({"fuzzy": "9"}, 10**5000)


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        ("5", "25", 'expected "5" (fuzzy), got "25": they differ by 20, and integers are compared exactly'),
        ("0.5", 0.75, 'expected "0.5" (fuzzy), got 0.75: they differ by 0.25, more than a relative 1e-9'),
        ("a", "b", 'expected "a" (fuzzy), got "b"'),
        ("a", None, 'expected "a" (fuzzy), got null'),
    ],
)
def test_the_reason_names_both_sides_and_the_difference(
    build: Callable[[Any], Matcher], expected: Any, actual: Any, reason: str
) -> None:
    assert build({"fuzzy": expected}).mismatch(actual) == reason


def test_a_number_that_is_too_long_is_said_to_be(build: Callable[[Any], Matcher]) -> None:
    assert "number too long" in str(build({"fuzzy": "9"}).mismatch("9" * 5000))


def test_it_never_needs_a_thread(build: Callable[[Any], Matcher]) -> None:
    assert not build({"fuzzy": "x"}).blocking


@pytest.mark.parametrize("expected", [None, [], {}, ["x"]])
def test_it_takes_a_single_value_only(build: Callable[[Any], Matcher], expected: Any) -> None:
    with pytest.raises(ValueError, match=r"^`fuzzy` compares with a single text or number$"):
        FuzzyMatcher(expected, build)


_SCALARS = st.one_of(
    st.text("aAßé e\u0301\n 10.,%-", max_size=8),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["1,000", "1000", "1e3", "999.9999999999", "true", "null", "None", "100000%"]),
)


@given(_SCALARS, _SCALARS)
def test_it_is_symmetric(build: Callable[[Any], Matcher], left: Any, right: Any) -> None:
    there = build({"fuzzy": left}).mismatch(right)
    back = build({"fuzzy": right}).mismatch(left)
    assert (there is None) == (back is None)


@given(_SCALARS)
def test_everything_matches_itself(build: Callable[[Any], Matcher], value: Any) -> None:
    assert build({"fuzzy": value}).mismatch(value) is None


@given(st.integers(), st.integers())
def test_integers_match_only_themselves(build: Callable[[Any], Matcher], left: int, right: int) -> None:
    assert (build({"fuzzy": f"{left:,}"}).mismatch(f"{right}.0") is None) == (left == right)
