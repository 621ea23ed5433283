"""How calls and times are worded in a chat."""

from __future__ import annotations

import pytest

from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.wording import call_line
from holodeck_core import ToolCall


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
