"""What has finished: kept in the journal, counted, and read in file order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from holodeck_core.api.suite import BoundCase
from holodeck_core.engine.earlier import Earlier
from holodeck_core.engine.journal import Journal
from holodeck_core.engine.outcomes import CaseOutcome
from holodeck_core.engine.record import (
    dropped_record,
    encode_record,
    make_record,
    merge_lines,
    moved_record,
    parse_record,
    places_of,
    read_record,
)
from holodeck_core.engine.redacted_record import without_secrets
from holodeck_core.engine.repeats import Plan, Tally, plan_of_record
from holodeck_core.engine.summary import SummaryCount
from holodeck_core.errors import RunError
from holodeck_core.models.test_result import TestResult
from holodeck_core.redaction import NO_SECRETS, Redactor


class Results:
    """The results of one run, by position: their place among the cases that are run, in file order.

    Of the cases met so far, ``taken_over`` counts those whose result an earlier run had, ``begun`` those of which it
    had some repeats, ``outdated`` those that have changed since, and ``new`` those that it had nothing of; ``left_out``
    counts its results whose case was not met. The event ``arrived`` is set for each result more. Nothing is kept that
    holds one of ``secrets``.
    """

    def __init__(self, journal: Journal, arrived: asyncio.Event, secrets: Redactor = NO_SECRETS) -> None:
        self._journal = journal
        self._arrived = arrived
        self._secrets = secrets
        self._earlier = Earlier(journal)
        self._open: dict[int, Tally] = {}
        self.count = SummaryCount()
        self.taken_over = 0
        self.begun = 0
        self.outdated = 0
        self.new = 0
        self._dropped = 0

    @property
    def left_out(self) -> int:
        """Results of an earlier run whose cases were not met in this one. Final when the run is over."""
        return self._earlier.count + self._dropped

    @property
    def size(self) -> int:
        """Of the journal, in bytes."""
        return self._journal.size

    @property
    def damage(self) -> str | None:
        """Which lines of the earlier run are no records, as ``Earlier.damage`` has it."""
        return self._earlier.damage()

    def take_over(self, position: int, case: BoundCase, plan: Plan | None) -> dict[str, Any] | None:
        """The record that an earlier run has of this very case, which is then that of ``position``; None where it has
        none. Repeats of a case that was not over are kept for it. Raises RunError."""
        found = self._earlier.take(case.index)
        if found is None:
            self.new += 1
            return None
        offsets = found.all_offsets() if isinstance(found, Tally) else list(found)
        fits = self._is_of(offsets[0], case, plan)
        if not fits or self._is_damaged(offsets):
            self.outdated += not fits
            self.new += fits
            self._journal.note(dropped_record(case.index))
            return None
        if isinstance(found, Tally):
            self.begun += 1
            self._open[position] = found
            return None
        self.taken_over += 1
        offsets += self._moved(offsets, case)
        self._journal.place(position, offsets if len(offsets) > 1 or plan is not None else offsets[0])
        return self._count(position)

    def _is_of(self, offset: int, case: BoundCase, plan: Plan | None) -> bool:
        """Whether a line is of this very case, repeated as it is now."""
        record = parse_record(self._journal.line_at(offset)) or {}
        same = case.content_hash is not None and record.get("case_hash") == case.content_hash
        return same and plan_of_record(record) == plan

    def _is_damaged(self, offsets: Sequence[int]) -> bool:
        """Whether the lines of a case are records in their outline only, and could not be reported."""
        try:
            read_record(merge_lines(map(self._journal.line_at, offsets)))
        except RunError:
            return True
        return False

    def _moved(self, offsets: Sequence[int], case: BoundCase) -> list[int]:
        """Note where the case stands by now if that is not where its lines say; returns where that is noted."""
        source = None if case.source is None else self._secrets.redact_value(case.source)
        if source is None or places_of(map(self._journal.line_at, offsets)) == {source}:
            return []
        return [self._journal.note(moved_record(case.index, source))]

    def drop_others(self) -> None:
        """Say that the results left of the earlier run do not hold: every case has been met. Raises RunError."""
        for index in list(self._earlier.indexes()):
            self._earlier.take(index)
            self._dropped += 1
            self._journal.note(dropped_record(index))

    def is_due(self, position: int, repeat: int) -> bool:
        """Whether a repeat of the case at ``position`` is still to be run."""
        tally = self._open.get(position)
        return position not in self._journal if tally is None else repeat not in tally

    def keep(self, position: int, case: BoundCase, outcome: CaseOutcome) -> dict[str, Any]:
        """Keep the result of a case: its line is with the operating system when this returns. Returns its record.
        Raises RunError."""
        record, offset = self._write(make_record(case, outcome))
        self._journal.place(position, offset)
        self.count.add(record)
        self._arrived.set()
        return record

    def keep_repeat(
        self, position: int, case: BoundCase, plan: Plan, repeat: int, outcome: CaseOutcome
    ) -> dict[str, Any] | None:
        """Keep one repeat of a case that is due, as ``keep`` does. Returns the record of the case if it is over with
        this one."""
        tally = self._open.setdefault(position, Tally(plan))
        record = {**make_record(case, outcome), "repeat": repeat, "plan": plan.as_record()}
        _, offset = self._write(record)
        tally.add(repeat, outcome.status == "passed", offset)
        if not tally.is_over:
            return None
        del self._open[position]
        offsets = list(tally.offsets)
        if self.begun:  # some of them may be of an earlier part of the run
            offsets += self._moved(offsets, case)
        self._journal.place(position, offsets)
        return self._count(position)

    def _write(self, record: dict[str, Any]) -> tuple[dict[str, Any], int]:
        """Note the record in the journal, without secrets. Returns it as it was noted, and where."""
        line = encode_record(record)
        if self._secrets and self._secrets.is_in_json(line):
            record = without_secrets(record, self._secrets)
            line = encode_record(record)
        return record, self._journal.note(line)

    def _count(self, position: int) -> dict[str, Any]:
        record = merge_lines(self._journal.read(position))
        self.count.add_stored(record)
        self._arrived.set()
        return record

    def __contains__(self, position: int) -> bool:
        return position in self._journal

    def read(self, position: int) -> TestResult:
        """The result at ``position``. Raises KeyError where there is none (yet)."""
        return read_record(merge_lines(self._journal.read(position)))

    def __iter__(self) -> Iterator[TestResult]:
        """The results that are there, in file order, read one by one."""
        return self.from_position(0)

    def from_position(self, first: int) -> Iterator[TestResult]:
        """Those from a position on."""
        for position in range(first, len(self._journal)):
            if position in self._journal:
                yield self.read(position)
