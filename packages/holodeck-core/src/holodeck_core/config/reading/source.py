"""The text of a file as problems show it: positions, and source lines that are safe to print. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple

from holodeck_core.config.reading.secret_lines import masked_line, parent_of
from holodeck_core.errors import Problem

_LINE_BREAK: Final = re.compile(r"\r\n?|\n")

WIDTH: Final = 200
_BEFORE_CARET: Final = 120
_CUT_LEFT_FROM: Final = 180
# How far around the caret the line is looked at: a minified document is one line of megabytes.
_REACH: Final = 4_000
# How many lines above it may be looked at for what a line is nested in.
_LINES_ABOVE: Final = 100


class Position(NamedTuple):
    """A place in a file. ``line`` and ``column`` count from 1, in characters.

    ``source_line`` is that line as it may be printed: one line of at most 200 characters, tabs as single spaces,
    nothing that a terminal acts upon, secrets masked. ``caret`` counts from 0 and is where the column stands in it.
    """

    line: int
    column: int
    source_line: str
    caret: int


class _CutProblem(Problem):
    """A problem whose source line was cut on the left, so that its caret does not stand at its column."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{self.headline()}\n    {self.source}\n    {' ' * _BEFORE_CARET}^"


class Source:
    """A file's text, or one line of it (``line`` is then its number), with the places of its characters."""

    __slots__ = ("_first_line", "_starts", "file", "text")

    def __init__(self, file: str, text: str, line: int | None = None) -> None:
        self.file = file
        self.text = text
        self._first_line = 1 if line is None else line
        # Found when the first problem needs them.
        self._starts: list[int] | None = None if line is None else [0]

    def line(self, index: int) -> int:
        """The number of the line in which the character at ``index`` stands."""
        return self._first_line + bisect_right(self._line_starts(), index) - 1

    def position(self, index: int) -> Position:
        """The place of the character at ``index``; the end of the text is a place too."""
        index = min(index, len(self.text))
        starts = self._line_starts()
        row = bisect_right(starts, index) - 1
        start = starts[row]
        end = starts[row + 1] if row + 1 < len(starts) else len(self.text)
        near = max(start, index - _REACH)
        line = self.text[near : min(end, index + _REACH)].rstrip("\r\n")
        above = [self._row(number) for number in range(row - 1, max(0, row - _LINES_ABOVE) - 1, -1)]
        masked = masked_line(line, parent_of(line, above), above[0] if above else "")
        shown, caret = _cut(masked, index - near)
        return Position(self._first_line + row, index - start + 1, shown, caret)

    def problem(self, message: str, index: int, path: str = "") -> Problem:
        """A problem with its place; ``path`` is in the words of the file."""
        place = self.position(index)
        kind = Problem if place.caret == place.column - 1 else _CutProblem
        return kind(message, self.file, place.line, place.column, path, place.source_line)

    def _row(self, row: int) -> str:
        """The end of a line above another."""
        start, end = self._line_starts()[row : row + 2]
        return self.text[max(start, end - _REACH) : end].rstrip("\r\n")

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(self.text))]
        return self._starts


def printable(text: str) -> str:
    """The text at the same length with a space for each tab and U+FFFD for all else that does not print."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else " " if character == "\t" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def _cut(line: str, caret: int) -> tuple[str, int]:
    """The part of the line to show, and where the caret stands in it."""
    if len(line) <= WIDTH:
        return printable(line), caret
    if caret < _CUT_LEFT_FROM:
        return printable(line[: WIDTH - 1]) + "…", caret
    start = caret - _BEFORE_CARET + 1
    part = printable(line[start : start + WIDTH - 1])
    if start + WIDTH - 1 < len(line):
        part = part[:-1] + "…"
    return f"…{part}", _BEFORE_CARET
