"""The journal: one line a conversation that is over, in a file, found again by the position of its case."""

from __future__ import annotations

import contextlib
import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from holodeck_core.errors import RunError

_CHUNK = 1 << 16
_MISSING = (1 << 64) - 1
_SEVERAL = 1 << 63


class Offsets:
    """Where the lines of each position begin: mostly one, several for a case that was repeated; a position that was not
    set is missing. Eight bytes a position, and as much for each line of those that have several."""

    def __init__(self) -> None:
        self._values = array("Q")
        self._groups = array("Q")  # each is its length, and the offsets
        self.count = 0

    def __setitem__(self, position: int, offsets: int | Sequence[int]) -> None:
        missing = position + 1 - len(self._values)
        if missing > 0:
            self._values.extend(array("Q", [_MISSING]) * missing)
        self.count += self._values[position] == _MISSING
        if isinstance(offsets, int):
            self._values[position] = offsets
        else:
            self._values[position] = _SEVERAL | len(self._groups)
            self._groups.append(len(offsets))
            self._groups.extend(offsets)

    def __delitem__(self, position: int) -> None:
        if position in self:
            self._values[position] = _MISSING
            self.count -= 1

    def __contains__(self, position: int) -> bool:
        return position < len(self._values) and self._values[position] != _MISSING

    def __getitem__(self, position: int) -> Sequence[int]:
        """The offsets at the position. Raises KeyError where it is missing."""
        if position not in self:
            raise KeyError(position)
        value = self._values[position]
        if value < _SEVERAL:
            return (value,)
        group = value - _SEVERAL + 1
        return self._groups[group : group + self._groups[group - 1]]

    def keys(self) -> Iterator[int]:
        """The positions that are set, ascending."""
        return (position for position, value in enumerate(self._values) if value != _MISSING)

    def __len__(self) -> int:
        """One more than the highest position that was set."""
        return len(self._values)


class Journal:
    """Lines in order of completion, read in order of position. What is kept in memory is the offset of each.

    A line is handed to the operating system, complete with its line break, before ``note`` returns. ``path`` is the
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

    def note(self, line: bytes) -> int:
        """Keep a line; returns its offset. Raises RunError: no part of it is then kept."""
        written = 0
        try:
            while written < len(line):
                written += self._file.write(line[written:] if written else line)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), self._end)
            raise RunError(f"results cannot be stored: {error.strerror or error}") from error
        offset = self._end
        self._end += len(line)
        return offset

    @property
    def size(self) -> int:
        """Of all lines, in bytes."""
        return self._end

    def line_number(self, offset: int) -> int:
        """The number of the line that begins at ``offset``, from 1."""
        number, begun = 1, 0
        while begun < offset and (piece := os.pread(self._file.fileno(), min(_CHUNK, offset - begun), begun)):
            number += piece.count(b"\n")
            begun += len(piece)
        return number

    def place(self, position: int, offsets: int | Sequence[int]) -> None:
        """Let lines that the file holds be those of the case at ``position``, counted from 0."""
        self._offsets[position] = offsets

    def __contains__(self, position: int) -> bool:
        return position in self._offsets

    def __len__(self) -> int:
        """One more than the highest position that has lines."""
        return len(self._offsets)

    def read(self, position: int) -> list[bytes]:
        """The lines at ``position``. Raises KeyError where there is none (yet)."""
        return [self.line_at(offset) for offset in self._offsets[position]]

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
