"""What a provider demands of a request: the mistakes for which it answers with status 400."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ROLES = ("system", "developer", "user", "assistant", "tool")
_CHOICES = ("none", "auto", "required")


def complaint(body: Any) -> str | None:
    """The first thing that is wrong with the body of a request; None where nothing is."""
    if not isinstance(body, Mapping):
        return "We could not parse the JSON body of your request."
    return next(_complaints(body), None)


def _complaints(body: Mapping[str, Any]) -> Iterator[str]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1."
        return
    yield from _message_complaints(messages)
    yield from _tool_complaints(body.get("tools"))
    if "tools" not in body and "tool_choice" in body:
        yield "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
    choice = body.get("tool_choice")
    if isinstance(choice, str) and choice not in _CHOICES:
        yield f"Invalid value: {choice!r}. Supported values are: {', '.join(_CHOICES)}."
    for key, low, high in (("temperature", 0, 2), ("top_p", 0, 1), ("max_tokens", 1, 10**9)):
        value = body.get(key)
        if value is not None and not low <= value <= high:
            yield f"Invalid '{key}': expected a value between {low} and {high}, but got {value} instead."
    if "stream_options" in body and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    shape = body.get("response_format") or {}
    if shape.get("type") == "json_schema":
        wanted = shape.get("json_schema", {})
        if not _NAME.fullmatch(wanted.get("name", "")):
            yield f"Invalid 'response_format.json_schema.name': {wanted.get('name')!r}."
        if wanted.get("strict"):
            for fault in _loose(wanted.get("schema", {})):
                yield f"Invalid schema for response_format '{wanted.get('name')}': {fault}"


def _message_complaints(messages: Sequence[Any]) -> Iterator[str]:
    open_calls: list[str] = []
    for number, message in enumerate(messages):
        role = message.get("role")
        if role not in _ROLES:
            yield f"Invalid value: {role!r}. Supported values are: {', '.join(_ROLES)}. (messages[{number}].role)"
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield (
                    f"Invalid parameter: messages[{number}] with role 'tool' must be a response to a preceding "
                    "message with 'tool_calls'."
                )
                return
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            break
        calls = message.get("tool_calls") or ()
        if message.get("content") is None and not calls:
            yield f"Invalid value for 'content': expected a string, got null. (messages[{number}])"
        open_calls = [call["id"] for call in calls]
        for call in calls:
            if not _NAME.fullmatch(call["function"]["name"]):
                yield f"Invalid 'messages[{number}].tool_calls.function.name': {call['function']['name']!r}."
    if open_calls:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(open_calls)}"
        )


def _tool_complaints(tools: Any) -> Iterator[str]:
    if tools is None:
        return
    if not tools:
        yield "Invalid 'tools': empty array. Expected an array with minimum length 1."
    for number, tool in enumerate(tools):
        function = tool.get("function", {})
        name, parameters = function.get("name", ""), function.get("parameters", {"type": "object"})
        if not _NAME.fullmatch(name):
            yield f"Invalid 'tools[{number}].function.name': string does not match pattern. ({name!r})"
        if parameters.get("type") != "object":
            yield f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."
        if function.get("strict"):
            for fault in _loose(parameters):
                yield f"Invalid schema for function '{name}': {fault}"


def _loose(schema: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Where a strict schema is not strict: every object closed, every property required."""
    if isinstance(schema, list):
        for item in schema:
            yield from _loose(item, path)
    if not isinstance(schema, Mapping):
        return
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"In context={path}, 'additionalProperties' is required to be supplied and to be false."
        missing = sorted(set(schema.get("properties", {})) - set(schema.get("required", ())))
        if missing:
            yield f"In context={path}, 'required' must include every key in properties. Missing {missing}."
    for key, below in schema.items():
        yield from _loose(below, (*path, key))
