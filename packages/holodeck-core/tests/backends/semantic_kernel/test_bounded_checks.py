"""Checks against a JSON schema say what `jsonschema` says, and end soon whatever a model replies."""

from __future__ import annotations

import asyncio
import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from holodeck_core import AgentError, ConfigError, Session, UserMessage
from holodeck_core.backends.semantic_kernel import bounded, patterns
from holodeck_core.backends.semantic_kernel.schemas import misfits

from .conftest import Load, Play, Talk

SLOW = "^(a+)+$"
SLOW_AND_STRANGE = "^(?=a)(a+)+$"
FORBIDDEN = {"additionalProperties": False}

# a pattern; a text; whether it is found there
FOUND: list[tuple[str, str, bool]] = [
    ("b", "abc", True),
    ("^b", "abc", False),
    ("^[0-9]{4}-[0-9]{2}$", "2027-01", True),
    (SLOW, "a" * 50_000 + "!", False),
    ("^\\p{L}+$", "Zähl", True),
    ("(?<year>[0-9]+)", "in 2027", True),
    ("^(?!.*\\.\\.)[a-z.]+$", "a.b", True),
    ("^(?!.*\\.\\.)[a-z.]+$", "a..b", False),
    ("(.)\\1", "hello", True),
    ("^\ufffd$", "\ud800", True),
    ("^\\<b\\>$", "<b>", True),
    ("^[a&&b]$", "&", True),
    ("^[+--]$", ",", True),
    ("^[a[b]c]$", "b", False),
    ("^[a[b]c]$", "[c]", True),
    ("^\\[a--[&]&$", "[a--&&", True),
]


@pytest.mark.parametrize(("pattern", "text", "found"), FOUND)
def test_patterns(pattern: str, text: str, found: bool) -> None:
    assert patterns.is_pattern(pattern)
    assert patterns.is_found(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "a{99999999999999}"])
def test_what_is_no_pattern(pattern: str) -> None:
    assert not patterns.is_pattern(pattern)


def test_a_process_that_cannot_be_started_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(patterns.NotDecided, match="could not be searched for: No such file or directory"):
        patterns.is_found("(?!b)a", "a")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 1.5, "", "a", "bool"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=8,
)
SCHEMAS: list[dict[str, Any]] = [
    {"uniqueItems": True},
    {"items": {"uniqueItems": True}},
    {"patternProperties": {"a": {"type": "integer"}}, **FORBIDDEN},
    {"patternProperties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
    {"properties": {"b": {}}, "patternProperties": {"^c": {}}, **FORBIDDEN},
    {"properties": {"a": {"$ref": "#"}}, **FORBIDDEN},
    {"anyOf": [{"type": "array", "items": {"pattern": "^a"}}, {"type": "object"}, {"const": 1}]},
]


@given(value=JSON)
@pytest.mark.parametrize("schema", SCHEMAS)
def test_verdicts_are_those_of_the_library(schema: dict[str, Any], value: Any) -> None:
    assert (misfits(value, schema) is None) is Draft202012Validator(schema).is_valid(value)


TREE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "anyOf": [
        {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n", key]} for key in ("add", "multiply")
    ],
}  # fmt: skip
# what takes long; the schema; the reply; what is said of it
LONG: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("a pattern", {"properties": {"a": {"pattern": SLOW}}}, json.dumps({"a": "a" * 60 + "!"}), "does not match"),
    ("a pattern of names", {"patternProperties": {SLOW: False}}, json.dumps({"a" * 60 + "!": 1}), None),
    ("a pattern of other names", {"patternProperties": {SLOW: {}}, **FORBIDDEN}, json.dumps({"a" * 60 + "!": 1}),
     "Additional properties are not allowed"),
    ("a pattern with look-around", {"properties": {"a": {"pattern": SLOW_AND_STRANGE}}},
     json.dumps({"a": "a" * 60 + "!"}), f'the pattern "{SLOW_AND_STRANGE}" could not be searched for within 1 s'),
    ("alternatives", TREE, '{"n": ' * 60 + "1" + "}" * 60, "it could not be checked within"),
    ("unique items", {"properties": {"a": {"uniqueItems": True}}}, json.dumps({"a": [{"x": n} for n in range(5000)]}),
     None),
    ("very many misfits", {"properties": {"a": {"items": {"type": "string"}}}}, json.dumps({"a": [1] * 200_000}),
     "a[10]: 1 is not of type 'string'; and many more"),
    ("depth", {"properties": {"a": {"$ref": "#/$defs/deep"}}, "$defs": {"deep": {"items": {"$ref": "#/$defs/deep"}}}},
     '{"a": ' + "[" * 700 + "]" * 700 + "}", "it is nested too deeply to be checked"),
    ("a schema without an end", {"allOf": [{"$ref": "#"}]}, "{}", "or the schema refers to itself without an end"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "reply", "part"), [row[1:] for row in LONG], ids=[row[0] for row in LONG])
