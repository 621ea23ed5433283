"""Repeated cases: how often one is run, when its verdict stands, and what its repeats amount to. Pure."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from holodeck_core.api.suite import BoundCase
from holodeck_core.engine.estimators import CONFIDENCE, Z, pass_at_k, pass_hat_k, wilson_interval
from holodeck_core.models.test_result import RateInterval, RepeatSummary, Status


@attrs.frozen
class RepeatOptions:
    """How the cases of a run are repeated: ``repeat`` times, None as often as each of them says. With
    ``all_repeats`` the repeats are run that can no longer change a verdict, too."""

    repeat: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(attrs.validators.ge(1))
    )
    all_repeats: bool = False

    def plan(self, case: BoundCase) -> Plan | None:
        """How a case is repeated; None for one that is run once, and whose verdict is that of this once."""
        repeat = case.repeat if self.repeat is None else self.repeat
        if repeat == 1 and case.min_pass_rate > 0:
            return None
        return Plan(repeat, case.min_pass_rate, self.all_repeats)


@attrs.frozen(slots=False)
class Plan:
    """``repeat`` conversations, of which ``min_pass_rate`` (0 to 1) must pass."""

    repeat: int = attrs.field(validator=attrs.validators.ge(1))
    min_pass_rate: float = attrs.field(validator=[attrs.validators.ge(0), attrs.validators.le(1)])
    all_repeats: bool = False

    @cached_property
    def needed(self) -> int:
        """How many must pass. The rate is the decimal number that was written: 0.7 of 10 is 7."""
        return math.ceil(Fraction(repr(float(self.min_pass_rate))) * self.repeat)

    def verdict(self, passed: int, failed: int) -> bool | None:
        """Whether the case passes, once that many of its repeats have passed and failed; None while it is open."""
        if passed >= self.needed:
            return True
        return False if failed > self.repeat - self.needed else None

    def is_over(self, passed: int, failed: int) -> bool:
        """Whether no further repeat is run. Where none needs to pass, nothing is to be decided, and all are run."""
        if passed + failed == self.repeat:
            return True
        return not self.all_repeats and self.needed > 0 and self.verdict(passed, failed) is not None

    def as_record(self) -> dict[str, Any]:
        """The form in which a journal holds it."""
        return attrs.asdict(self)


def plan_of_record(record: Mapping[str, Any]) -> Plan | None:
    """The plan that a record of a repeat holds; None for the record of a case that is not repeated.

    Raises ValueError for what is neither.
    """
    written = record.get("plan")
    if written is None:
        return None
    try:
        plan = Plan(**written)
    except TypeError as error:
        raise ValueError("no plan") from error
    index = record.get("repeat")
    if type(plan.repeat) is not int or type(index) is not int or not 0 <= index < plan.repeat:
        raise ValueError("no repeat")
    return plan


class Tally:
    """The repeats of one case that are there, in whatever order they finish.

    They count in the order of their indexes, up to the one with which the case is over: what was under way beside it
    does not count. So the result is the same however many run side by side. ``offsets`` says where the journal has
    those that count.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.offsets = array("Q")
        self.is_over = False
        self._passed = 0
        self._early: dict[int, tuple[bool, int]] = {}

    def __contains__(self, repeat: int) -> bool:
        return repeat < len(self.offsets) or repeat in self._early

    def all_offsets(self) -> list[int]:
        """Where the journal has those that count and those that came early."""
        return [*self.offsets, *(offset for _, offset in self._early.values())]

    def add(self, repeat: int, passed: bool, offset: int) -> None:
        """One more, by its index. One that is there already, or that comes when the case is over, changes nothing."""
        if self.is_over or repeat in self:
            return
        self._early[repeat] = (passed, offset)
        while not self.is_over and (found := self._early.pop(len(self.offsets), None)) is not None:
            self._passed += found[0]
            self.offsets.append(found[1])
            self.is_over = self.plan.is_over(self._passed, len(self.offsets) - self._passed)


def merge_records(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The record of a case, of the records of its repeats that count, by their indexes.

    It shows the first repeat that came out as the case did, or the first of all where none did, and holds all of them
    as ``repeats``. That of a case that is not repeated is its record.
    """
    plan = plan_of_record(records[0])
    if plan is None:
        return records[0]
    statuses = [record["status"] for record in records]
    status = status_of_case(plan, statuses)
    shown = records[statuses.index(status) if status in statuses else 0]
    checked = any(record["checked"] for record in records)
    return {**shown, "status": status, "checked": checked, "repeats": list(records)}


def status_of_case(plan: Plan, statuses: Sequence[Status]) -> Status:
    """``passed`` if enough repeats passed; else ``failed`` if one failed, else ``error``."""
    passed = statuses.count("passed")
    if plan.verdict(passed, plan.repeat - passed):
        return "passed"
    return "failed" if "failed" in statuses else "error"


def summarize(plan: Plan, statuses: Sequence[Status]) -> RepeatSummary:
    """The figures of a repeated case, of the statuses of its repeats that count."""
    run, passed, errored = len(statuses), statuses.count("passed"), statuses.count("error")
    low, high = wilson_interval(run, passed)
    return RepeatSummary(
        planned=plan.repeat,
        run=run,
        stopped_early=run < plan.repeat,
        passed=passed,
        failed=run - passed,
        errored=errored,
        pass_rate=passed / run,
        min_pass_rate=plan.min_pass_rate,
        interval=RateInterval(method="wilson", confidence=CONFIDENCE, z=Z, low=low, high=high),
        pass_at_k=pass_at_k(run, passed),
        pass_hat_k=pass_hat_k(run, passed),
    )
