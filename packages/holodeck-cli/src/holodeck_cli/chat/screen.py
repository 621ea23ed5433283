"""Where a chat is shown: plainly, on two streams."""

from __future__ import annotations

import threading
from typing import Literal, Protocol, TextIO, TypeAlias

from holodeck_cli.streams import discard, unwritable

Tone: TypeAlias = Literal["plain", "quiet", "warning", "error"]


class Screen(Protocol):
    """Takes texts that are safe to show."""

    live: bool
    """Whether a person watches it: then it says more, and shows what is being waited for."""

    unread: bool
    """Whether nobody reads any more what the agent says."""

    def prepare(self) -> None:
        """The prompt is about to be shown: whatever the first reply needs can be got ready now."""

    def write(self, text: str) -> None:
        """A piece of what the agent says, as it stands."""

    def end_line(self) -> None:
        """What the agent says goes on in another line, or is over."""

    def line(self, text: str, tone: Tone = "plain") -> None:
        """A line, or several, of what is told about the conversation."""

    def printed(self, text: str) -> None:
        """A line, or several, that somebody else printed; may be called in any thread, and at the prompt."""

    def wait(self, what: str) -> None:
        """Show that something is being waited for, until the next text."""

    def rest(self) -> None:
        """Nothing is being waited for any more."""


class PlainScreen:
    """The agent's words and what commands show go to ``out``; what is told about the conversation to ``err``."""

    live = False

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err
        self._lock = threading.Lock()
        self._in_line = False
        self.unread = False

    def prepare(self) -> None: ...

    def write(self, text: str) -> None:
        self._put(self._out, text)
        self._in_line = not text.endswith("\n")

    def end_line(self) -> None:
        if self._in_line:
            self.write("\n")

    def line(self, text: str, tone: Tone = "plain") -> None:
        self._put(self._out if tone == "plain" else self._err, f"{text}\n")

    def printed(self, text: str) -> None:
        if self._out.isatty():  # and so, as a rule, is the other one
            self.end_line()
        self.line(text, "quiet")

    def wait(self, what: str) -> None: ...

    def rest(self) -> None: ...

    def _put(self, stream: TextIO, text: str) -> None:
        with self._lock:
            try:
                stream.write(text)
                stream.flush()
            except BrokenPipeError:
                discard(stream)
                self.unread = self.unread or stream is self._out
            except OSError as error:
                discard(stream)
                if stream is self._out:
                    raise unwritable(error) from None
