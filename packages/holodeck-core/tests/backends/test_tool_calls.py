"""Every shape in which a tool call is reported comes out as the same ToolCall."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.api.reply import ToolCall
from holodeck_core.backends.tool_calls import decode_arguments, tool_call

WANTED = ToolCall("run_sql", {"q": "select 1"})


@pytest.mark.parametrize(
    "reported",
    [
        pytest.param(WANTED, id="ToolCall"),
        pytest.param({"name": "run_sql", "args": {"q": "select 1"}}, id="flat"),
        pytest.param({"name": "run_sql", "arguments": {"q": "select 1"}}, id="flat, arguments"),
        pytest.param({"name": "run_sql", "arguments": '{"q": "select 1"}'}, id="flat, arguments as text"),
        pytest.param({"name": "run_sql", "args": '{"q": "select 1"}'}, id="flat, args as text"),
        pytest.param(
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "run_sql", "arguments": '{"q": "select 1"}'},
            },
            id="OpenAI",
        ),
        pytest.param({"function": {"name": "run_sql", "arguments": {"q": "select 1"}}}, id="OpenAI, decoded"),
        pytest.param(ToolCall("run_sql", '{"q": "select 1"}'), id="ToolCall with undecoded args"),  # type: ignore[arg-type]
    ],
)
def test_all_shapes_are_one_call(reported: object) -> None:
    assert tool_call(reported) == WANTED


def test_outcome_and_other_names_are_kept() -> None:
    reported = {
        "name": "add",
        "args": {},
        "result": 3,
        "error": "no",
        "duration_ms": 2.5,
        "raw_args": "{",
        "runtime_name": "math-add",
    }
    assert tool_call(reported) == ToolCall("add", {}, 3, "no", 2.5, "{", "math-add")


@pytest.mark.parametrize(
    ("error", "kept"), [(None, None), (False, None), ("", ""), ("boom", "boom"), (ValueError("bad"), "bad")]
)
def test_an_error_is_text_and_false_is_none(error: object, kept: str | None) -> None:
    assert tool_call({"name": "f", "error": error}).error == kept


@pytest.mark.parametrize("arguments", [None, "", "  \n", "null", "{}", {}])
def test_no_arguments_are_an_empty_mapping(arguments: object) -> None:
    assert decode_arguments(arguments) == ({}, None)


@pytest.mark.parametrize(
    ("arguments", "raw"),
    [
        pytest.param('{"dry_run": true', '{"dry_run": true', id="cut off"),
        pytest.param("[1, 2]", "[1, 2]", id="a list as text"),
        pytest.param('"text"', '"text"', id="a string as text"),
        pytest.param("q=select 1", "q=select 1", id="not JSON"),
        pytest.param("[" * 100_000, "[" * 100_000, id="too deep"),
        pytest.param([1, 2], "[1, 2]", id="a list"),
        pytest.param(7, "7", id="a number"),
    ],
)
def test_what_does_not_decode_is_kept_as_text_beside_empty_arguments(arguments: object, raw: str) -> None:
    assert decode_arguments(arguments) == ({}, raw)


def test_escaped_surrogate_pairs_are_one_character() -> None:
    assert decode_arguments(r'{"drink": "\ud83c\udf78"}') == ({"drink": "\U0001f378"}, None)


@pytest.mark.parametrize(
    ("reported", "message"),
    [
        pytest.param("add", "holodeck_core.ToolCall or a mapping, got str", id="text"),
        pytest.param(None, "got NoneType", id="None"),
        pytest.param({"args": {}}, 'has a name, got {"args": {}}', id="no name"),
        pytest.param({"function": {"arguments": "{}"}}, "has a name", id="OpenAI without a name"),
        pytest.param({"name": ""}, "has a name", id="empty name"),
        pytest.param({"name": 7}, "has a name", id="name is a number"),
        pytest.param(ToolCall(None), "has a name, got null", id="ToolCall without a name"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_call_is_named(reported: object, message: str) -> None:
    with pytest.raises(TypeError, match=message.replace("{", r"\{").replace("}", r"\}")):
        tool_call(reported)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_arguments_survive_their_way_through_json(arguments: dict[str, Any]) -> None:
    assert decode_arguments(json.dumps(arguments)) == (arguments, None)
