"""A plain scalar has the type that YAML's core schema gives it; a leading zero makes it text."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holodeck_core.config.reading.scalars import MAX_DIGITS, UNUSUAL_STARTS, ScalarError, resolve

TEXTS = [
    *("no", "No", "NO", "yes", "on", "off", "y", "n", "tRUE", "nULL", "None", "True.", "nul"),
    *("010", "07", "08", "00", "-01", "+00", "01.5", "00e1", "0123456789", "0777"),
    *("1_000", "1,000", "12:30:00", "1:30", "2024-01-02", "1.2.3", "192.168.0.1", "5%", "$5"),
    *(
        "+",
        "-",
        ".",
        "..",
        "-.",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "--1",
        "+-1",
        "1 2",
        "1a",
        "0x",
        "0xG",
        "0o8",
        "0o",
    ),
    *(
        "-0x1F",
        "+0o17",
        "0X1F",
        "0O17",
        "0b1",
        "nan",
        "inf",
        "NaN",
        "Infinity",
        ".iNF",
        ".NAn",
        "+.nan",
        "~~",
        "<<",
    ),
    *("٣", "１２", "1٣", "½", "1\u00a0", "1\n"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_everything_else_is_a_string(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null(text: str) -> None:
    assert resolve(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False)],
)
def test_bool(text: str, value: bool) -> None:
    assert resolve(text) is value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+0", 0),
        ("7", 7),
        ("+12", 12),
        ("-206588", -206588),
        ("0x1F", 31),
        ("0x00ff", 255),
        ("0o17", 15),
        ("0o007", 7),
        (str(2**70), 2**70),
    ],
)
def test_int(text: str, value: int) -> None:
    result = resolve(text)
    assert (result, type(result)) == (value, int)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("+0.25", 0.25),
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        ("1.e+2", 100.0),
        ("0e0", 0.0),
        ("0.10", 0.1),
        ("1e-999", 0.0),
    ],
)
def test_float(text: str, value: float) -> None:
    result = resolve(text)
    assert (result, type(result)) == (value, float)


def test_the_sign_of_a_float_zero_is_kept() -> None:
    assert math.copysign(1, resolve("-0.0")) == -1  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [".inf", ".Inf", ".INF", "+.inf", "-.INF", ".nan", ".NaN", ".NAN"])
def test_non_finite_floats_are_refused_and_the_remedy_is_named(text: str) -> None:
    with pytest.raises(ScalarError, match="quote it"):
        resolve(text)


@pytest.mark.parametrize("text", ["1e999", "-1.5E+400", "9" * 400 + ".0"])
def test_a_float_beyond_the_range_of_a_double_is_refused(text: str) -> None:
    with pytest.raises(ScalarError, match="too large"):
        resolve(text)


@pytest.mark.parametrize(
    "text", ["9" * (MAX_DIGITS + 1), "-" + "9" * (MAX_DIGITS + 1), "0x" + "f" * 4000, "0o" + "7" * 9999]
)
def test_an_integer_of_more_than_4300_digits_is_refused(text: str) -> None:
    with pytest.raises(ScalarError, match="4,300 digits"):
        resolve(text)


@pytest.mark.parametrize("text", ["9" * MAX_DIGITS, "-" + "9" * MAX_DIGITS])
def test_an_integer_of_4300_digits_is_read(text: str) -> None:
    assert str(resolve(text)) == text


# The tag resolution table of YAML 1.2.2, section 10.3.2, and the rule that a leading zero makes a string.
CORE_NULL = re.compile(r"null|Null|NULL|~|")
CORE_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
CORE_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
CORE_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
CORE_NON_FINITE = re.compile(r"[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN")
LEADING_ZERO = re.compile(r"[-+]?0[0-9]")


def core_type(text: str) -> type | None:
    if CORE_NULL.fullmatch(text):
        return type(None)
    if CORE_BOOL.fullmatch(text):
        return bool
    if LEADING_ZERO.match(text):
        return str
    if CORE_INT.fullmatch(text):
        return int
    if CORE_FLOAT.fullmatch(text):
        return float
    return None if CORE_NON_FINITE.fullmatch(text) else str


@given(st.text(alphabet="+-.0123456789EoxabfINnulrtsTRUEFALS~ _٣", max_size=7) | st.text(max_size=5))
@example(".inf")
@example("1e3")
def test_any_text_has_the_type_of_the_core_schema(text: str) -> None:
    kind = core_type(text)
    if kind is None:
        with pytest.raises(ScalarError):
            resolve(text)
    else:
        assert type(resolve(text)) is kind


@given(st.text(alphabet="+-.0123456789eENnulrtTRUEFALSfaso~", max_size=6) | st.text(max_size=5))
def test_a_scalar_that_begins_like_text_is_text(text: str) -> None:
    if text[:1] not in UNUSUAL_STARTS:
        assert resolve(text) == text


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_what_json_writes_as_a_number_is_that_number(value: float) -> None:
    result = resolve(repr(value))
    assert (result, type(result)) == (value, type(value))
