"""A case and why it did not pass, as lines of text, for terminals and pytest. Pure; every line is safe to show."""

from __future__ import annotations

from holodeck_core.case_lines.details import Detail, case_details
from holodeck_core.case_lines.lines import (
    PLAIN_WIDTH,
    STYLES,
    Line,
    case_line,
    duration,
    heading,
    rate_line,
    rate_text,
)
from holodeck_core.case_lines.usage import usage_texts

__all__ = [
    "PLAIN_WIDTH",
    "STYLES",
    "Detail",
    "Line",
    "case_details",
    "case_line",
    "duration",
    "heading",
    "rate_line",
    "rate_text",
    "usage_texts",
]
