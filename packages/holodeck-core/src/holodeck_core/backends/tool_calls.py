"""Tool calls as agents and recordings write them, in one shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs

from holodeck_core.api.reply import ToolCall
from holodeck_core.api.values import text_of
from holodeck_core.text import show_value


def tool_call(value: object) -> ToolCall:
    """One call: a ToolCall, or a mapping, either flat or in the shape of OpenAI's chat messages.

    ``{name, args, result, error, duration_ms, raw_args, runtime_name}`` (``arguments`` may stand for ``args``) and
    ``{"function": {"name": …, "arguments": "<JSON text>"}, …}`` mean the same, and so does a custom tool's
    ``{"custom": {"name": …, "input": "<any text>"}, …}``. Other keys, such as ``id`` and ``type``, are ignored. Raises
    TypeError for what is no tool call.
    """
    if isinstance(value, ToolCall):
        return _checked(value)
    if not isinstance(value, Mapping):
        raise TypeError(f"a tool call is a holodeck_core.ToolCall or a mapping, got {type(value).__name__}")
    function, custom = value.get("function"), value.get("custom")
    if isinstance(custom, Mapping):
        function = {"name": custom.get("name"), "arguments": custom.get("input")}
    named: Mapping[Any, Any] = function if isinstance(function, Mapping) else value
    name = named.get("name")
    if not isinstance(name, str) or not name:
        raise TypeError(f"a tool call has a name, got {show_value(value)}")
    args, raw_args = decode_arguments(named["args"] if "args" in named else named.get("arguments"))
    error = value.get("error")
    return ToolCall(
        name,
        args,
        result=value.get("result"),
        error=None if error is None or error is False else text_of(error),
        duration_ms=value.get("duration_ms"),
        raw_args=value.get("raw_args", raw_args),
        runtime_name=value.get("runtime_name"),
    )


def _checked(call: ToolCall) -> ToolCall:
    name: object = call.name
    arguments: object = call.args
    if not isinstance(name, str) or not name:
        raise TypeError(f"a tool call has a name, got {show_value(name)}")
    if isinstance(arguments, Mapping):
        return call
    args, raw_args = decode_arguments(arguments)
    return attrs.evolve(call, args=args, raw_args=raw_args if call.raw_args is None else call.raw_args)


def decode_arguments(arguments: object) -> tuple[Mapping[str, object], str | None]:
    """The arguments of a call as a mapping, and their raw text where they could not be decoded.

    A mapping stays as it is; None, ``""``, white space and ``null`` are no arguments; other text is JSON. What does
    not decode to a mapping gives an empty one and the text, so that nobody takes it for a call without arguments.
    """
    if isinstance(arguments, Mapping):
        return arguments, None
    if arguments is None:
        return {}, None
    if not isinstance(arguments, str):
        return {}, show_value(arguments, width=10_000)
    if not arguments.strip():
        return {}, None
    try:
        decoded = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}, arguments
    if decoded is None:
        return {}, None
    return (decoded, None) if isinstance(decoded, dict) else ({}, arguments)
