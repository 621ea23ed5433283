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
_LONGEST_LINE: Final = 65_536


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

    def prints(self) -> PrintGate:
        """A gate for what others print."""
        return PrintGate(self._secrets)

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


class PrintGate:
    """Makes whole lines, fit to be shown, of what others print. Of a line that is written over itself with carriage
    returns, as progress is told, the last state is left. One that goes on without an end is shown in parts."""

    def __init__(self, secrets: Redactor) -> None:
        self._text = StreamGate(secrets)
        self._open = ""  # a line as it was printed so far
        self._safe = ""  # a line as it can be shown so far

    def feed(self, piece: str) -> str:
        """The lines that are complete after this piece, each with its line feed."""
        text = self._open + piece
        cut = text.rfind("\n") + 1
        if len(text) - cut > _LONGEST_LINE:
            text = text[:cut] + _without_overwritten(text[cut:])
            if len(text) - cut > _LONGEST_LINE:
                cut = len(text)
        self._open = text[cut:]
        return self._lines(self._text.feed(_last_states(text[:cut])))

    def finish(self) -> str:
        """What was printed without a line feed at its end, which it has now."""
        rest, self._open = _last_states(self._open), ""
        lines = self._lines(self._text.feed(rest) + self._text.finish())
        last, self._safe = self._safe, ""
        return f"{lines}{last}\n" if last else lines

    def _lines(self, safe: str) -> str:
        safe = self._safe + safe
        cut = safe.rfind("\n") + 1
        if len(safe) - cut > _LONGEST_LINE:
            self._safe = ""
            return f"{safe}\n"
        self._safe = safe[cut:]
        return safe[:cut]


def _last_states(text: str) -> str:
    if "\r" not in text:
        return text
    return "\n".join(_without_overwritten(line).rstrip("\r") for line in text.split("\n"))


def _without_overwritten(line: str) -> str:
    """What can still be seen of a line that may go on; a carriage return at its end overwrites nothing yet."""
    last = line.rstrip("\r").rpartition("\r")[2]
    return f"{last}\r" if line.endswith("\r") else last
