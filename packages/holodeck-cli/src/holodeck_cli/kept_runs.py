"""``holodeck runs``: what runs there are, and which of them are old."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from holodeck_cli.table import aligned
from holodeck_core import ReportSummary
from holodeck_core.engine.run_folder import RunFolder, is_live
from holodeck_core.engine.stored import StoredRun
from holodeck_core.errors import RunError
from holodeck_core.text import one_line

_HEAD = ("run", "agent", "started", "state", "results")
_AGENT_WIDTH = 40


def run_data(run: RunFolder) -> dict[str, Any]:
    """A run as data. The counts are None where its results cannot be read."""
    head, live = run.head, is_live(run.path)
    summary, complete = _ending(run)
    return {
        "run_id": run.path.name,
        "agent_name": head.agent_name,
        "agent_file": head.agent_file,
        "started_at": head.started_at,
        "resumed_at": head.resumed_at,
        "finished_at": None if live else head.finished_at,
        "complete": complete,
        "live": live,
        "total": head.total,
        "finished": summary and summary.total_tests,
        "passed": summary and summary.passed,
        "failed": summary and summary.failed,
        "errored": summary and summary.errored,
        "path": str(run.path),
    }


def run_table(runs: Sequence[dict[str, Any]]) -> list[str]:
    """One line a run below a head. Pure."""
    return aligned([_HEAD, *map(_row, runs)])


def old_runs(
    runs: Sequence[RunFolder], keep: int | None, older_than: timedelta | None, now: datetime
) -> list[RunFolder]:
    """Those that are neither among the ``keep`` latest nor young enough; ``runs`` has the latest last. Pure."""
    behind = runs if keep is None else runs[: max(0, len(runs) - keep)]
    return [run for run in behind if older_than is None or run.head.worked_on_at < now - older_than]


def _ending(run: RunFolder) -> tuple[ReportSummary | None, bool]:
    """The totals, and whether the run is complete: what it wrote at its end; what its results say where it did not come
    to that, or where they have changed since."""
    if run.head.summary is not None and run.is_as_it_ended:
        return run.head.summary, run.head.complete
    try:
        stored = StoredRun(run)
        return stored.summary(), stored.complete
    except RunError:
        return None, run.head.complete


def _row(run: dict[str, Any]) -> tuple[str, ...]:
    state = "running" if run["live"] else "complete" if run["complete"] else "incomplete"
    agent = one_line(run["agent_name"], _AGENT_WIDTH)
    started = run["started_at"].astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return (one_line(run["run_id"]), agent, started, state, _counts(run))


def _counts(run: dict[str, Any]) -> str:
    if run["finished"] is None:
        return "cannot be read"
    counts = [f"{run['passed']} passed", f"{run['failed'] - run['errored']} failed"]
    counts += [f"{run['errored']} errored"] if run["errored"] else []
    missing = (run["total"] or 0) - run["finished"]
    counts += [f"{missing} missing"] if missing > 0 else []
    return ", ".join(counts)
