"""The last line that the terminal shows of a run. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from holodeck_core.api.events import RunFinished
from holodeck_core.case_lines import STYLES, Line, duration
from holodeck_core.models.test_result import ReportSummary
from holodeck_core.plugins.names import FIRST_PARTY_IDS
from holodeck_core.text import one_line

_TEXT_WIDTH = 300


def plugins_line(plugins: Mapping[str, str]) -> str | None:
    """``plugins: acme 1.2, other 2.0``: the third-party ones that the run uses; None where it uses none."""
    used = [f"{name} {version}" for name, version in sorted(plugins.items()) if name not in FIRST_PARTY_IDS]
    return one_line(f"plugins: {', '.join(used)}", _TEXT_WIDTH) if used else None


def finished_line(event: RunFinished, total: int | None) -> str:
    """The text of the summary line of a run that is over; ``total`` is None where nobody said how many cases it has."""
    took = event.duration_ms if event.timed else None
    cases = event.summary.total_tests if total is None else total
    return summary_line(event.summary, took, complete=event.complete, total=cases).text


def summary_line(summary: ReportSummary, duration_ms: float | None, *, complete: bool, total: int) -> Line:
    """``12 passed, 1 failed, 1 errored, 2 unchecked in 1.2 s``; here errored cases do not count as failed."""
    failed = summary.failed - summary.errored
    counts = [f"{summary.passed} passed", f"{failed} failed"]
    counts += [f"{summary.errored} errored"] if summary.errored else []
    counts += [f"{summary.unchecked} unchecked"] if summary.unchecked else []
    text = ", ".join(counts) + ("" if duration_ms is None else f" in {duration(duration_ms)}")
    if not complete:
        return Line(f"incomplete, {summary.total_tests} of {total} cases finished: {text}", STYLES["error"])
    return Line(text, STYLES["failed" if failed else "error" if summary.errored else "passed"])
