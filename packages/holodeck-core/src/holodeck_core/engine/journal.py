"""The journal: one line a finished case, in a file, found again by position."""

from __future__ import annotations

import contextlib
import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from holodeck_core.errors import RunError

_CHUNK = 1 << 16
_MISSING = (1 << 64) - 1


class Offsets:
    """A number for each position; one that was not set is missing. Eight bytes a position, and no more."""

    def __init__(self) -> None:
        self._values = array("Q")
        self.count = 0

    def __setitem__(self, position: int, offset: int) -> None:
        missing = position + 1 - len(self._values)
        if missing > 0:
            self._values.extend(array("Q", [_MISSING]) * missing)
        self.count += self._values[position] == _MISSING
        self._values[position] = offset

    def __delitem__(self, position: int) -> None:
        if self.get(position) is not None:
            self._values[position] = _MISSING
            self.count -= 1

    def get(self, position: int) -> int | None:
        """The number at the position, None where it is missing."""
        if position >= len(self._values) or self._values[position] == _MISSING:
            return None
        return self._values[position]

    def items(self) -> Iterator[tuple[int, int]]:
        """(position, number) of those that are set, ascending."""
        return (item for item in enumerate(self._values) if item[1] != _MISSING)

    def keys(self) -> Iterator[int]:
        """The positions that are set, ascending."""
        return (position for position, _ in self.items())

    def values(self) -> Iterator[int]:
        """The numbers that are set, by position."""
        return (value for value in self._values if value != _MISSING)

    def __len__(self) -> int:
        """One more than the highest position that was set."""
        return len(self._values)


class Journal:
    """Lines in order of completion, read in order of position. What is kept in memory is one offset a case.

    A line is handed to the operating system, complete with its line break, before ``append`` returns. ``path`` is the
    file, which may hold lines already (see ``recover``); without one it is a temporary file that goes with the journal.
    One that is not ``writable`` is only read, and need not be there. Raises OSError where the file cannot be opened.
    """

    def __init__(self, path: Path | None = None, *, writable: bool = True) -> None:
        self._file = _open(path, writable)
        weakref.finalize(self, self._file.close)
        self._writable = writable
        self._offsets = Offsets()
        self._end = os.fstat(self._file.fileno()).st_size

    def recover(self) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, line) of what the file holds already.

        A last line that was torn off is none; it is removed from a file that may be written.
        """
        offset = 0
        with open(os.dup(self._file.fileno()), "rb") as lines:
            lines.seek(0)
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                yield offset, line
                offset += len(line)
        if self._writable and offset < self._end:
            os.ftruncate(self._file.fileno(), offset)
            self._end = offset

    def append(self, position: int, line: bytes) -> None:
        """Keep the line of the case at ``position``, counted from 0. Raises RunError: no part of it is then kept."""
        self._offsets[position] = self.note(line)

    def note(self, line: bytes) -> int:
        """Keep a line that is of no position; returns its offset. Raises RunError as ``append`` does."""
        written = 0
        try:
            while written < len(line):
                written += self._file.write(line[written:] if written else line)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), self._end)
            raise RunError(f"results cannot be kept: {error.strerror or error}") from error
        offset = self._end
        self._end += len(line)
        return offset

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


def _open(path: Path | None, writable: bool) -> BinaryIO:
    if path is None:
        return cast("BinaryIO", tempfile.TemporaryFile(buffering=0, prefix="holodeck-"))
    if writable:
        return cast("BinaryIO", path.open("a+b", 0))
    return cast("BinaryIO", (path if path.exists() else Path(os.devnull)).open("rb", 0))
