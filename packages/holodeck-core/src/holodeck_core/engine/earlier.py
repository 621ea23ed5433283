"""What a journal held before: the results of an earlier part of a run, or of one that is only read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holodeck_core.engine.journal import Journal, Offsets
from holodeck_core.engine.record import parse_record
from holodeck_core.engine.repeats import Tally, plan_of_record


class Earlier:
    """Where the lines of each case begin that a journal holds already, by the case's index in its file.

    The last line of a conversation counts, and what is no record is passed over: its conversation has no result.
    """

    def __init__(self, journal: Journal) -> None:
        self.over = Offsets()
        """Of the cases that are over."""
        self._open: dict[int, Tally] = {}
        for offset, line in journal.recover():
            self._add(offset, line)

    def _add(self, offset: int, line: bytes) -> None:
        record = parse_record(line)
        if record is None:
            return
        index = record["index"]
        try:
            plan = plan_of_record(record)
        except ValueError:
            return
        if record.get("dropped") is True:
            self.take(index)
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
