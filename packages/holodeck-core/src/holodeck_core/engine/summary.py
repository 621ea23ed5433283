"""The summary of a run, counted as cases finish."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from typing import Any, Final, get_args

from holodeck_core.engine.cost import estimate_cost
from holodeck_core.engine.record import unreadable
from holodeck_core.engine.usage_count import UsageCount
from holodeck_core.models.cost import PricedModel
from holodeck_core.models.test_result import MetricStatus, ReportSummary

_UNITS: Final = 1074  # 2 ** -1074 is the smallest float


class SummaryCount:
    """Running totals. ``summary`` gives the model at any moment."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.errored = 0
        self.unchecked = 0
        self.duration_ms = 0.0
        self._usage = UsageCount()
        self._states: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._sums: defaultdict[str, int] = defaultdict(int)  # exact, in units of the smallest float

    @property
    def finished(self) -> int:
        """How many cases have finished."""
        return self.passed + self.failed

    def add(self, record: dict[str, Any]) -> None:
        """Count one finished case by its record. A case that errored counts as failed, and apart. Of a repeated case,
        the turns of all repeats count."""
        if record["status"] == "passed":
            self.passed += 1
        else:
            self.failed += 1
            self.errored += record["status"] == "error"
        self.unchecked += not record["checked"]
        for repeat in record.get("repeats") or (record,):
            for turn in repeat["turns"]:
                self.duration_ms += turn["execution_time_ms"]
                self._usage.add(turn)
                for metric in turn["metric_results"]:
                    self._states[metric["metric_name"]][metric["status"]] += 1
                    if metric["status"] == "scored":
                        self._sums[metric["metric_name"]] += _exact(metric["score"])

    def add_stored(self, record: dict[str, Any]) -> None:
        """Count a case by the record that a file holds. Raises RunError for what is none."""
        try:
            self.add(record)
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise unreadable(record) from error

    def summary(self, model: PricedModel | None = None, at: datetime | None = None) -> ReportSummary:
        """The totals so far, which are the same in whatever order the cases finished. Means run over scored turns;
        ``metrics_evaluated`` says over how many. What the tokens cost is told where it is known whose they are, and
        when they were used."""
        usage = self._usage.total()
        cost = None
        if usage is not None and model is not None and at is not None:
            cost = estimate_cost(self._usage.groups(), model, at, partial=usage.partial)
        states = {name: _in_order(self._states[name]) for name in sorted(self._states)}
        scored = {name: found["scored"] for name, found in states.items() if "scored" in found}
        return ReportSummary(
            total_tests=self.finished,
            passed=self.passed,
            failed=self.failed,
            errored=self.errored,
            unchecked=self.unchecked,
            pass_rate=100 * self.passed / self.finished if self.finished else 0.0,
            total_duration_ms=round(self.duration_ms),
            metrics_evaluated=scored,
            metric_states=states,
            average_scores={name: self._sums[name] / (count << _UNITS) for name, count in scored.items()},
            token_usage=usage,
            cost=cost,
        )


def _exact(score: float) -> int:
    """The score as a multiple of the smallest float: sums of floats would depend on the order of the cases."""
    numerator, denominator = float(score).as_integer_ratio()
    return numerator << (_UNITS + 1 - denominator.bit_length())


def _in_order(states: Counter[str]) -> dict[str, int]:
    return {state: states[state] for state in get_args(MetricStatus) if states[state]}
