"""The tokens of a run, counted turn by turn. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from holodeck_core.models.token_usage import COUNTS, TokenUsage

# Prices may be higher for a request above a size, which is always a multiple of this; so turns of about one size are
# summed, and each sum is priced by its mean. A turn above the largest size counts among those.
_SIZE: Final = 1_000
_SIZES: Final = 4_096


class UsageCount:
    """Sums over turns that were sent, in memory that does not grow with their number."""

    def __init__(self) -> None:
        self._groups: dict[int, tuple[int, list[int]]] = {}
        self._partial = False

    def add(self, turn: Mapping[str, Any]) -> None:
        """Count one turn by its record. One that was skipped used nothing; one that was sent and reported nothing, or
        a part, makes the sum partial."""
        if turn.get("skipped"):
            return
        usage = turn.get("token_usage")
        if usage is None:
            self._partial = True
            return
        self._partial = self._partial or bool(usage.get("partial"))
        counts = [int(usage.get(field, 0)) for field in COUNTS]
        size = min(counts[0] // _SIZE, _SIZES)
        number, sums = self._groups.get(size, (0, [0] * len(COUNTS)))
        self._groups[size] = number + 1, [before + more for before, more in zip(sums, counts, strict=True)]

    def total(self) -> TokenUsage | None:
        """The sum of all; None where no turn reported usage, or what was reported cannot be."""
        if not self._groups:
            return None
        counts = dict(
            zip(COUNTS, map(sum, zip(*(sums for _, sums in self.groups()), strict=True)), strict=True)
        )
        try:
            return TokenUsage(**counts, partial=self._partial)
        except ValidationError:
            return None

    def groups(self) -> Iterator[tuple[int, list[int]]]:
        """How many turns there are of about one size, and their sums, in the order of the fields of ``TokenUsage``."""
        return iter(self._groups.values())
