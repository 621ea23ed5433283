"""Settings of a run and of the plugins."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from holodeck_core.models.base import Number, StrictModel, Text, Whole
from holodeck_core.models.test_case import ToolOrder


class ExecutionConfig(StrictModel):
    """How cases are run. None is "not set here": a level further away decides. Timeouts are in seconds."""

    parallel_test_cases: Whole | None = Field(default=None, ge=1)
    """How many cases run side by side. Example: `4`"""
    llm_timeout: Number | None = Field(default=None, gt=0)
    """How long the agent may take for one turn, in seconds. Example: `30`"""
    file_timeout: Number | None = Field(default=None, gt=0)
    """How long reading one file may take, in seconds. Example: `10`"""
    download_timeout: Number | None = Field(default=None, gt=0)
    """How long fetching one file may take, in seconds. Example: `10`"""
    retries: Whole | None = Field(default=None, ge=0)
    """How often a message is sent again after a temporary failure. Example: `0`"""
    tool_order: ToolOrder | None = None
    """Whether expected calls must come in order, or be the only calls as well; for turns that do not set it."""
    extra_calls: Literal["allow", "forbid"] | None = None
    """Whether calls may be made that no expectation needs; for turns that do not set it."""
    on_turn_failure: Literal["continue", "stop"] | None = None
    """Whether a failed turn is followed by the next one; for cases that do not set it."""


DEFAULT_EXECUTION_CONFIG: Final[dict[str, Any]] = {
    "parallel_test_cases": 1,
    "llm_timeout": 60,
    "file_timeout": 30,
    "download_timeout": 30,
    "retries": 2,
    "tool_order": "any",
    "extra_calls": "allow",
    "on_turn_failure": "continue",
}
"""What holds where no level sets a value."""


class PluginsConfig(StrictModel):
    """`plugins`: short names for what they contribute, which are disabled, and which are required."""

    aliases: dict[Text, Text] = Field(default_factory=dict)
    """Short names for matchers, metrics, graders and providers of plugins. Example: `{pii: acme/pii}`"""
    disabled: list[Text] = Field(default_factory=list)
    """Plugins that are never imported. Example: `[other]`"""
    required: list[Text] = Field(default_factory=list)
    """Plugins that must be there for anything to run, with the versions that are accepted. Example: `["acme>=1.2"]`"""
