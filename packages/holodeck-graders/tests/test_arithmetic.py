"""Decimal arithmetic without rounding, and numbers as reasons show them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from holodeck_graders.arithmetic import difference, exact, is_whole, share, show_number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("5", "5"),
        ("-0.50", "-0.50"),
        ("1E+3", "1000"),
        ("1E-7", "0.0000001"),
        ("1E+39", "1" + "0" * 39),
        ("1E+40", "1E+40"),
        ("-1E-40", "-1E-40"),
        ("1" * 60, "1" * 60),
        ("1" * 61, "1.111111111111111E+60"),
        ("1" * 20 + "E-58", "0." + "0" * 38 + "1" * 20),
        ("1" * 21 + "E-59", "1.111111111111111E-39"),
    ],
    ids=lambda value: value[:12],
)
def test_a_number_is_shown_as_people_write_it_unless_that_is_longer_than_a_line(
    number: str, text: str
) -> None:
    assert show_number(Decimal(number)) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, "5"),
        (0.1, "0.1"),
        (1e300, "1E+300"),
        (2**14_000 - 1, 2**14_000 - 1),
        (2**14_000, None),
        (True, None),
        ("5", None),
        (None, None),
        (float("inf"), None),
        (float("nan"), None),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_a_json_number_is_the_number_it_is_written_as(value: Any, number: Any) -> None:
    assert exact(value) == (None if number is None else Decimal(number))


def test_nothing_is_rounded() -> None:
    large, small = Decimal("1E+1000"), Decimal("1E-1000")
    assert difference(small, large) == difference(large, small)
    assert difference(large, difference(large, small)) == small
    assert share(small, -large) == 1
    assert share(Decimal("1" * 1000), Decimal("1" * 1000)) == int("1" * 1000) ** 2


@pytest.mark.parametrize(("number", "whole"), [("5", True), ("5.0", True), ("5E3", True), ("5.1", False)])
def test_a_number_is_whole_by_value(number: str, whole: bool) -> None:
    assert is_whole(Decimal(number)) is whole
