"""The one place that everything shown passes, whoever said it.

Here secrets are masked and text becomes safe for a terminal, also where it comes in pieces.
"""

from __future__ import annotations

import json
from typing import Final

from holodeck_core.redaction.redactor import NO_SECRETS, Redactor
from holodeck_core.text import one_line, sanitize_tool_output, show_value
from holodeck_core.text_stream import StreamSanitizer

NAME_WIDTH: Final = 80


class OutputGate:
    """Makes texts fit to be shown; ``secrets`` are masked in all of them."""

    def __init__(self, secrets: Redactor = NO_SECRETS) -> None:
        self._secrets = secrets

    def block(self, text: str) -> str:
        """A text of several lines."""
        return sanitize_tool_output(self._secrets.redact_shown(text))

    def line(self, text: str, width: int | None = None) -> str:
        """A text on one line, shortened to ``width``."""
        return one_line(self.block(text), width)

    def name(self, text: str) -> str:
        """A name that somebody else gave; never empty."""
        return self.line(text, NAME_WIDTH) or "\ufffd"

    def value(self, value: object, width: int) -> str:
        """A JSON value on one line, shortened to ``width``; what cannot be seen stands as an escape."""
        return self.line(show_value(self._secrets.redact_value(value), width))

    def full(self, value: object) -> str:
        """A JSON value in full, as indented JSON; a text as it is."""
        if not isinstance(value, str):
            value = json.dumps(self._secrets.redact_value(value), ensure_ascii=False, indent=2, default=str)
        return self.block(value)

    def stream(self) -> StreamGate:
        """A gate for one text that comes in pieces."""
        return StreamGate(self._secrets)


class StreamGate:
    """Makes a text fit to be shown that comes in pieces; what a piece leaves open is kept back until it is settled."""

    def __init__(self, secrets: Redactor) -> None:
        self._secrets = secrets
        self._sanitizer = StreamSanitizer()
        self._redactor = secrets.stream()

    def feed(self, piece: str) -> str:
        """What can be shown after this piece."""
        return self._redactor.feed(self._sanitizer.feed(piece))

    def finish(self) -> str:
        """What was kept back. The gate may then be used for another text."""
        rest = self._redactor.feed(self._sanitizer.finish()) + self._redactor.finish()
        self._redactor = self._secrets.stream()
        return rest
