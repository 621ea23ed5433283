"""Where lines go: a stream that is no terminal, plainly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TextIO

from holodeck_cli.streams import discard
from holodeck_core.case_lines import PLAIN_WIDTH, Line
from holodeck_core.text import without_commands


class Screen(Protocol):
    """What the terminal reporter writes to."""

    @property
    def width(self) -> int:
        """How many cells a line has that can be read at one glance."""

    def begin(self, total: int) -> None:
        """The run begins, with that many cases."""

    def write(self, lines: Iterable[Line]) -> None:
        """Show lines."""

    def started(self, index: int, name: str) -> None:
        """A case runs from now on."""

    def finished(self, index: int) -> None:
        """It does not any more."""

    def advance(self, passed: int, failed: int, errored: int, repeats: int) -> None:
        """One more case has finished, or one more repeat; the counts are of all cases so far, and of the repeats of
        cases that are not over."""

    def end(self) -> None:
        """Nothing moves any more. May be called at any time, and again."""


class PlainScreen:
    """One line after the other, each as long as it is, written at once. A reader that went away is no error.

    What reads along may be the server of a build: nothing that was said gives it commands.
    """

    width = PLAIN_WIDTH

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def begin(self, total: int) -> None: ...

    def write(self, lines: Iterable[Line]) -> None:
        try:
            for line in lines:
                self._stream.write(without_commands(line.text) + "\n")
            self._stream.flush()
        except BrokenPipeError:
            discard(self._stream)

    def started(self, index: int, name: str) -> None: ...

    def finished(self, index: int) -> None: ...

    def advance(self, passed: int, failed: int, errored: int, repeats: int) -> None: ...

    def end(self) -> None: ...
