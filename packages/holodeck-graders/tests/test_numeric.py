"""``metric: numeric``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import EvaluationMetric, Score
from holodeck_graders.metrics.numeric import NumericMetric

Numeric = Callable[..., Score]

EXACT = {"absolute_tolerance": 0, "relative_tolerance": 0}
PERCENT = {"accept_percent": True}
SEPARATORS = {"accept_thousands_separators": True}
CURRENCY = {"accept_currency": True, **SEPARATORS}
PARENTHESES = {"accept_parentheses": True, **SEPARATORS}


@pytest.mark.parametrize(
    ("response", "ground_truth", "options"),
    [
        ("0", "0", {}),
        ("29.00", "29", {}),
        ("29", "29.00", {}),
        ("1000", "1e3", {}),
        (" 25587\n", "25587", {}),
        ("-0.0", "0", EXACT),
        ("9007199254740993.0", "9007199254740993", EXACT),
        ("20%", "20%", PERCENT),
        ("28%", "0.28", PERCENT | EXACT),
        ("28 %", "28%", PERCENT | EXACT),
        ("0.70%", "0.007", PERCENT | EXACT),
        ("30%", "0.3", PERCENT | EXACT),
        ("29\u202f000", "29000", SEPARATORS),
        ("29\u00a0000", "29000", SEPARATORS),
        ("29\u2009000", "29000", SEPARATORS),
        ("29 000", "29000", SEPARATORS),
        ("12,34,567", "1234567", SEPARATORS),
        ("1234567", "12,34,567", SEPARATORS),
        ("-$1,287", "-1287", CURRENCY),
        ("$-1,287", "-1287", CURRENCY),
        ("$29.00", "29", CURRENCY),
        ("29 €", "29", CURRENCY),
        ("(123,456)", "-123456", PARENTHESES),
        ("٢٣", "23", {}),
        # Tolerances are inclusive, and one of the two suffices.
        ("0.000001", "0", {}),
        ("-9.5e-7", "0", {"relative_tolerance": 0.01}),
        ("2e-9", "1e-9", {"relative_tolerance": 0.01}),
        ("1.1", "1", {"absolute_tolerance": 0.1}),
        ("0.9", "1", {"absolute_tolerance": 0.1}),
        ("101", "100", {"absolute_tolerance": 0, "relative_tolerance": 0.01}),
        ("-99", "-100", {"absolute_tolerance": 0, "relative_tolerance": 0.01}),
        ("0.3", "0.1", {"absolute_tolerance": 0.2}),
        ("0", "0", {"absolute_tolerance": 0, "relative_tolerance": 0.01}),
        ("105", "100", {"absolute_tolerance": 10, "relative_tolerance": 0.01}),
    ],
)
def test_passes(numeric: Numeric, response: str, ground_truth: str, options: dict[str, Any]) -> None:
    score = numeric(response, ground_truth, **options)
    assert (score.value, score.passed) == (1.0, True), score.reason


@pytest.mark.parametrize(
    ("response", "ground_truth", "options", "reason"),
    [
        ("25", "5", {}, "expected 5, got 25: the difference 20 is more than absolute_tolerance 1e-06"),
        ("5", "-5", {}, "expected -5, got 5: the difference 10 is"),
        ("33.14", "3.14", {}, "the difference 30.00 is"),
        ("1", "0", {}, "expected 0, got 1"),
        (
            "72, in total",
            "72",
            SEPARATORS,
            'cannot read ", in total" at character 3; it contains one number, 72',
        ),
        (",", "72", SEPARATORS, 'expected 72, got ",": not a number: cannot read "," at character 1'),
        ("", "72", {}, "the text is empty"),
        (
            "20% of the 100 units",
            "100",
            PERCENT,
            'not a number: cannot read " of the 100 units" at character 4',
        ),
        ("28%", "28", PERCENT, "expected 28, got 0.28"),
        ("28%", "28", {}, '"%" at character 3 needs accept_percent'),
        ("28", "28%", {}, 'the ground truth "28%" is not a number: "%" at character 3 needs accept_percent'),
        ("28 percent", "28%", PERCENT, 'cannot read " percent" at character 3'),
        ("$29.00", "29", {}, '"$" at character 1 needs accept_currency'),
        ("$1,287", "-1287", CURRENCY, "expected -1287, got 1287"),
        ("-$1,287", "-1287", SEPARATORS, '"$" at character 2 needs accept_currency'),
        ("$-1,287", "-1287", SEPARATORS, '"$" at character 1 needs accept_currency'),
        ("(123,456)", "-123456", SEPARATORS, '"(" at character 1 needs accept_parentheses'),
        ("(123,456)", "123456", SEPARATORS, '"(" at character 1 needs accept_parentheses'),
        ("(123,456)", "123456", PARENTHESES, "expected 123456, got -123456"),
        ("1,234", "1234", {}, '"," at character 2 needs accept_thousands_separators'),
        ("1.200.000,50", "1200000.5", SEPARATORS, "not a number"),
        ("31.12.2027", "31122027", SEPARATORS, "not a number"),
        ("1,2,3", "123", SEPARATORS, "not a number"),
        ("12,34", "1234", SEPARATORS, "not a number"),
        ("29\u202f000", "29", SEPARATORS, "expected 29, got 29000"),
        ("29 00", "2900", SEPARATORS, "not a number"),
        ("10²", "100", {}, 'cannot read "²" at character 3'),
        ("10²", "102", {}, 'cannot read "²" at character 3'),
        ("6B", "6", {}, 'cannot read "B" at character 2'),
        ("**6**", "6", {}, 'expected 6, got "**6**": not a number'),
        ("18\n\nQuestion: what is 3*3?\nAnswer: 9", "9", {}, "not a number"),
        ("1" * 5000, "1", {}, "number too long"),
        ("nan", "1", {}, "not a number"),
        ("1", "nan", {}, 'the ground truth "nan" is not a number'),
        ("007", "7", {}, "identifier"),
        # Nothing is rounded.
        ("9007199254740992", "9007199254740993", EXACT, "the difference 1 is"),
        ("12345678901234567891", "12345678901234567890", EXACT, "the difference 1 is"),
        ("50000000000000001", "50000000000000000", {}, "the difference 1 is"),
        (
            "0.0001",
            "0",
            {"absolute_tolerance": 0, "relative_tolerance": 0.01},
            "absolute_tolerance 0 and than",
        ),
        ("1.10000000000000000001", "1", {"absolute_tolerance": 0.1}, "absolute_tolerance 0.1"),
        (
            "102",
            "100",
            {"absolute_tolerance": 0.5, "relative_tolerance": 0.01},
            (
                "expected 100, got 102: the difference 2 is more than absolute_tolerance 0.5 "
                "and than relative_tolerance 0.01 of the expected, 1.00"
            ),
        ),
    ],
)
def test_fails_and_says_why(
    numeric: Numeric, response: str, ground_truth: str, options: dict[str, Any], reason: str
) -> None:
    score = numeric(response, ground_truth, **options)
    assert (score.value, score.passed) == (0.0, False)
    assert score.reason is not None
    assert reason in score.reason
    assert "\n" not in score.reason


RUN_ON = "18\n\nQuestion: what is 3*3?\nAnswer: 9"


@pytest.mark.parametrize(
    ("response", "ground_truth", "options"),
    [
        ("The answer is 25587.", "25587", {"extract": "only"}),
        ("25587", "25587", {"extract": "only"}),
        ("72, in total", "72", {"extract": "only"}),
        ("On 2023-01-02 GPT-4 said 5.", "5", {"extract": "only"}),
        ("$\\mathbf{88.55}$", "88.55", {"extract": "only"}),
        ("It rose by 20%.", "0.2", {"extract": "only", **PERCENT}),
        ("costs -$1,287 net", "-1287", {"extract": "only", **CURRENCY}),
        ("a loss of (5)", "-5", {"extract": "only", **PARENTHESES}),
        (RUN_ON, "18", {"extract": "first"}),
        (RUN_ON, "9", {"extract": "last"}),
        ("1 " * 1000 + "5", "5", {"extract": "last"}),
    ],
)
def test_extract_reads_a_number_from_prose(
    numeric: Numeric, response: str, ground_truth: str, options: dict[str, Any]
) -> None:
    score = numeric(response, ground_truth, **options)
    assert score.passed is True, score.reason
    assert f"extract: {options['extract']}" in str(score.reason)


@pytest.mark.parametrize(
    ("response", "ground_truth", "options", "reason"),
    [
        (RUN_ON, "9", {"extract": "only"}, "more than one number, 18, 9 (extract: only)"),
        (RUN_ON, "18", {"extract": "only"}, "more than one number, 18, 9 (extract: only)"),
        (RUN_ON, "9", {"extract": "first"}, "expected 9, got 18 (extract: first)"),
        ("20% of the 100 units", "100", {"extract": "only", **PERCENT}, "more than one number, 20%, 100"),
        ("20% of the 100 units", "100", {"extract": "only"}, "more than one number, 20%, 100"),
        ("of it 20%", "20", {"extract": "only"}, '"%" at character 3 needs accept_percent'),
        ("100, of that 20%", "100", {"extract": "last"}, '"%" at character 3 needs accept_percent'),
        ("it is 1,234", "1234", {"extract": "only"}, "needs accept_thousands_separators"),
        ("it is -$5", "5", {"extract": "only"}, "needs accept_currency"),
        ("(123)", "123", {"extract": "only"}, "needs accept_parentheses"),
        ("GPT-4", "4", {"extract": "only"}, "it contains no number that stands alone (extract: only)"),
        ("6B", "6", {"extract": "last"}, "it contains no number that stands alone (extract: last)"),
        ("**6**", "6", {"extract": "first"}, "it contains no number that stands alone (extract: first)"),
        ("1" * 1001 + " or so", "1", {"extract": "only"}, "number too long"),
        ("1 2 3 4 5 6 7 8 9 10 11 12", "1", {"extract": "only"}, "8, 9, 10, ... (extract: only)"),
    ],
)
def test_extract_fails_where_it_cannot_tell(
    numeric: Numeric, response: str, ground_truth: str, options: dict[str, Any], reason: str
) -> None:
    score = numeric(response, ground_truth, **options)
    assert (score.value, score.passed) == (0.0, False)
    assert reason in str(score.reason)


@pytest.mark.parametrize(
    ("response", "hint"),
    [
        ("The answer is 25587.", "it contains one number, 25587, which `extract: only` would read"),
        (
            "It is 20% of it",
            'it contains one number, 20%, which `extract: only` would read, but "%" at character 3 needs',
        ),
    ],
)
def test_a_failure_names_extract_where_the_response_holds_one_number(
    numeric: Numeric, response: str, hint: str
) -> None:
    assert hint in str(numeric(response, "25587").reason)


@pytest.mark.parametrize("response", ["5 or 6", "none", "28%"])
def test_a_failure_does_not_name_extract_where_it_would_not_help(numeric: Numeric, response: str) -> None:
    assert "extract" not in str(numeric(response, "5").reason)


@pytest.mark.parametrize(
    ("response", "ground_truth", "options", "passes"),
    [
        ('{"a": {"b": [7, "1,234"]}}', "7", {"response_path": "a.b[0]"}, True),
        ('{"a": {"b": [7, "1,234"]}}', "1234", {"response_path": "a.b[1]", **SEPARATORS}, True),
        ('{"a": 9007199254740993}', "9007199254740993", {"response_path": "a", **EXACT}, True),
        ('{"a": 0.1000000000000000000001}', "0.1", {"response_path": "a", **EXACT}, False),
        ('{"a": "it is 5"}', "5", {"response_path": "a", "extract": "only"}, True),
        ('{"a": true}', "1", {"response_path": "a"}, False),
        ('{"a": 1}', "1", {"response_path": "b"}, False),
    ],
)
def test_response_path_reads_one_value_first(
    numeric: Numeric, response: str, ground_truth: str, options: dict[str, Any], passes: bool
) -> None:
    assert numeric(response, ground_truth, **options).passed is passes


def test_a_turn_without_ground_truth_is_skipped(numeric: Numeric) -> None:
    score = numeric("5", None)
    assert (score.value, score.passed) == (None, None)
    assert score.reason


def test_it_needs_a_ground_truth_and_no_thread() -> None:
    metric = NumericMetric(EvaluationMetric(metric="numeric"))
    assert metric.needs == {"ground_truth"}
    assert not metric.blocking
    assert NumericMetric.Options is EvaluationMetric


_NUMBERS = st.one_of(
    st.integers(-(10**40), 10**40).map(str),
    st.builds("{}e{}".format, st.integers(-(10**20), 10**20), st.integers(-900, 900)),
    st.sampled_from(
        ["0", "0.1", "0.10", "1e-1", "1e1000", "1e-1000", "1" + "0" * 300 + "." + "0" * 300 + "1"]
    ),
)


@given(_NUMBERS, _NUMBERS)
def test_no_two_different_numbers_are_equal_without_tolerance(
    numeric: Numeric, left: str, right: str
) -> None:
    assert numeric(left, right, **EXACT).passed is (Fraction(left) == Fraction(right))


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_the_verdict_is_that_of_exact_arithmetic(
    numeric: Numeric, actual: int, expected: int, absolute: int, relative: int
) -> None:
    score = numeric(
        f"{actual / 100:.2f}",
        f"{expected / 100:.2f}",
        absolute_tolerance=absolute / 1000,
        relative_tolerance=relative / 1000,
    )
    distance = Fraction(abs(actual - expected), 100)
    within = distance <= Fraction(absolute, 1000) or distance <= Fraction(relative, 1000) * Fraction(
        abs(expected), 100
    )
    assert score.passed is within
