"""A run that is kept in a folder, read again. Nothing of the suite is loaded, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from holodeck_core.api.events import RunEvent, RunFinished, RunStarted
from holodeck_core.engine.case_events import case_told_again
from holodeck_core.engine.earlier import Earlier
from holodeck_core.engine.record import merge_lines, read_record
from holodeck_core.engine.run_folder import RESULTS, RunFolder
from holodeck_core.engine.summary import SummaryCount
from holodeck_core.errors import RunError
from holodeck_core.models.test_result import ReportSummary, TestReport, TestResult

T = TypeVar("T")


class StoredRun:
    """What a run folder holds, as it was when this was made; the run may be going on. Raises RunError."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._journal = folder.journal(writable=False)
        earlier = Earlier(self._journal)
        self._lines, self._damage = earlier.over, earlier.damage()

    def __len__(self) -> int:
        """How many results there are."""
        return self._lines.count

    @property
    def complete(self) -> bool:
        """Whether the run came to its end, and what it found is still there."""
        head = self.folder.head
        return head.complete and len(self) >= (head.total or 0)

    @property
    def damage(self) -> str | None:
        """What to say of lines that were passed over, since they are no records; None where nothing is missing."""
        if self._damage is None or self.complete:
            return None
        where = self.folder.path / RESULTS
        return f"{where}: {self._damage} cannot be read: what was there counts as not run"

    def records(self) -> Iterator[dict[str, Any]]:
        """The records of the cases, in file order. Raises RunError at one that cannot be read."""
        return self._each(lambda record: record)

    def results(self) -> Iterator[TestResult]:
        """The results, in file order, read one by one. Raises RunError at one that cannot be read."""
        return self._each(read_record)

    def _each(self, take: Callable[[dict[str, Any]], T]) -> Iterator[T]:
        for index in self._lines.keys():  # noqa: SIM118 - no dict
            with self._named(index):
                taken = take(merge_lines(map(self._journal.line_at, self._lines[index])))
            yield taken

    @contextmanager
    def _named(self, index: int) -> Iterator[None]:
        """Let errors say where what cannot be read stands, and what to do."""
        try:
            yield
        except RunError as error:
            line = self._journal.line_number(self._lines[index][0])
            raise RunError(
                f"{self.folder.path / RESULTS}:{line}: {error}; resuming the run {self.folder.path.name} runs it anew"
            ) from error

    def summary(self) -> ReportSummary:
        """The totals of the results that are there. Raises RunError at one that cannot be read."""
        count = SummaryCount()
        for _ in self._each(count.add_stored):
            pass
        return count.summary(self.folder.head.model, self.folder.head.started_at)

    def report_head(self) -> TestReport:
        """The report without its results."""
        head = self.folder.head
        return TestReport(
            run_id=head.run_id,
            complete=self.complete,
            agent_name=head.agent_name,
            agent_config_path=head.agent_config_path,
            results=[],
            summary=self.summary(),
            timestamp=head.started_at,
            holodeck_version=head.holodeck_version,
            environment=head.environment,
        )

    def events(self) -> Iterator[RunEvent]:
        """The run as reporters would have been told of it, had one case followed the other in file order."""
        head, report = self.folder.head, self.report_head()
        yield RunStarted(
            run_id=head.run_id,
            agent_name=head.agent_name,
            agent_config_path=head.agent_config_path,
            total=len(self) if head.total is None else head.total,
            parallel=1,
            plugins=head.plugins,
        )
        for result in self.results():
            yield from case_told_again(result)
        duration = head.duration_ms
        yield RunFinished(
            complete=self.complete,
            duration_ms=report.summary.total_duration_ms if duration is None else duration,
            summary=report.summary,
            head=report,
            results=self.results,
        )


def read_run(path: Path) -> StoredRun:
    """The run in a folder. Raises RunError where it is none."""
    return StoredRun(RunFolder.open(path))
