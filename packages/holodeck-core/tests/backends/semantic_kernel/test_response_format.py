"""`response_format`: asked for where the provider can, checked in any case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import AgentError, ConfigError
from holodeck_core.backends.semantic_kernel.schemas import as_request, is_strict, reply_fault

from .conftest import Load, Play, Talk

CLOSED = {
    "type": "object",
    "title": "The answer!",
    "properties": {"answer": {"type": "number"}, "unit": {"enum": ["USD", "EUR"]}},
    "required": ["answer", "unit"],
    "additionalProperties": False,
}
OPEN = {"type": "object", "properties": {"answer": {"type": "number"}}}


def test_a_reply_that_fits_is_the_reply(openai_server: Play, say: Any, stream: bool) -> None:
    server = openai_server({"turns": [{"text": '{"answer": 5, "unit": "USD"}'}]})
    [reply] = say("Hi", model={"stream": stream}, response_format=CLOSED)
    assert reply.text == '{"answer": 5, "unit": "USD"}'
    assert server.requests()[0]["body"]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "The_answer", "schema": CLOSED, "strict": True},
    }


def test_the_schema_may_stand_in_a_file(openai_server: Play, say: Any, tmp_path: Path) -> None:
    server = openai_server({"turns": [{"text": "{}"}]})
    (tmp_path / "reply.json").write_text(json.dumps(OPEN), encoding="utf-8")
    (tmp_path / "reply.yaml").write_text(
        "type: object\nproperties: {answer: {type: number}}\n", encoding="utf-8"
    )
    for file in ("reply.json", "reply.yaml"):
        say("Hi", response_format=file)
    assert [request["body"]["response_format"]["json_schema"] for request in server.requests()] == [
        {"name": "reply", "schema": OPEN, "strict": False}
    ] * 2


@pytest.mark.parametrize(
    ("text", "finish", "why"),
    [
        ("It is 5.", "stop", 'the reply is not JSON (Expecting value: line 1 column 1 (char 0)): "It is 5."'),
        ("", "stop", "the reply is not JSON"),
        ('{"answer": "5", "unit": "USD"}', "stop",
         "the reply does not fit `response_format`: answer: '5' is not of type 'number'"),
        ('{"answer": 5, "unit": "GBP"}', "stop", "unit: 'GBP' is not one of ['USD', 'EUR']"),
        ('{"answer": 5}', "stop", "the whole: 'unit' is a required property"),
        ('{"answer": NaN, "unit": "USD"}', "stop", "the reply is not JSON (NaN is no JSON)"),
        ('{"answer": 5, "un', "length", "; it was cut off at max_tokens"),
    ],
)  # fmt: skip
def test_a_reply_that_does_not_fit_is_the_error_of_its_turn(
    openai_server: Play, talk: Talk, stream: bool, text: str, finish: str, why: str
) -> None:
    from holodeck_core import UserMessage

    openai_server({"turns": [{"text": text, "finish": finish}]})

    async def hold(session: Any) -> int:
        with pytest.raises(AgentError) as failed:
            await session.send(UserMessage("Hi"))
        assert why in str(failed.value)
        return len(session.history.messages)

    assert talk(hold, {"stream": stream}, response_format=CLOSED) == 1


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        (OPEN, False),
        ({**CLOSED, "required": ["answer"]}, False),
        ({**CLOSED, "properties": {**CLOSED["properties"], "unit": OPEN}}, False),  # type: ignore[dict-item]
        (
            {**CLOSED, "properties": {"answer": {"type": "array", "items": OPEN}}, "required": ["answer"]},
            False,
        ),
        ({**CLOSED, "properties": {"answer": {"anyOf": [CLOSED, OPEN]}}, "required": ["answer"]}, False),
        ({**CLOSED, "properties": {"properties": {"type": "string"}}, "required": ["properties"]}, True),
        ({**CLOSED, "properties": {"a": {"oneOf": []}}, "required": ["a"]}, False),
    ],
)
def test_a_schema_is_strict_where_all_of_it_is_closed(schema: dict[str, Any], strict: bool) -> None:
    assert is_strict(schema) is strict


def test_a_form_that_is_no_object_is_checked_only() -> None:
    assert as_request({"type": "array", "items": {"type": "integer"}}) is None
    assert reply_fault("[1, 2]", {"type": "array", "items": {"type": "integer"}}) is None
    assert reply_fault("[1, 2.5]", {"type": "array", "items": {"type": "integer"}}) == (
        "the reply does not fit `response_format`: [1]: 2.5 is not of type 'integer'"
    )


def test_nothing_is_fetched_for_a_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}}
    assert str(reply_fault('{"a": 1}', schema)).startswith(
        "the reply does not fit `response_format`: the schema cannot be applied: "
    )


def test_what_is_no_schema_is_a_mistake_with_its_place(load: Load, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as inline:
        load(response_format={"type": "object", "properties": {"a": {"type": "strnig"}}})
    [problem] = inline.value.problems
    assert problem.path == "response_format.properties.a.type"
    assert problem.message.startswith("no JSON schema: 'strnig' is not valid")

    with pytest.raises(ConfigError, match=r"no JSON schema: 'a\{2,1\}' is not a 'regex'"):
        load(response_format={"type": "object", "properties": {"a": {"type": "string", "pattern": "a{2,1}"}}})

    (tmp_path / "reply.yaml").write_text("type: object\nrequired: answer\n", encoding="utf-8")
    with pytest.raises(ConfigError) as in_file:
        load(response_format="reply.yaml")
    [problem] = in_file.value.problems
    assert (problem.line, problem.message) == (2, "no JSON schema: 'answer' is not of type 'array'")
    assert str(problem.file).endswith("reply.yaml")

    with pytest.raises(ConfigError, match=r"reply\.jsn: there is no such file"):
        load(response_format="reply.jsn")
