"""A conversation in the terminal."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import Field, ValidationInfo, field_validator

from holodeck_core.models.agent import AgentConfig
from holodeck_core.models.base import StrictModel, UtcDatetime, rule
from holodeck_core.models.token_usage import TokenUsage
from holodeck_core.models.tool_execution import ToolExecution

MAX_USER_CHARACTERS = 10_000


def _now() -> datetime:
    return datetime.now(UTC)


class SessionState(StrEnum):
    """The state of a chat session."""

    INITIALIZING = "initializing"
    ACTIVE = "active"
    TERMINATED = "terminated"


class MessageRole(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Message(StrictModel):
    """One message of a conversation; its content is trimmed and cannot be blank."""

    role: MessageRole
    content: str
    timestamp: UtcDatetime = Field(default_factory=_now)
    tool_calls: list[ToolExecution] = Field(default_factory=list)
    tokens_used: TokenUsage | None = None

    @field_validator("content")
    @classmethod
    def _not_blank_nor_too_long(cls, content: str, info: ValidationInfo) -> str:
        content = content.strip()
        if not content:
            raise rule("a message cannot be empty")
        if info.data.get("role") is MessageRole.USER and len(content) > MAX_USER_CHARACTERS:
            raise rule(f"a user message has at most {MAX_USER_CHARACTERS:,} characters, not {len(content):,}")
        return content

    @field_validator("tool_calls")
    @classmethod
    def _only_by_the_assistant(
        cls, tool_calls: list[ToolExecution], info: ValidationInfo
    ) -> list[ToolExecution]:
        if tool_calls and info.data.get("role") is not MessageRole.ASSISTANT:
            raise rule("only an assistant message has tool calls")
        return tool_calls


_NEXT_STATES = {
    SessionState.INITIALIZING: {SessionState.ACTIVE, SessionState.TERMINATED},
    SessionState.ACTIVE: {SessionState.TERMINATED},
    SessionState.TERMINATED: set[SessionState](),
}


class ChatSession(StrictModel):
    """A conversation between a developer and an agent.

    ``history`` has ``messages``: Semantic Kernel's ``ChatHistory``, or an object with the same methods.
    ``message_count`` counts user and assistant messages.
    """

    session_id: UUID = Field(default_factory=uuid4)
    agent_config: AgentConfig
    history: Any
    started_at: UtcDatetime = Field(default_factory=_now)
    message_count: int = Field(default=0, ge=0)
    state: SessionState = SessionState.INITIALIZING
    metadata: dict[str, Any] = Field(default_factory=dict)

    @field_validator("history")
    @classmethod
    def _has_messages(cls, history: Any) -> Any:
        if not hasattr(history, "messages"):
            raise rule(f"a history has `messages`; {type(history).__name__} has not")
        return history

    @field_validator("started_at")
    @classmethod
    def _not_in_the_future(cls, started_at: datetime) -> datetime:
        if started_at > _now():
            raise rule("`started_at` cannot be in the future")
        return started_at

    def move_to(self, state: SessionState) -> None:
        """Change the state. Raises ValueError for a change that a session cannot make."""
        if state not in _NEXT_STATES[self.state]:
            raise ValueError(f"a session that is {self.state.value} cannot become {state.value}")
        self.state = state


class ChatConfig(StrictModel):
    """The settings of a chat, as given on the command line."""

    agent_config_path: Path
    verbose: bool = False
    enable_observability: bool = False
    max_messages: int = Field(default=50, gt=0)

    @field_validator("agent_config_path")
    @classmethod
    def _readable_file(cls, path: Path) -> Path:
        if not path.exists():
            raise rule(f"{path} does not exist")
        if not path.is_file():
            raise rule(f"{path} is not a file")
        if not os.access(path, os.R_OK):
            raise rule(f"{path} cannot be read")
        return path
