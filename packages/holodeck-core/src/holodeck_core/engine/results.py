"""What has finished: kept in the journal, counted, and read in file order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from holodeck_core.api.suite import BoundCase
from holodeck_core.engine.journal import Journal, Offsets
from holodeck_core.engine.outcomes import CaseOutcome
from holodeck_core.engine.record import (
    dropped_record,
    encode_record,
    make_record,
    parse_record,
    read_record,
)
from holodeck_core.engine.redacted_record import without_secrets
from holodeck_core.engine.summary import SummaryCount
from holodeck_core.models.test_result import TestResult
from holodeck_core.redaction import NO_SECRETS, Redactor


class Results:
    """The results of one run, by position: their place among the cases that are run, in file order.

    Of the cases met so far, ``taken_over`` counts those whose result an earlier run had, ``outdated`` those that have
    changed since, and ``new`` those that it had no result of; ``left_out`` counts its results whose case was not met.
    The event ``arrived`` is set for each result more. Nothing is kept that holds one of ``secrets``.
    """

    def __init__(self, journal: Journal, arrived: asyncio.Event, secrets: Redactor = NO_SECRETS) -> None:
        self._journal = journal
        self._arrived = arrived
        self._secrets = secrets
        self._earlier = last_lines(journal)
        self.count = SummaryCount()
        self.taken_over = 0
        self.outdated = 0
        self.new = 0
        self._dropped = 0

    @property
    def left_out(self) -> int:
        """Results of an earlier run whose cases were not met in this one. Final when the run is over."""
        return self._earlier.count + self._dropped

    def take_over(self, position: int, case: BoundCase) -> dict[str, Any] | None:
        """The record that an earlier run has of this very case, which is then that of ``position``; None where it has
        none. Raises RunError."""
        offset = self._earlier.get(case.index)
        if offset is None:
            self.new += 1
            return None
        del self._earlier[case.index]
        record = parse_record(self._journal.line_at(offset)) or {}
        if case.content_hash is None or record.get("case_hash") != case.content_hash:
            self.outdated += 1
            self._journal.note(dropped_record(case.index))
            return None
        self.count.add_stored(record)
        self.taken_over += 1
        self._journal.place(position, offset)
        self._arrived.set()
        return record

    def drop_others(self) -> None:
        """Say that the results left of the earlier run do not hold: every case has been met. Raises RunError."""
        for index in self._earlier.keys():  # noqa: SIM118 - no dict
            self._journal.note(dropped_record(index))
        self._dropped, self._earlier = self._earlier.count, Offsets()

    def keep(self, position: int, case: BoundCase, outcome: CaseOutcome) -> None:
        """Keep the result of a case: its line is with the operating system when this returns. Raises RunError."""
        record = make_record(case, outcome)
        line = encode_record(record)
        if self._secrets and self._secrets.is_in_json(line):
            record = without_secrets(record, self._secrets)
            line = encode_record(record)
        self._journal.append(position, line)
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


def last_lines(journal: Journal) -> Offsets:
    """Where the line of each case begins that its file holds already, by the case's index. The last one counts, and
    what is no record is passed over: its case has no result."""
    found = Offsets()
    for offset, line in journal.recover():
        record = parse_record(line)
        if record is None:
            continue
        if record.get("dropped") is True:
            del found[record["index"]]
        else:
            found[record["index"]] = offset
    return found
