"""What a journal held before: the results of an earlier part of a run, or of one that is only read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from holodeck_core.engine.journal import Journal, Offsets
from holodeck_core.engine.record import parse_record
from holodeck_core.engine.repeats import Tally, plan_of_record

_NAMED: Final = 10


class Earlier:
    """Where the lines of each case begin that a journal holds already, by the case's index in its file.

    The last line of a conversation counts, and what is no record is passed over: its conversation has no result.
    ``damaged`` has the numbers of the first such lines, from 1, and ``damaged_count`` tells how many they are.
    """

    def __init__(self, journal: Journal) -> None:
        self.over = Offsets()
        """Of the cases that are over."""
        self._open: dict[int, Tally] = {}
        self.damaged: list[int] = []
        self.damaged_count = 0
        for number, (offset, line) in enumerate(journal.recover(), 1):
            if not self._add(offset, line) and not line.isspace():
                self.damaged_count += 1
                self.damaged += [number] if len(self.damaged) < _NAMED else []

    def _add(self, offset: int, line: bytes) -> bool:
        """Take up a line; False for one that is no record."""
        record = parse_record(line)
        if record is None:
            return False
        index = record["index"]
        try:
            plan = plan_of_record(record)
        except ValueError:
            return False
        if record.get("dropped") is True:
            self.take(index)
        elif "moved" in record:
            if index in self.over:
                self.over[index] = [*self.over[index], offset]
        elif plan is None:
            self._open.pop(index, None)
            self.over[index] = offset
        elif index not in self.over:
            tally = self._open.get(index)
            if tally is None or tally.plan != plan:
                tally = self._open[index] = Tally(plan)
            tally.add(record["repeat"], record.get("status") == "passed", offset)
            if tally.is_over:
                self.over[index] = self._open.pop(index).offsets
        return True

    def damage(self) -> str | None:
        """What to say of lines that are no records (``line 3``, ``lines 3, 7 and 9 more``); None without one."""
        if not self.damaged:
            return None
        numbers = ", ".join(map(str, self.damaged))
        more = self.damaged_count - len(self.damaged)
        return f"line{'' if self.damaged_count == 1 else 's'} {numbers}{f' and {more} more' if more else ''}"

    @property
    def count(self) -> int:
        """How many cases there is something of."""
        return self.over.count + len(self._open)

    def take(self, index: int) -> Sequence[int] | Tally | None:
        """What there is of a case, which is then not there any more: its lines if it is over, else the tally of its
        repeats, None where there is nothing."""
        if index in self.over:
            lines = self.over[index]
            del self.over[index]
            return lines
        return self._open.pop(index, None)

    def indexes(self) -> Iterator[int]:
        """The cases that there is something of."""
        yield from self.over.keys()
        yield from self._open