def test_a_reply_that_takes_long_to_check_holds_up_nobody(
    openai_server: Play,
    talk: Talk,
    monkeypatch: pytest.MonkeyPatch,
    schema: dict[str, Any],
    reply: str,
    part: str | None,
) -> None:
    monkeypatch.setattr(bounded, "CHECK_SECONDS", 0.5)
    openai_server({"turns": [{"text": reply}]})
    longest = whole = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            started = perf_counter()
            await asyncio.sleep(0.01)
            longest = max(longest, perf_counter() - started)

    async def hold(session: Session) -> str:
        nonlocal whole
        watching = asyncio.create_task(watch())
        started = perf_counter()
        try:
            return (await session.send(UserMessage("Hi"))).text
        except AgentError as error:
            return str(error)
        finally:
            watching.cancel()
            whole = perf_counter() - started

    told = talk(hold, response_format={"type": "object", **schema})
    assert told == reply if part is None else part in told
    assert longest < max(2, whole / 2)  # a busy machine makes everything late


def test_a_prompt_is_not_held_up_by_its_arguments(openai_server: Play, say: Any) -> None:
    tool = {"type": "prompt", "name": "p", "template": "{{$a}}", "parameters": {"a": {"pattern": SLOW}}}
    call = {"name": "p", "args": {"a": "a" * 60 + "!"}}
    openai_server({"turns": [{"steps": [{"calls": [call]}, {"text": "done"}]}]})
    [reply] = say("go", tools=[tool])
    assert "does not match" in reply.tool_calls[0].error


@pytest.mark.parametrize(
    ("schema", "path", "message"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, 'properties.a["$ref"]',
         'nothing in it is the `$ref` "#/$defs/b"'),
        ({"items": {"anyOf": [{"$ref": "other.json"}]}}, 'items.anyOf[0]["$ref"]',
         'nothing in it is the `$ref` "other.json"'),
        ({"properties": {"a": {"$ref": "#/properties/b/enum/c"}, "b": {"enum": ["c"]}}}, 'properties.a["$ref"]',
         'nothing in it is the `$ref` "#/properties/b/enum/c"'),
        ({"title": "t", "items": {"$ref": "#/title"}}, 'items["$ref"]', 'nothing in it is the `$ref` "#/title"'),
        ({"$schema": 5}, '["$schema"]', "5 is not of type 'string'"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#c"}, "c": {"$anchor": "c"}}}, "", None),
        ({"$id": "http://a.example.org/b", "properties": {"a": {"$ref": "b#/properties/a"}}}, "", None),
        ({"properties": {"$ref": {"type": "string"}}, "enum": [{"$ref": "#/no"}]}, "", None),
    ],
)  # fmt: skip
def test_references_lead_somewhere(
    load: Load, schema: dict[str, Any], path: str, message: str | None
) -> None:
    if message is None:
        load(response_format=schema)
        return
    with pytest.raises(ConfigError) as failed:
        load(response_format=schema)
    [problem] = failed.value.problems
    assert problem.path.removeprefix("response_format").removeprefix(".") == path
    assert problem.message == f"no JSON schema: {message}"


def test_a_refusal_is_told_as_one(openai_server: Play, talk: Talk, stream: bool) -> None:
    said = {"role": "assistant", "content": None, "refusal": "I must not."}
    openai_server(
        {
            "turns": [
                {"events": [{"choices": [{"index": 0, "delta": said, "finish_reason": "stop"}]}, "[DONE]"]}
                if stream
                else {"body": {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}}
            ]
        }
    )

    async def hold(session: Session) -> None:
        await session.send(UserMessage("Hi"))

    with pytest.raises(
        AgentError, match=r'refused to answer in the form of `response_format`: "I must not\."'
    ):
        talk(hold, {"stream": stream}, response_format={"type": "object"})


@pytest.mark.parametrize("calls", range(15))
def test_a_reply_that_is_nested_too_deeply_is_told_wherever_the_stack_ends(calls: int) -> None:
    lists: list[Any] = []
    for _ in range(300):
        lists = [lists]
    schema = {"allOf": [{"type": "array"}, {"items": {"$ref": "#"}, "uniqueItems": True}]}

    def told(calls: int) -> str | None:
        return told(calls - 1) if calls else misfits(lists, schema)

    assert "nested too deeply" in str(told(calls))
