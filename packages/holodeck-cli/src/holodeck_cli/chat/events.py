"""What happens in a turn of a chat: the events of the reply as they were received, and how it ended."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

import attrs

from holodeck_core import (
    Reply,
    ReplyDone,
    ReplyEvent,
    TextDelta,
    TokenUsage,
    ToolFinished,
    ToolStarted,
    UsageReported,
    to_json,
)
from holodeck_core.api.reply import read_usage
from holodeck_core.api.values import text_of


@attrs.frozen
class ChatTurn:
    """One message and its reply, as they were sent and received, not as they are shown. ``seconds`` is how long the
    reply took."""

    message: str
    reply: Reply
    at: datetime
    seconds: float

    @property
    def usage(self) -> TokenUsage | None:
        """The tokens of the turn; None where none were reported."""
        return None if self.reply.usage is None else read_usage(self.reply.usage)


@attrs.frozen
class TurnDone:
    """The reply is complete and part of the conversation."""

    turn: ChatTurn


@attrs.frozen
class TurnFailed:
    """There is no reply, and the conversation is as it was before the message."""

    reason: str


@attrs.frozen
class TryingAgain:
    """The message is sent again, after a failure before anything was received."""

    reason: str


ChatEvent: TypeAlias = ReplyEvent | TryingAgain | TurnDone | TurnFailed
"""Every turn ends with one TurnDone or TurnFailed, unless it is cancelled."""


def as_received(event: object) -> ReplyEvent:
    """A copy of an event in which all values are JSON values, so that nothing that happens later changes it.

    Raises TypeError or ValueError for what is no event of a reply.
    """
    match event:
        case TextDelta():
            if not isinstance(event.text, str):
                raise TypeError(f"a piece of a reply is a string, got {type(event.text).__name__}")
            return event
        case ToolStarted():
            raw = None if event.raw_args is None else text_of(event.raw_args)
            runtime_name = None if event.runtime_name is None else text_of(event.runtime_name)
            args = to_json(event.args)
            return ToolStarted(
                text_of(event.call_id),
                text_of(event.name),
                args if isinstance(args, dict) else {},
                raw,
                runtime_name,
            )
        case ToolFinished():
            error = None if event.error is None else text_of(event.error)
            return ToolFinished(text_of(event.call_id), to_json(event.result), error, event.duration_ms)
        case UsageReported():
            return UsageReported(read_usage(event.usage))
        case ReplyDone():
            if event.text is not None and not isinstance(event.text, str):
                raise TypeError(f"the text of a reply is a string, got {type(event.text).__name__}")
            return event
        case _:
            raise TypeError(f"a reply is made of reply events, not of {type(event).__name__}")
