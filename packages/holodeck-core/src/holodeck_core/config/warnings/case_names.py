"""Which names of cases were met before, in the memory that a file of a million cases allows. Pure."""

from __future__ import annotations

from array import array
from typing import Final

_SMALLEST: Final = 1 << 15


class CaseNames:
    """The line in which each name was first met.

    Names are kept as 64-bit hashes in a table of open addresses, 12 bytes a place: at most 50 bytes a name, whatever
    its length. Two different names are taken for one with a chance of less than one in a million, for a million names.
    """

    __slots__ = ("_hashes", "_lines", "_mask", "_used")

    def __init__(self) -> None:
        self._hashes = array("q", bytes(8 * _SMALLEST))
        self._lines = array("I", bytes(4 * _SMALLEST))
        self._mask = _SMALLEST - 1
        self._used = 0

    def first(self, name: str, line: int) -> int | None:
        """The line of the first case of this name; None where it is this one, which is then remembered."""
        value = hash(name) or 1  # 0 marks a free place
        hashes, mask = self._hashes, self._mask
        place = value & mask
        while found := hashes[place]:
            if found == value:
                return self._lines[place]
            place = (place + 1) & mask
        hashes[place] = value
        self._lines[place] = line
        self._used += 1
        if 2 * self._used > mask:
            self._grow()
        return None

    def _grow(self) -> None:
        hashes, lines = self._hashes, self._lines
        size = 2 * len(hashes)
        mask = size - 1
        wider = array("q", bytes(8 * size))
        wider_lines = array("I", bytes(4 * size))
        for value, line in zip(hashes, lines, strict=True):
            if value:
                place = value & mask
                while wider[place]:
                    place = (place + 1) & mask
                wider[place] = value
                wider_lines[place] = line
        self._hashes, self._lines, self._mask = wider, wider_lines, mask
