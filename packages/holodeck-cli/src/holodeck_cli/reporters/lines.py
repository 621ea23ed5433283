"""The last line that the terminal shows of a run. Pure."""

from __future__ import annotations

from holodeck_core.case_lines import STYLES, Line, duration
from holodeck_core.models.test_result import ReportSummary


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
