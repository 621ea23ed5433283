"""Where lines go: a stream that is no terminal, plainly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TextIO

from holodeck_cli.streams import discard
from holodeck_core.case_lines import Line


class Screen(Protocol):
    """What the terminal reporter writes to."""

    def begin(self, total: int) -> None:
        """The run begins, with that many cases."""

    def write(self, lines: Iterable[Line]) -> None:
        """Show lines."""

    def advance(self, passed: int, failed: int, errored: int, repeats: int) -> None:
        """One more case has finished, or one more repeat; the counts are of all cases so far, and of the repeats of
        cases that are not over."""

    def end(self) -> None:
        """Nothing moves any more. May be called at any time, and again."""


class PlainScreen:
    """One line after the other, each written at once. A reader that went away is no error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def begin(self, total: int) -> None: ...

    def write(self, lines: Iterable[Line]) -> None:
        try:
            for line in lines:
                self._stream.write(f"{line.text}\n")
            self._stream.flush()
        except BrokenPipeError:
            discard(self._stream)

    def advance(self, passed: int, failed: int, errored: int, repeats: int) -> None: ...

    def end(self) -> None: ...
