"""Prompt tools: what of a template is filled in, and who answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server.fixture import OpenAIServer

from holodeck_core.backends.semantic_kernel.prompts import fill, parameters_schema, placeholders

from .conftest import Play

FILLED: list[tuple[str, dict[str, Any], str]] = [
    ("{{$a}}", {"a": "x"}, "x"),
    ("{{ $a }} and {{$a}}", {"a": "x"}, "x and x"),
    ("{{$a}}{{$b}}", {"a": "{{$b}}", "b": "{{$a}}"}, "{{$b}}{{$a}}"),
    ("{{$a}}", {"a": "\\1 \\g<0> {0} %s {{plugin.fn}}"}, "\\1 \\g<0> {0} %s {{plugin.fn}}"),
    ("{{$a}}", {"a": {"b": [1, "ä"]}}, '{"b": [1, "ä"]}'),
    ("{{$a}} {{$b}} {{$c}}", {"a": 1, "b": True, "c": None}, "1 true null"),
    ("{{$a}}", {}, ""),
    ("{{$a-b}}{{$a_b}}", {"a-b": "1", "a_b": "2"}, "12"),
    ('{"a": {"b": 1}} {{a}} {$a} {{ $a', {"a": "x"}, '{"a": {"b": 1}} {{a}} {$a} {{ $a'),
    ("{{{$a}}}", {"a": "x"}, "{x}"),
    ("{{$1}} {{$a b}}", {"a": "x"}, "{{$1}} {{$a b}}"),
]


@pytest.mark.parametrize(("template", "values", "text"), FILLED)
def test_a_template_is_filled_once(template: str, values: dict[str, Any], text: str) -> None:
    assert fill(template, values) == text


@given(st.lists(st.tuples(st.text(alphabet="xy <&'\"\\%", max_size=9), st.text()), max_size=5))
def test_values_arrive_as_they_are(parts: list[tuple[str, str]]) -> None:
    template = "".join(f"{text}{{{{$v{n}}}}}" for n, (text, _) in enumerate(parts))
    values = {f"v{n}": value for n, (_, value) in enumerate(parts)}
    assert placeholders(template) == list(values)
    assert fill(template, values) == "".join(text + value for text, value in parts)


def test_all_parameters_are_required_but_those_with_a_default() -> None:
    declared = {"a": {"type": "string"}, "b": {"type": "integer", "default": 3}}
    assert parameters_schema("{{$a}}", declared)["required"] == ["a"]
    assert parameters_schema("{{$b}} {{$a}}", None) == {
        "type": "object",
        "properties": {"b": {"type": "string"}, "a": {"type": "string"}},
        "required": ["b", "a"],
        "additionalProperties": False,
    }


def calling(args: dict[str, Any]) -> dict[str, Any]:
    """A turn that calls the prompt, and repeats what comes of it."""
    return {"steps": [{"calls": [{"name": "ask", "args": args}]}, {"text": "{{results}}"}]}


def test_the_answer_of_the_model_is_the_result(openai_server: Play, say: Any, stream: bool) -> None:
    server = openai_server(
        {
            "turns": [
                {"pattern": "In one word: (.*) <b>", "text": "Short."},
                calling({"text": "{{$text}} long"}),
            ]
        }
    )
    tool = {
        "type": "prompt",
        "name": "ask",
        "description": "Shortens.",
        "template": "In one word: {{$text}} <b>",
    }
    [reply] = say("go", model={"stream": stream, "temperature": 1}, tools=[tool])
    [call] = reply.tool_calls
    assert (call.result, call.error, reply.text) == ("Short.", None, "Short.")
    first, asked, _ = (request["body"] for request in server.requests())
    assert first["tools"][0]["function"]["description"] == "Shortens."
    assert asked["messages"] == [{"role": "user", "content": "In one word: {{$text}} long <b>"}]
    assert (asked["temperature"], asked["stream"], "tools" in asked) == (1, False, False)


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({}, "the arguments do not fit: the whole: 'text' is a required property"),
        ({"text": 1}, "the arguments do not fit: text: 1 is not of type 'string'"),
        (
            {"text": "a", "more": 1},
            "the arguments do not fit: the whole: Additional properties are not allowed",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_a_failed_call(
    openai_server: Play, say: Any, args: dict[str, Any], error: str
) -> None:
    server = openai_server({"turns": [calling(args)]})
    [reply] = say("go", tools=[{"type": "prompt", "name": "ask", "template": "{{$text}}"}])
    [call] = reply.tool_calls
    assert call.error is not None
    assert call.error.startswith(error)
    assert reply.text == f"Error: {call.error}"
    assert len(server.requests()) == 2


def test_a_prompt_that_cannot_be_answered_is_a_failed_call(openai_server: Play, say: Any) -> None:
    openai_server({"turns": [{"user": "x", "fault": "server_error"}, calling({"text": "x"})]})
    [reply] = say("go", tools=[{"type": "prompt", "name": "ask", "template": "{{$text}}"}])
    [call] = reply.tool_calls
    assert call.error == "the provider failed (500): The server had an error while processing your request"
    assert reply.text.startswith("Error: the provider failed")


def test_a_prompt_may_have_a_model_of_its_own_and_stand_in_a_file(
    openai_server: Play, openai_process: OpenAIServer, say: Any, tmp_path: Path
) -> None:
    server = openai_server({"turns": [{"user": "Of 3: x", "text": "y"}, calling({"text": "x"})]})
    (tmp_path / "ask.txt").write_text("Of {{$n}}: {{$text}}", encoding="utf-8")
    tool = {
        "type": "prompt",
        "name": "ask",
        "file": "ask.txt",
        "parameters": {"text": {"type": "string"}, "n": {"type": "integer", "default": 3}},
        "model": {
            "provider": "azure_openai",
            "name": "tiny",
            "endpoint": openai_process.azure,
            "api_key": "k",
        },
    }
    [reply] = say("go", tools=[tool])
    assert reply.text == "y"
    assert [request["path"] for request in server.requests()] == [
        "/v1/chat/completions",
        "/openai/deployments/tiny/chat/completions",
        "/v1/chat/completions",
    ]
    assert json.dumps(server.requests()[1]["body"]["messages"]) == '[{"role": "user", "content": "Of 3: x"}]'
