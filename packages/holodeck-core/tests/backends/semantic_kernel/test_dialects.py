"""Servers that speak nearly as OpenAI does: what they mean is taken, and nothing of it is lost without a word."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_core import ToolCall

from .conftest import Play, functions

ADD = {"name": "add", "arguments": {"a": 1, "b": 2}}
THREE = ToolCall("add", {"a": 1, "b": 2}, result=3)


def body(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    """A whole answer."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]}


def event(delta: Any, finish: str | None = None) -> dict[str, Any]:
    """A piece of a streamed one."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def unnamed(raw_args: str | None = None) -> ToolCall:
    return ToolCall("(no name)", {}, error='there is no tool "". The tools are add', raw_args=raw_args)


# what is unusual; the answer; the reply and the calls
WHOLE: list[tuple[str, dict[str, Any], str, list[ToolCall]]] = [
    ("content in parts", body({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text",
     "text": "b"}]}), "ab", []),
    ("a number as content", body({"content": 42}), "42", []),
    ("an object as content", body({"content": {"a": 1}}), '{"a": 1}', []),
    ("another role", body({"role": "model", "content": "ab"}), "ab", []),
    ("a reason of its own", body({"content": "ab"}, "eos"), "ab", []),
    ("a list as a reason", body({"content": "ab"}, ["stop"]), "ab", []),  # type: ignore[arg-type]
    ("a call that is null", body({"content": "ab", "tool_calls": [None]}), "ab", []),
    ("arguments as an object", body({"content": None, "tool_calls": [{"id": "c", "function": ADD}]}), "done", [THREE]),
    ("a number as id", body({"tool_calls": [{"id": 7, "function": ADD}]}), "done", [THREE]),
    ("a number as arguments", body({"tool_calls": [{"id": "c", "function": {"name": "add", "arguments": 5}}]}), "done",
     [ToolCall("add", {}, error='the arguments are no JSON object: "5"', raw_args="5")]),
    ("a call of nothing", body({"tool_calls": [{"id": "c", "function": None}]}, "tool_calls"), "done", [unnamed()]),
    ("another kind of call", body({"tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "add"}}]}), "done",
     [unnamed()]),
]  # fmt: skip
STREAMED: list[tuple[str, list[Any], str, list[ToolCall]]] = [
    ("no chunk", [None, event({"content": "ab"}), event({}, "stop")], "ab", []),
    ("no choices", [{"id": "1"}, {"choices": None}, {"choices": [], "message": "queued"},
     event({"content": "ab"}, "stop")], "ab", []),
    ("no delta", [event(None), event({"content": "ab"}, "stop")], "ab", []),
    ("another role", [event({"role": "model", "content": "ab"}, "stop")], "ab", []),
    ("arguments as an object", [event({"tool_calls": [{"index": 0, "id": "c", "function": ADD}]}, "tool_calls")],
     "done", [THREE]),
    ("a call of nothing", [event({"tool_calls": [{"index": 0, "id": "c", "function": None}]}, "tool_calls")],
     "done", [unnamed()]),
    ("calls without ids, all of one number", [
        event({"tool_calls": [{"index": 0, "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}]}),
        event({"tool_calls": [{"index": 0, "function": {"name": "add", "arguments": ""}}]}),
        event({"tool_calls": [{"index": 0, "function": {"arguments": '{"a": 1, "b": 2}'}}]}, "tool_calls")],
     "done", [THREE, THREE]),
    ("keep-alives", [": wait\n\n", "event: ping\n\n", "retry: 9\n\n", "data:\n\n", "id: 1\n\n", event({"content": "a"}),
     ": wait\n\n", event({"content": "b"}, "stop")], "ab", []),
    ("a choice without a number", [{"choices": [{"delta": {"content": "ab"}, "finish_reason": "stop"}]}], "ab", []),
    ("the name in pieces", [
        event({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "ad"}}]}),
        event({"tool_calls": [{"index": 0, "function": {"name": "d", "arguments": '{"a": 1, '}}]}),
        event({"tool_calls": [{"index": 0, "function": {"name": "add", "arguments": '"b": 2}'}}]}, "tool_calls")],
     "done", [THREE]),
    ("calls side by side, known by their ids alone", [
        event({"tool_calls": [{"id": n, "function": {"name": "add", "arguments": ""}} for n in "cd"]}),
        event({"tool_calls": [{"id": n, "function": {"arguments": '{"a": 1, '}} for n in "cd"]}),
        event({"tool_calls": [{"id": n, "function": {"arguments": '"b": 2}'}} for n in "dc"]}, "tool_calls")],
     "done", [THREE, THREE]),
    ("the name in every piece", [
        event({"tool_calls": [{"index": 0, "function": {"name": "add", "arguments": '{"a": 1, '}}]}),
        event({"tool_calls": [{"index": 0, "function": {"name": "add", "arguments": '"b": 2}'}}]}, "tool_calls")],
     "done", [THREE]),
]  # fmt: skip


def spoken(say: Any, play: Play, step: dict[str, Any], stream: bool) -> tuple[str, list[ToolCall]]:
    play({"turns": [{"steps": [step, {"text": "done"}]}]})
    [reply] = say("Hi", model={"stream": stream}, tools=functions("add"))
    calls = [
        ToolCall(call.name, call.args, result=call.result, error=call.error, raw_args=call.raw_args)
        for call in reply.tool_calls
    ]
    return reply.text, calls


@pytest.mark.parametrize(
    ("answer", "text", "calls"), [row[1:] for row in WHOLE], ids=[row[0] for row in WHOLE]
)
def test_whole_answers(
    openai_server: Play, say: Any, answer: dict[str, Any], text: str, calls: list[ToolCall]
) -> None:
    assert spoken(say, openai_server, {"body": answer}, False) == (text, calls)


@pytest.mark.parametrize(
    ("events", "text", "calls"), [row[1:] for row in STREAMED], ids=[row[0] for row in STREAMED]
)
def test_streams(openai_server: Play, say: Any, events: list[Any], text: str, calls: list[ToolCall]) -> None:
    assert spoken(say, openai_server, {"events": [*events, "[DONE]"]}, True) == (text, calls)
