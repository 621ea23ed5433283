"""A run: the cases of a suite, side by side up to the limit, kept as they finish, told in file order."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeAlias

from holodeck_core.api.events import CaseFinished, CaseStarted, RunFinished, RunStarted, TurnFinished
from holodeck_core.api.faults import describe
from holodeck_core.api.reporter import Reporter
from holodeck_core.api.suite import BoundCase, Suite
from holodeck_core.engine.case import CLOSE_TIMEOUT_S, run_case
from holodeck_core.engine.environment import describe_environment
from holodeck_core.engine.journal import Journal
from holodeck_core.engine.outcomes import CaseOutcome, TurnOutcome
from holodeck_core.engine.pace import Pace
from holodeck_core.engine.record import read_record, write_record
from holodeck_core.engine.reporting import Reporters
from holodeck_core.engine.send import Limits
from holodeck_core.engine.summary import SummaryCount
from holodeck_core.engine.workers import Workers, passes_through
from holodeck_core.models.test_result import ReportSummary, TestReport, TestResult
from holodeck_core.plugins.distributions import core_version

STOP_GRACE_S = 5.0

Select: TypeAlias = Callable[[BoundCase], bool]


class Run:
    """One execution of a suite. It starts when it is first awaited or iterated, in the event loop of whoever does.

    ``await run`` gives the whole TestReport; ``async for result in run`` gives each TestResult in file order, as soon
    as it and all before it are there. Cancelling the waiting task, or leaving the iteration, cancels the run: open
    sessions are closed, and reporters are told that it is not complete.
    """

    def __init__(
        self, suite: Suite, reporters: Sequence[Reporter] = (), select: Select | None = None
    ) -> None:
        self.id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        self._suite = suite
        self._select = select
        self._reporters = Reporters(reporters)
        self._journal = Journal()
        self._count = SummaryCount()
        self._task: asyncio.Task[None] | None = None
        self._kept = asyncio.Event()
        self._started_at = datetime.now(UTC)
        self._complete = False
        self._stopping = False
        self.notes: tuple[str, ...] = ()
        """Troubles of the run as a whole that changed no verdict."""
        self._cases: list[asyncio.Task[None]] = []

    @property
    def reporter_errors(self) -> tuple[str, ...]:
        """What reporters could not write, and why."""
        return tuple(self._reporters.errors)

    @property
    def summary(self) -> ReportSummary:
        """The totals of what has finished so far."""
        return self._count.summary()

    def results(self) -> Iterator[TestResult]:
        """The results that are there, in file order, read one by one."""
        for position in range(len(self._journal)):
            if position in self._journal:
                yield read_record(self._journal.read(position))

    def report(self) -> TestReport:
        """The report of what has finished so far, with all results in memory."""
        return self._head().model_copy(update={"results": list(self.results())})

    def __await__(self) -> Generator[Any, None, TestReport]:
        return self._run_to_end().__await__()

    def __aiter__(self) -> AsyncIterator[TestResult]:
        return self._in_file_order()

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """End the run early, from the event loop that it runs in: no further case starts, and those under way have
        ``grace_s`` seconds to finish before they are cancelled. What has finished is reported, as not complete."""
        if self._task is None or self._stopping:
            return
        self._stopping = True
        asyncio.get_running_loop().call_later(grace_s, self._cancel_cases)

    async def wait(self) -> None:
        """Run to the end without collecting the results: they stay in the journal, and with the reporters."""
        task = self._start()
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await _cancel(task)
            raise

    async def _run_to_end(self) -> TestReport:
        await self.wait()
        return self.report()

    async def _in_file_order(self) -> AsyncIterator[TestResult]:
        task = self._start()
        position = 0
        try:
            while True:
                self._kept.clear()
                if position in self._journal:
                    yield read_record(self._journal.read(position))
                    position += 1
                elif task.done() and position >= len(self._journal):
                    break
                elif task.done():
                    position += 1  # of a run that was stopped, results may be missing in between
                else:
                    waiting = asyncio.ensure_future(self._kept.wait())
                    try:
                        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        waiting.cancel()
        finally:
            if not task.done():
                await _cancel(task)
        await task

    def _start(self) -> asyncio.Task[None]:
        if self._task is None:
            self._task = asyncio.create_task(self._execute(), name=f"holodeck run {self.id}")
        return self._task

    async def _execute(self) -> None:
        begun = perf_counter()
        workers = Workers()
        selected = self._selected
        total = len(self._suite.cases) if self._select is None else sum(1 for _ in selected())
        parallel = max(1, min(self._suite.parallel, total))
        self._reporters.tell(
            RunStarted(
                run_id=self.id,
                agent_name=self._suite.agent.name,
                agent_config_path=None if self._suite.path is None else str(self._suite.path),
                total=total,
                parallel=parallel,
                plugins=dict(self._suite.plugins),
            )
        )
        try:
            feed = enumerate(selected())
            limits = Limits(self._suite.llm_timeout, workers, Pace(self._suite.retries))
            self._cases = [asyncio.create_task(self._work(feed, limits)) for _ in range(parallel)]
            await self._side_by_side()
            self._complete = not self._stopping
        finally:
            try:
                await self._close_backend()
            finally:
                await self._reporters.tell_finished(self._finished((perf_counter() - begun) * 1000), workers)
                workers.close()

    async def _close_backend(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._suite.backend.close()
        except BaseException as error:
            if passes_through(error):
                raise
            self.notes = (*self.notes, f"closing the backend failed: {describe(error)}")

    async def _side_by_side(self) -> None:
        """Wait for all; the first that raises, or a cancellation from outside, ends the others before it passes on."""
        try:
            await asyncio.gather(*self._cases)
        except asyncio.CancelledError as error:
            if passes_through(error):
                raise  # else it was ``stop`` that cancelled the cases
        finally:
            self._cancel_cases()
            await asyncio.gather(*self._cases, return_exceptions=True)

    def _cancel_cases(self) -> None:
        for task in self._cases:
            task.cancel()

    def _selected(self) -> Iterator[BoundCase]:
        return iter(self._suite.cases) if self._select is None else filter(self._select, self._suite.cases)

    async def _work(self, feed: Iterator[tuple[int, BoundCase]], limits: Limits) -> None:
        """Take cases from the common feed until there are no more."""
        for position, case in feed:
            if self._stopping:
                return
            if self._reporters.starts:
                self._reporters.tell(CaseStarted(index=case.index, name=case.label, turns=len(case.turns)))
            turn_done = self._turn_teller(case) if self._reporters.turns else None
            await asyncio.sleep(
                0
            )  # an agent that never waits must not keep the loop from timers, signals and others
            outcome = await run_case(case, self._suite, limits, turn_done)
            self._keep(position, case, outcome)

    def _turn_teller(self, case: BoundCase) -> Callable[[int, TurnOutcome], None]:
        def tell(index: int, outcome: TurnOutcome) -> None:
            self._reporters.tell(
                TurnFinished(
                    index=case.index,
                    name=case.label,
                    turn_index=index,
                    status=outcome.status,
                    duration_ms=outcome.duration_ms,
                )
            )

        return tell

    def _keep(self, position: int, case: BoundCase, outcome: CaseOutcome) -> None:
        self._journal.append(position, write_record(case, outcome))
        self._count.add(outcome)
        self._kept.set()
        if self._reporters.cases:
            self._reporters.tell(
                CaseFinished(
                    index=case.index,
                    name=case.label,
                    status=outcome.status,
                    checked=outcome.checked,
                    duration_ms=sum(turn.duration_ms for turn in outcome.turns),
                    read=lambda: read_record(self._journal.read(position)),
                )
            )

    def _finished(self, duration_ms: float) -> RunFinished:
        head = self._head()
        return RunFinished(
            complete=self._complete,
            duration_ms=duration_ms,
            summary=head.summary,
            head=head,
            results=self.results,
        )

    def _head(self) -> TestReport:
        return TestReport(
            run_id=self.id,
            complete=self._complete,
            agent_name=self._suite.agent.name,
            agent_config_path=None if self._suite.path is None else str(self._suite.path),
            results=[],
            summary=self.summary,
            timestamp=self._started_at,
            holodeck_version=core_version(),
            environment=describe_environment(self._suite.plugins),
        )


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
