"""How calls, times and tokens are worded in a chat."""

from __future__ import annotations

import pytest

from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.wording import call_line, tokens_text
from holodeck_core import TokenUsage, ToolCall


@pytest.mark.parametrize(
    ("prompt", "total", "read", "text"),
    [
        (120, 150, 0, "120 + 30 tokens"),
        (900, 930, 800, "900 + 30 tokens, 800 from the cache"),
        (100, 930, 800, "900 + 30 tokens, 800 from the cache"),
    ],
    ids=["nothing cached", "part of the prompt", "beside the prompt"],
)
def test_what_was_cached_is_part_of_what_went_in(prompt: int, total: int, read: int, text: str) -> None:
    usage = TokenUsage(prompt_tokens=prompt, completion_tokens=30, total_tokens=total, cache_read_tokens=read)
    assert tokens_text(usage, None) == text


@pytest.mark.parametrize(
    ("duration_ms", "shown"),
    [
        (12.0, "12 ms"),
        (999.6, "1.0 s"),  # not 1000 ms
        (59_960.0, "1 min 00 s"),  # not 60.0 s
        (119_700.0, "2 min 00 s"),  # not 1 min 60 s
    ],
)
def test_a_duration_is_rounded_as_in_reports(duration_ms: float, shown: str) -> None:
    assert call_line(OutputGate(), ToolCall("f", duration_ms=duration_ms), None) == f"tool f(): ok, {shown}"
