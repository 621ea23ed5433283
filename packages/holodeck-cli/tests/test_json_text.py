"""JSON that every reader accepts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_cli.json_text import json_text

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is no JSON")


@given(values)
def test_any_value_becomes_strict_json_in_utf_8(value: Any) -> None:
    text = json_text(value)
    text.encode("utf-8")
    json.loads(text, parse_constant=refuse)


@given(values.filter(lambda value: value == value))
def test_what_json_can_say_reads_back(value: Any) -> None:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except ValueError:
        return
    assert json.loads(json_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"ratio": float("inf"), "x": float("nan")}, '{"ratio": "inf", "x": "nan"}'),
        ({"n": 10**30}, '{"n": ' + "1" + "0" * 30 + "}"),
        (["\ud835"], '["\ufffd"]'),
        ({"k\ud835": ["\ud83c\udf78"]}, '{"k\ufffd": ["🍸"]}'),
        ("\U0001f378", '"🍸"'),
        ("\x1b[31m", '"\\u001b[31m"'),
        ("\x9b31m\x7f", '"\\u009b31m\\u007f"'),
        ("\u202e\u2028", '"\\u202e\\u2028"'),
        ("\U000e0041", '"\\udb40\\udc41"'),
        ("###vso[x]y # [z]", '"##\\u0023vso[x]y # [z]"'),
    ],
    ids=ascii,
)
def test_how_a_value_is_written(value: Any, text: str) -> None:
    assert json_text(value) == text
