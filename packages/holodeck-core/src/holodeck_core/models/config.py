"""Settings of a run and of the plugins."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from holodeck_core.models.base import Number, StrictModel, Text, Whole
from holodeck_core.models.test_case import ToolOrder


class ExecutionConfig(StrictModel):
    """How cases are run. None is "not set here": a level further away decides. Timeouts are in seconds."""

    parallel_test_cases: Whole | None = Field(default=None, ge=1)
    llm_timeout: Number | None = Field(default=None, gt=0)
    file_timeout: Number | None = Field(default=None, gt=0)
    download_timeout: Number | None = Field(default=None, gt=0)
    retries: Whole | None = Field(default=None, ge=0)
    tool_order: ToolOrder | None = None
    extra_calls: Literal["allow", "forbid"] | None = None
    on_turn_failure: Literal["continue", "stop"] | None = None


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
    """`plugins`: other names for them, those never to be imported, those without which nothing runs."""

    aliases: dict[Text, Text] = Field(default_factory=dict)
    disabled: list[Text] = Field(default_factory=list)
    required: list[Text] = Field(default_factory=list)
