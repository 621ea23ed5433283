"""What an agent said, as a Reply, and a Reply as the events that a stream of it would have had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from holodeck_core.api.reply import (
    Reply,
    ReplyDone,
    ReplyEvent,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UsageReported,
    read_usage,
)
from holodeck_core.backends.tool_calls import decode_arguments, tool_call
from holodeck_core.models.token_usage import TokenUsage

_EVENTS = (TextDelta, ToolStarted, ToolFinished, UsageReported, ReplyDone)


def as_reply(value: object) -> Reply:
    """A text or a Reply, with every tool call in one shape. Raises TypeError that names what came instead."""
    if isinstance(value, str):
        return Reply(value)
    if not isinstance(value, Reply):
        raise TypeError(f"an agent replies with str or holodeck_core.Reply, got {type(value).__name__}")
    text: object = value.text
    if not isinstance(text, str):
        raise TypeError(f"the text of a Reply is a str, got {type(text).__name__}")
    if not value.tool_calls and value.usage is None:
        return value
    return Reply(text, _calls(value.tool_calls), None if value.usage is None else as_usage(value.usage))


def _calls(calls: object) -> tuple[ToolCall, ...]:
    if type(calls) is not list and (
        not isinstance(calls, Iterable) or isinstance(calls, str | bytes | Mapping)
    ):
        raise TypeError(
            f"the tool_calls of a Reply are a list of holodeck_core.ToolCall, got {type(calls).__name__}"
        )
    return tuple(map(tool_call, calls))


def as_event(value: object) -> ReplyEvent:
    """A reply event, with decoded arguments. Raises TypeError that names what came instead."""
    if not isinstance(value, _EVENTS):
        raise TypeError(
            "a stream yields reply events (TextDelta, ToolStarted, ToolFinished, UsageReported, ReplyDone), "
            f"got {type(value).__name__}"
        )
    if isinstance(value, ToolStarted):
        arguments: object = value.args
        if not isinstance(arguments, Mapping):
            args, raw_args = decode_arguments(arguments)
            return attrs.evolve(value, args=args, raw_args=value.raw_args or raw_args)
    return value


def reply_events(reply: Reply) -> Iterator[ReplyEvent]:
    """The events whose collection is that reply: its calls, its text, its usage, the end."""
    for index, call in enumerate(reply.tool_calls):
        call_id = f"call_{index}"
        yield ToolStarted(call_id, call.name, call.args, call.raw_args, call.runtime_name)
        yield ToolFinished(call_id, call.result, call.error, call.duration_ms)
    if reply.text:
        yield TextDelta(reply.text)
    if reply.usage is not None:
        yield UsageReported(as_usage(reply.usage))
    yield ReplyDone()


def as_usage(usage: object) -> TokenUsage:
    """Token counts; a mapping of them may leave ``total_tokens`` out, and may hold a provider's further keys.

    Raises TypeError or ValueError for what is none.
    """
    if not isinstance(usage, Mapping):
        return read_usage(usage)
    counts = with_total(usage)
    return read_usage({key: counts[key] for key in TokenUsage.model_fields if key in counts})


def with_total(counts: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The counts; where ``total_tokens`` is missing, it is the sum of prompt and completion."""
    parts = counts.get("prompt_tokens"), counts.get("completion_tokens")
    if counts.get("total_tokens") is not None or not all(isinstance(part, int) for part in parts):
        return counts
    return {**counts, "total_tokens": sum(parts)}
