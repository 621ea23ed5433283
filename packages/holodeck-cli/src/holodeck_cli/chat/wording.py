"""What is shown of tool calls, tokens and times. Pure; every text of others passes the gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holodeck_cli.chat.gate import OutputGate
from holodeck_core import TokenUsage, ToolCall
from holodeck_core.case_lines import duration

_ARGS_WIDTH: Final = 100
_VALUE_WIDTH: Final = 40
_ERROR_WIDTH: Final = 300
_INDENT: Final = "    "
_MAX_DURATION_MS: Final = 1e10
"""Some four months: what claims to have taken longer says nothing."""


def call_text(gate: OutputGate, name: str, args: Mapping[str, Any], raw_args: str | None) -> str:
    """``add(a: 3, b: 4)``, shortened."""
    if raw_args is not None:
        shown = gate.value(raw_args, _ARGS_WIDTH)
    else:
        shown = gate.line(
            ", ".join(f"{gate.name(key)}: {gate.value(item, _VALUE_WIDTH)}" for key, item in args.items()),
            _ARGS_WIDTH,
        )
    return f"{gate.name(name)}({shown})"


def call_line(gate: OutputGate, call: ToolCall, seconds: float | None) -> str:
    """``tool add(a: 3, b: 4): ok, 12 ms``; ``seconds`` stands in for a duration that was not reported."""
    reported = _milliseconds(call.duration_ms)
    took = reported if reported is not None else None if seconds is None else seconds * 1000
    time = "" if took is None else f", {duration(took)}"
    status = "ok" if call.error is None else "failed"
    why = "" if call.error is None else f": {gate.line(call.error, _ERROR_WIDTH) or 'no reason given'}"
    return f"tool {call_text(gate, call.name, call.args, call.raw_args)}: {status}{time}{why}"


def call_details(gate: OutputGate, call: ToolCall) -> Iterator[str]:
    """The parameters and the outcome of a call in full, as indented lines."""
    parameters = call.args if call.raw_args is None else call.raw_args
    yield from _full(gate, "parameters", parameters)
    if call.error is None:
        yield from _full(gate, "result", call.result)
    else:
        yield from _full(gate, "error", call.error)


def _full(gate: OutputGate, title: str, value: object) -> Iterator[str]:
    first, *rest = gate.full(value).split("\n")
    yield f"{_INDENT}{title}: {first}"
    for line in rest:
        yield f"{_INDENT}{line}"


def tokens_text(turn: TokenUsage | None, conversation: TokenUsage | None) -> str:
    """``120 + 30 tokens (1,200 in all)``; empty where none were reported."""
    if turn is None:
        return ""
    cached = f", {turn.cache_read_tokens:,} from the cache" if turn.cache_read_tokens else ""
    whole = ""
    if conversation is not None:
        at_least = "at least " if conversation.partial else ""
        whole = f" ({at_least}{conversation.total_tokens:,} in all)"
    return f"{turn.input_tokens:,} + {turn.completion_tokens:,} tokens{cached}{whole}"


def _milliseconds(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_DURATION_MS:
        return float(value)
    return None
