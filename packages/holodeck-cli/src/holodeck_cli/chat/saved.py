"""A conversation as it is saved: what was said, as it was received, and nothing of the configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

import attrs
from pydantic import Field, field_validator

from holodeck_cli.chat.events import ChatTurn
from holodeck_core import Message, MessageRole, Reply, TokenUsage, ToolCall, to_json
from holodeck_core.api.values import thaw
from holodeck_core.models.base import StrictModel, UtcDatetime
from holodeck_core.redaction.redactor import Redactor

VERSION: Final = 1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def is_conversation_id(text: str) -> bool:
    """Whether a conversation may be called so: it is the name of a file, everywhere."""
    return _ID.fullmatch(text) is not None and not text.endswith(".")


class SavedCall(StrictModel):
    """A call of a tool."""

    name: str = Field(min_length=1)
    args: dict[str, Any] = Field(default_factory=dict)
    result: Any = None
    error: str | None = None
    duration_ms: float | None = Field(default=None, ge=0)
    raw_args: str | None = None
    runtime_name: str | None = None


class SavedTurn(StrictModel):
    """A message and its reply."""

    message: str
    reply: str
    calls: list[SavedCall] = Field(default_factory=list)
    usage: TokenUsage | None = None
    at: UtcDatetime
    seconds: float = Field(ge=0)

    @field_validator("message")
    @classmethod
    def _could_be_sent(cls, message: str) -> str:
        Message(role=MessageRole.USER, content=message)
        return message


class SavedConversation(StrictModel):
    """One file. ``agent_path`` is where the agent file was."""

    version: Literal[1] = VERSION
    id: str
    agent_name: str
    agent_path: str | None = None
    started_at: UtcDatetime
    saved_at: UtcDatetime
    turns: list[SavedTurn]

    @property
    def messages(self) -> int:
        """How many messages user and agent have said."""
        return sum(2 if turn.reply.strip() else 1 for turn in self.turns)


def without_secrets(turns: Iterable[ChatTurn], secrets: Redactor) -> list[ChatTurn]:
    """The turns as a file may hold them: as they were received, but for the secrets of the agent file in them."""
    if not secrets:
        return list(turns)
    return [
        attrs.evolve(
            turn,
            message=secrets.redact_value(turn.message),
            reply=attrs.evolve(
                turn.reply,
                text=secrets.redact_value(turn.reply.text),
                tool_calls=tuple(_without_secrets(call, secrets) for call in turn.reply.tool_calls),
            ),
        )
        for turn in turns
    ]


def _without_secrets(call: ToolCall, secrets: Redactor) -> ToolCall:
    hidden = secrets.redact_value
    return ToolCall(
        hidden(call.name),
        hidden(thaw(call.args)),
        hidden(thaw(call.result)),
        hidden(call.error),
        call.duration_ms,
        hidden(call.raw_args),
        hidden(call.runtime_name),
    )


def to_saved(turns: Iterable[ChatTurn]) -> list[SavedTurn]:
    """The turns of a chat, as a file holds them."""
    return [
        SavedTurn(
            message=turn.message,
            reply=turn.reply.text,
            calls=[
                SavedCall(
                    name=call.name,
                    args=thaw(call.args),
                    result=thaw(call.result),
                    error=call.error,
                    duration_ms=call.duration_ms,
                    raw_args=call.raw_args,
                    runtime_name=call.runtime_name,
                )
                for call in turn.reply.tool_calls
            ],
            usage=turn.usage,
            at=turn.at,
            seconds=turn.seconds,
        )
        for turn in turns
    ]


def from_saved(turns: Sequence[SavedTurn]) -> list[ChatTurn]:
    """The turns of a chat that a file holds."""
    return [
        ChatTurn(
            turn.message,
            Reply(
                turn.reply,
                tuple(
                    ToolCall(
                        call.name,
                        to_json(call.args),
                        to_json(call.result),
                        call.error,
                        call.duration_ms,
                        call.raw_args,
                        call.runtime_name,
                    )
                    for call in turn.calls
                ),
                turn.usage,
            ),
            turn.at,
            turn.seconds,
        )
        for turn in turns
    ]
