"""Where a chat is shown: plainly, on two streams."""

from __future__ import annotations

from typing import Literal, Protocol, TextIO, TypeAlias

from holodeck_cli.streams import discard

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

    def line(self, text: str, tone: Tone = "plain") -> None:
        """A line, or several, of what is told about the conversation."""

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
        self.unread = False

    def prepare(self) -> None: ...

    def write(self, text: str) -> None:
        self._put(self._out, text)

    def line(self, text: str, tone: Tone = "plain") -> None:
        self._put(self._out if tone == "plain" else self._err, f"{text}\n")

    def wait(self, what: str) -> None: ...

    def rest(self) -> None: ...

    def _put(self, stream: TextIO, text: str) -> None:
        try:
            stream.write(text)
            stream.flush()
        except BrokenPipeError:
            discard(stream)
            self.unread = self.unread or stream is self._out
