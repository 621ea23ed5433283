"""Which names of cases were met before, in the memory that a file of a million cases allows. Pure."""

from __future__ import annotations

from typing import Final

# So many that a bucket of a million names is searched in a microsecond, and so few that empty ones cost nothing.
_BUCKETS: Final = 1 << 12
_HASH: Final = 6
_ENTRY: Final = _HASH + 4


class CaseNames:
    """The line in which each name was first met.

    A name is kept as 60 bits of its hash: 12 say in which bucket, the others stand there, with the line, among those
    of the other names; some 13 bytes a name, whatever its length. Two different names are taken for one with a chance
    of less than one in a million, for a million names.
    """

    __slots__ = ("_buckets",)

    def __init__(self) -> None:
        self._buckets: dict[int, bytearray] = {}

    def first(self, name: str, line: int) -> int | None:
        """The line of the first case of this name; None where it is this one, which is then remembered."""
        number = hash(name) % (1 << 60)
        rest = (number // _BUCKETS).to_bytes(_HASH, "little")
        bucket = self._buckets.get(number % _BUCKETS)
        if bucket is None:
            bucket = self._buckets[number % _BUCKETS] = bytearray()
        at = bucket.find(rest)
        while at > 0 and at % _ENTRY:  # it straddles two entries
            at = bucket.find(rest, at + 1)
        if at >= 0:
            return int.from_bytes(bucket[at + _HASH : at + _ENTRY], "little")
        bucket += rest
        bucket += line.to_bytes(_ENTRY - _HASH, "little")
        return None
