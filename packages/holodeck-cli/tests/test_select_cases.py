"""-k and --tag: which names an expression means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_cli.select_cases import has_tag, name_test

NAMES = [
    "refund an order",
    "refund, late order",
    "late order",
    "greeting",
    "REFUND (old)",
    "isn't here",
    "order not found",
]


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("refund", ["refund an order", "refund, late order", "REFUND (old)"]),
        ("REFUND", ["refund an order", "refund, late order", "REFUND (old)"]),
        ("late order", ["refund, late order", "late order"]),
        ("refund and late", ["refund, late order"]),
        ("refund or greeting", ["refund an order", "refund, late order", "greeting", "REFUND (old)"]),
        ("not order", ["greeting", "REFUND (old)", "isn't here"]),
        ("not not greeting", ["greeting"]),
        ("refund and not order", ["REFUND (old)"]),
        ("greeting or refund and late", ["refund, late order", "greeting"]),
        ("(greeting or refund) and late", ["refund, late order"]),
        ("not (greeting or order)", ["REFUND (old)", "isn't here"]),
        ("(((greeting)))", ["greeting"]),
        ('"(old)"', ["REFUND (old)"]),
        ('"order not found"', ["order not found"]),
        ("'not' and found", ["order not found"]),
        ("isn't", ["isn't here"]),
        ("  greeting  ", ["greeting"]),
        ("nowhere", []),
    ],
)
def test_what_an_expression_selects(expression: str, selected: list[str]) -> None:
    test = name_test(expression)
    assert [name for name in NAMES if test(name)] == selected


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("", "a part of a name is missing at the end"),
        ("   ", "a part of a name is missing at the end"),
        ("refund and", "a part of a name is missing at the end"),
        ("and refund", "a part of a name is missing before 'and'"),
        ("refund or or late", "a part of a name is missing before 'or'"),
        ("(refund", "a bracket is not closed"),
        ("refund)", "')' was not expected there"),
        ("refund not late", "'not' was not expected there"),
        ("()", "a part of a name is missing before ')'"),
        ("(" * 51 + "a" + ")" * 51, "more than 50 brackets inside each other"),
    ],
)
def test_what_is_no_expression(expression: str, why: str) -> None:
    with pytest.raises(ValueError, match="is no expression") as caught:
        name_test(expression)
    assert str(caught.value).endswith(why)


def test_brackets_side_by_side_are_not_inside_each_other() -> None:
    assert name_test(" or ".join(["(a)"] * 200))("a")


@given(st.text())
def test_an_expression_is_understood_or_refused(expression: str) -> None:
    try:
        test = name_test(expression)
    except ValueError:
        return
    assert test(expression) in (True, False)


@pytest.mark.parametrize(
    ("tags", "wanted", "selected"),
    [(("a", "b"), ("b",), True), (("a",), ("b", "a"), True), (("a",), ("b",), False), ((), ("b",), False)],
)
def test_one_of_the_wanted_tags_is_enough(
    tags: tuple[str, ...], wanted: tuple[str, ...], selected: bool
) -> None:
    assert has_tag(tags, wanted) is selected
