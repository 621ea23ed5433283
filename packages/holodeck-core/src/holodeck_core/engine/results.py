"""What has finished: kept in the journal, counted, and read in file order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

from holodeck_core.api.suite import BoundCase
from holodeck_core.engine.journal import Journal, Offsets
from holodeck_core.engine.outcomes import CaseOutcome
from holodeck_core.engine.record import encode_record, make_record, read_record
from holodeck_core.engine.summary import SummaryCount
from holodeck_core.models.test_result import TestResult


class Results:
    """The results of one run, by position: their place among the cases that are run, in file order.

    ``taken_over`` counts the results of an earlier run that still hold, ``outdated`` those of cases that have changed
    since, and ``left_out`` those of cases that there are no more. The event ``arrived`` is set for each result more.
    """

    def __init__(self, journal: Journal, arrived: asyncio.Event) -> None:
        self._journal = journal
        self._arrived = arrived
        self._earlier = Offsets()
        self._earlier_count = 0
        self.count = SummaryCount()
        self.taken_over = 0
        self.outdated = 0
        for offset, line in journal.recover():
            index = json.loads(line)["index"]
            self._earlier_count += self._earlier.get(index) is None
            self._earlier[index] = offset  # the last line of a case counts

    @property
    def left_out(self) -> int:
        """Results of an earlier run whose cases were not met in this one. Final when the run is over."""
        return self._earlier_count - self.taken_over - self.outdated

    def take_over(self, position: int, case: BoundCase) -> bool:
        """Whether an earlier run has the result of this very case; it is then that of ``position``."""
        offset = self._earlier.get(case.index)
        if offset is None:
            return False
        record: dict[str, Any] = json.loads(self._journal.line_at(offset))
        if record.get("case_hash") != case.content_hash or case.content_hash is None:
            self.outdated += 1
            return False
        self.taken_over += 1
        self._journal.place(position, offset)
        self.count.add(record)
        self._arrived.set()
        return True

    def keep(self, position: int, case: BoundCase, outcome: CaseOutcome) -> None:
        """Keep the result of a case: its line is with the operating system when this returns."""
        record = make_record(case, outcome)
        self._journal.append(position, encode_record(record))
        self.count.add(record)
        self._arrived.set()

    def __contains__(self, position: int) -> bool:
        return position in self._journal

    def read(self, position: int) -> TestResult:
        """The result at ``position``. Raises KeyError where there is none (yet)."""
        return read_record(self._journal.read(position))

    def __iter__(self) -> Iterator[TestResult]:
        """The results that are there, in file order, read one by one."""
        return self.from_position(0)

    def from_position(self, first: int) -> Iterator[TestResult]:
        """Those from a position on."""
        for position in range(first, len(self._journal)):
            if position in self._journal:
                yield self.read(position)
