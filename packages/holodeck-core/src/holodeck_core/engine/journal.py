"""The journal: one line a finished case, in a file, found again by position."""

from __future__ import annotations

import os
import tempfile
import weakref
from array import array
from typing import BinaryIO, cast

_CHUNK = 1 << 16
_MISSING = (1 << 64) - 1


class Journal:
    """Lines in order of completion, read in order of position. What is kept in memory is one offset a case.

    A line is handed to the operating system, complete with its line break, before ``append`` returns. The file goes
    with the journal.
    """

    def __init__(self) -> None:
        self._file = cast("BinaryIO", tempfile.TemporaryFile(buffering=0, prefix="holodeck-"))  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._offsets = array("Q")
        self._end = 0

    def append(self, position: int, line: bytes) -> None:
        """Keep the line of the case at ``position``, counted from 0."""
        while len(self._offsets) <= position:
            self._offsets.append(_MISSING)
        written = 0
        while written < len(line):
            written += self._file.write(line[written:] if written else line)
        self._offsets[position] = self._end
        self._end += len(line)

    def __contains__(self, position: int) -> bool:
        return position < len(self._offsets) and self._offsets[position] != _MISSING

    def __len__(self) -> int:
        """One more than the highest position that was written."""
        return len(self._offsets)

    def read(self, position: int) -> bytes:
        """The line at ``position``. Raises KeyError where there is none (yet)."""
        if position not in self:
            raise KeyError(position)
        offset = self._offsets[position]
        pieces: list[bytes] = []
        while True:
            piece = os.pread(self._file.fileno(), _CHUNK, offset)
            end = piece.find(b"\n")
            if end >= 0 or not piece:
                pieces.append(piece[: end + 1])
                return b"".join(pieces)
            pieces.append(piece)
            offset += len(piece)
