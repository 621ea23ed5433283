"""What goes to an agent and what comes back: the message, the reply, and the events a reply is made of."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TypeAlias

import attrs
from pydantic import ValidationError

from holodeck_core.api.values import FilledOnce, read_only
from holodeck_core.models.test_case import FileInput
from holodeck_core.models.token_usage import TokenUsage


@attrs.frozen
class UserMessage:
    """One user message: its text and the files sent with it."""

    text: str
    files: tuple[FileInput, ...] = ()


@read_only
@attrs.frozen(getstate_setstate=False)
class ToolCall(FilledOnce):
    """One call of a tool, as the agent reports it.

    ``name`` is the name as configured, ``runtime_name`` the name that the agent's runtime uses for it, where that
    differs (``math-subtract``). ``args`` are the decoded arguments; where they could not be decoded, ``raw_args``
    holds their text and ``args`` is empty. ``error`` is what went wrong, None for a call that succeeded.
    """

    name: str
    args: Mapping[str, object] = attrs.field(factory=dict)
    result: object = None
    error: str | None = None
    duration_ms: float | None = None
    raw_args: str | None = None
    runtime_name: str | None = None


@attrs.frozen
class Reply:
    """The whole answer to one message. ``usage`` is None where the provider reported none."""

    text: str = ""
    tool_calls: Sequence[ToolCall] = ()
    usage: TokenUsage | Mapping[str, int] | None = None


@attrs.frozen
class Exchange:
    """One message of a conversation that was held earlier, and what came back."""

    message: UserMessage
    reply: Reply


@attrs.frozen
class TextDelta:
    """A piece of the reply's text."""

    text: str


@attrs.frozen
class ToolStarted:
    """A tool is being called. ``call_id`` joins it to its ToolFinished; it is unique within the turn."""

    call_id: str
    name: str
    args: Mapping[str, object] = attrs.field(factory=dict)
    raw_args: str | None = None
    runtime_name: str | None = None


@attrs.frozen
class ToolFinished:
    """A tool call ended, with a result or with an error."""

    call_id: str
    result: object = None
    error: str | None = None
    duration_ms: float | None = None


@attrs.frozen
class UsageReported:
    """Tokens used by one completion; a turn of several completions reports several, which add up."""

    usage: TokenUsage


@attrs.frozen
class ReplyDone:
    """The reply is complete. ``text`` replaces the pieces sent so far where it is given."""

    text: str | None = None


ReplyEvent: TypeAlias = TextDelta | ToolStarted | ToolFinished | UsageReported | ReplyDone


def read_usage(usage: object) -> TokenUsage:
    """Token usage as a reply reports it. Raises TypeError or ValueError, in a few words, for what is none."""
    if isinstance(usage, TokenUsage):
        # A sum, and one that was constructed, was never validated; results that hold it must be read again.
        usage = {name: getattr(usage, name) for name in TokenUsage.model_fields if hasattr(usage, name)}
    if not isinstance(usage, Mapping):
        raise TypeError(f"the usage of a reply is a TokenUsage or a mapping, got {type(usage).__name__}")
    try:
        return TokenUsage.model_validate(dict(usage))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the counts"
        raise ValueError(f"the usage of a reply cannot be read: {place}: {first['msg']}") from None


async def collect(events: AsyncIterator[ReplyEvent]) -> Reply:
    """The reply that a stream of events amounts to; calls stand in the order in which they were started.

    Raises TypeError for an event of an unknown kind and ValueError for a ToolFinished without its ToolStarted.
    A call that was started and never finished is part of the reply, with an error that says so.
    """
    pieces: list[str] = []
    text: str | None = None
    calls: dict[str, ToolCall] = {}
    open_calls: set[str] = set()
    usage: TokenUsage | None = None
    async for event in events:
        match event:
            case TextDelta():
                pieces.append(event.text)
            case ToolStarted():
                if event.call_id in calls:
                    raise ValueError(f"two tool calls of one turn have the id {event.call_id!r}")
                open_calls.add(event.call_id)
                calls[event.call_id] = ToolCall(
                    event.name, event.args, raw_args=event.raw_args, runtime_name=event.runtime_name
                )
            case ToolFinished():
                if event.call_id not in open_calls:
                    raise ValueError(f"the tool call {event.call_id!r} finished without having been started")
                open_calls.discard(event.call_id)
                calls[event.call_id] = attrs.evolve(
                    calls[event.call_id],
                    result=event.result,
                    error=event.error,
                    duration_ms=event.duration_ms,
                )
            case UsageReported():
                usage = event.usage if usage is None else usage + event.usage
            case ReplyDone():
                text = event.text
            case _:
                raise TypeError(f"a reply is made of reply events, not of {type(event).__name__}")
    for call_id in open_calls:
        calls[call_id] = attrs.evolve(calls[call_id], error="the reply ended before this call finished")
    return Reply("".join(pieces) if text is None else text, tuple(calls.values()), usage)
