"""The execution settings in force: each field from the first level that sets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG, ExecutionConfig


def resolve_settings(*levels: ExecutionConfig | Mapping[str, Any] | None) -> ExecutionConfig:
    """Merge the levels, nearest first, field by field; the defaults come last. None is not set."""
    merged = dict(DEFAULT_EXECUTION_CONFIG)
    for level in reversed(levels):
        given = level.model_dump() if isinstance(level, ExecutionConfig) else dict(level or {})
        merged.update({name: value for name, value in given.items() if value is not None})
    return ExecutionConfig.model_validate(merged)
