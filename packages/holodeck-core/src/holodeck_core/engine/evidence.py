"""What an agent replied, copied into evidence that nothing can change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from holodeck_core.api.reply import Reply, ToolCall, read_usage
from holodeck_core.api.values import EMPTY_DICT, text_of, to_json, well_formed
from holodeck_core.models.token_usage import COUNTS, TokenUsage


def receive(reply: object) -> tuple[str, tuple[ToolCall, ...], dict[str, Any] | None]:
    """The text, the calls and the token usage of a reply. Raises TypeError or ValueError for what is none."""
    if not isinstance(reply, Reply):
        raise TypeError(f"a session replies with a Reply, got {type(reply).__name__}")
    if not isinstance(reply.text, str):
        raise TypeError(f"the text of a reply is a string, got {type(reply.text).__name__}")
    calls = tuple(map(_call, reply.tool_calls)) if reply.tool_calls else ()
    return well_formed(reply.text), calls, _usage(reply.usage) if reply.usage is not None else None


def _call(call: object) -> ToolCall:
    if not isinstance(call, ToolCall):
        raise TypeError(f"the tool calls of a reply are ToolCall values, got {type(call).__name__}")
    if not isinstance(call.name, str) or not isinstance(call.args, Mapping):
        raise TypeError(
            f"a tool call has a name and a mapping of arguments, got {call.name!r} and {call.args!r:.100}"
        )
    return ToolCall(
        to_json(call.name),
        to_json(call.args) if call.args else EMPTY_DICT,
        to_json(call.result),
        text_of(call.error) if call.error else None,
        None if call.duration_ms is None else _duration(call.duration_ms),
        None if call.raw_args is None else text_of(call.raw_args),
        None if call.runtime_name is None else text_of(call.runtime_name),
    )


def _duration(duration_ms: object) -> float | None:
    """Milliseconds, None for what cannot be a duration: it is not worth a turn."""
    try:
        value = float(duration_ms)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _usage(usage: TokenUsage | Mapping[str, int]) -> dict[str, Any]:
    usage = read_usage(usage)
    counts: dict[str, Any] = {field: getattr(usage, field) for field in COUNTS}
    if usage.partial:
        counts["partial"] = True
    return counts
