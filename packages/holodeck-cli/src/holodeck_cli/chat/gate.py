"""The one place that everything shown passes, whoever said it.

Here text becomes safe for a terminal, also where it comes in pieces. What else must not be shown is to be taken out
here as well.
"""

from __future__ import annotations

from typing import Final

from holodeck_core.text import one_line, sanitize_tool_output, show_value
from holodeck_core.text_stream import StreamSanitizer

NAME_WIDTH: Final = 80


class OutputGate:
    """Makes texts safe to show."""

    def block(self, text: str) -> str:
        """A text of several lines."""
        return sanitize_tool_output(text)

    def line(self, text: str, width: int | None = None) -> str:
        """A text on one line, shortened to ``width``."""
        return one_line(self.block(text), width)

    def name(self, text: str) -> str:
        """A name that somebody else gave; never empty."""
        return self.line(text, NAME_WIDTH) or "\ufffd"

    def value(self, value: object, width: int) -> str:
        """A JSON value on one line, shortened to ``width``; what cannot be seen stands as an escape."""
        return self.line(show_value(value, width))

    def stream(self) -> StreamGate:
        """A gate for one text that comes in pieces."""
        return StreamGate()


class StreamGate:
    """Makes a text safe that comes in pieces; what a piece leaves open is kept back until it is settled."""

    def __init__(self) -> None:
        self._sanitizer = StreamSanitizer()

    def feed(self, piece: str) -> str:
        """What can be shown after this piece."""
        return self._sanitizer.feed(piece)

    def finish(self) -> str:
        """What was kept back."""
        return self._sanitizer.finish()
