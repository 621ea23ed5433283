"""The record of a case without the secrets of its suite. Pure.

What HoloDeck itself counts and measures stays as it is: no secret can be in it, though its digits may stand there.
"""

from __future__ import annotations

from typing import Any, Final

from holodeck_core.engine.record import size_of
from holodeck_core.redaction import Redactor

_OWN: Final = frozenset(
    (
        "case_hash",
        "checked",
        "evaluation_time_ms",
        "execution_time_ms",
        "index",
        "multi_turn",
        "passed",
        "retry_count",
        "scale",
        "score",
        "session_id",
        "skipped",
        "status",
        "threshold",
        "timestamp",
        "tools_matched",
        "turn_index",
    )
)


def without_secrets(record: dict[str, Any], secrets: Redactor) -> dict[str, Any]:
    """The record with a mask for every secret in it. A number that must be one, and was reported by the agent, is left
    out where it holds a secret."""
    turns = [_turn(turn, secrets) for turn in record["turns"]]
    return {**_fields({**record, "turns": None}, secrets), "turns": turns}


def _turn(turn: dict[str, Any], secrets: Redactor) -> dict[str, Any]:
    redacted = _fields(turn, secrets)
    redacted["metric_results"] = [_fields(metric, secrets) for metric in turn["metric_results"]]
    if "tool_invocations" in turn:
        redacted["tool_invocations"] = [_call(call, secrets) for call in turn["tool_invocations"]]
    if "nearest_calls" in turn:
        redacted["nearest_calls"] = [
            {**nearest, "args": secrets.redact_value(nearest["args"])} for nearest in turn["nearest_calls"]
        ]
    if "token_usage" in turn and redacted["token_usage"] != turn["token_usage"]:
        del redacted["token_usage"]
    return redacted


def _call(call: dict[str, Any], secrets: Redactor) -> dict[str, Any]:
    redacted = {**secrets.redact_value(call), "bytes": size_of(call["result"])}
    if "duration_ms" in call and redacted["duration_ms"] != call["duration_ms"]:
        del redacted["duration_ms"]
    return redacted


def _fields(record: dict[str, Any], secrets: Redactor) -> dict[str, Any]:
    return {key: value if key in _OWN else secrets.redact_value(value) for key, value in record.items()}
