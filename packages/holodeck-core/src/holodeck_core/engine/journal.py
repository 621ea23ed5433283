"""The journal: one line a finished case, in a file, found again by position."""

from __future__ import annotations

import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

_CHUNK = 1 << 16
_MISSING = (1 << 64) - 1


class Offsets:
    """A number for each position; one that was not set is missing. Eight bytes a position, and no more."""

    def __init__(self) -> None:
        self._values = array("Q")

    def __setitem__(self, position: int, offset: int) -> None:
        missing = position + 1 - len(self._values)
        if missing > 0:
            self._values.extend([_MISSING] * missing)
        self._values[position] = offset

    def get(self, position: int) -> int | None:
        """The number at the position, None where it is missing."""
        if position >= len(self._values) or self._values[position] == _MISSING:
            return None
        return self._values[position]

    def __len__(self) -> int:
        """One more than the highest position that was set."""
        return len(self._values)


class Journal:
    """Lines in order of completion, read in order of position. What is kept in memory is one offset a case.

    A line is handed to the operating system, complete with its line break, before ``append`` returns. ``path`` is the
    file, which may hold lines already (see ``recover``); without one it is a temporary file that goes with the journal.
    """

    def __init__(self, path: Path | None = None) -> None:
        opened = (
            tempfile.TemporaryFile(buffering=0, prefix="holodeck-") if path is None else path.open("a+b", 0)
        )
        self._file = cast("BinaryIO", opened)
        weakref.finalize(self, self._file.close)
        self._offsets = Offsets()
        self._end = os.fstat(self._file.fileno()).st_size

    def recover(self) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, line) of what the file holds already; a last line that was torn off is removed from it."""
        offset = 0
        while offset < self._end:
            line = self.line_at(offset)
            if not line.endswith(b"\n"):
                os.ftruncate(self._file.fileno(), offset)
                self._end = offset
                return
            yield offset, line
            offset += len(line)

    def append(self, position: int, line: bytes) -> None:
        """Keep the line of the case at ``position``, counted from 0."""
        written = 0
        while written < len(line):
            written += self._file.write(line[written:] if written else line)
        self._offsets[position] = self._end
        self._end += len(line)

    def place(self, position: int, offset: int) -> None:
        """Let a line that the file held already be that of ``position``."""
        self._offsets[position] = offset

    def __contains__(self, position: int) -> bool:
        return self._offsets.get(position) is not None

    def __len__(self) -> int:
        """One more than the highest position that was written."""
        return len(self._offsets)

    def read(self, position: int) -> bytes:
        """The line at ``position``. Raises KeyError where there is none (yet)."""
        offset = self._offsets.get(position)
        if offset is None:
            raise KeyError(position)
        return self.line_at(offset)

    def line_at(self, offset: int) -> bytes:
        """The line that begins at ``offset``, with its line break if it has one."""
        pieces: list[bytes] = []
        while True:
            piece = os.pread(self._file.fileno(), _CHUNK, offset)
            end = piece.find(b"\n")
            if end >= 0 or not piece:
                pieces.append(piece[: end + 1])
                return b"".join(pieces)
            pieces.append(piece)
            offset += len(piece)


def _temporary() -> object:
    return tempfile.TemporaryFile(buffering=0, prefix="holodeck-")
