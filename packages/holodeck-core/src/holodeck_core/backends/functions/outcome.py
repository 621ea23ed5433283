"""What came of one call of a tool."""

from __future__ import annotations

import attrs

from holodeck_core.api.values import JsonValue


@attrs.frozen
class ToolOutcome:
    """The result of a call as a JSON value; or, where it failed, why, in words that a model may be told."""

    result: JsonValue = None
    error: str | None = None
