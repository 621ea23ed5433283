"""A tool call as the chat shows it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from holodeck_core.models.base import StrictModel, Text, rule
from holodeck_core.text import sanitize_tool_output


class ToolStatus(StrEnum):
    """The state of a tool call."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"


class ToolExecution(StrictModel):
    """One tool call. Its texts are safe for a terminal. ``execution_time`` is in seconds."""

    tool_name: Text
    parameters: dict[str, Any] = Field(default_factory=dict)
    result: str | None = None
    status: ToolStatus = ToolStatus.PENDING
    execution_time: float | None = Field(default=None, ge=0)
    error_message: str | None = None

    @field_validator("tool_name")
    @classmethod
    def _name_safe_for_a_terminal(cls, name: str) -> str:
        return sanitize_tool_output(name) or "\ufffd"

    @field_validator("parameters", "result", "error_message")
    @classmethod
    def _safe_for_a_terminal(cls, value: Any) -> Any:
        return _sanitized(value)

    @model_validator(mode="after")
    def _failure_says_why(self) -> Self:
        if self.status is ToolStatus.FAILED and not (self.error_message or "").strip():
            raise rule("`error_message` is required when `status` is failed")
        return self


def _sanitized(value: Any) -> Any:
    if isinstance(value, str):
        return sanitize_tool_output(value)
    if isinstance(value, dict):
        return {_sanitized(key): _sanitized(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sanitized(item) for item in value]
    return value
