"""A run, in the hands of whoever started it: awaited, read, stopped; kept in its folder, and told to reporters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import attrs

from holodeck_core.api.events import RunEvent, RunFinished, RunStarted
from holodeck_core.api.faults import describe
from holodeck_core.api.reporter import Reporter
from holodeck_core.api.suite import Suite
from holodeck_core.engine.backend_use import begin_use, end_use
from holodeck_core.engine.case import CLOSE_TIMEOUT_S
from holodeck_core.engine.describe_run import describe_environment, describe_run, new_run_id, priced_model
from holodeck_core.engine.event_stream import EventStream
from holodeck_core.engine.journal import Journal
from holodeck_core.engine.pace import Pace
from holodeck_core.engine.repeats import RepeatOptions
from holodeck_core.engine.reporting import Reporters
from holodeck_core.engine.results import Results
from holodeck_core.engine.run_folder import RunFolder
from holodeck_core.engine.scheduler import WHOLE, Scheduler, Scope
from holodeck_core.engine.send import Limits
from holodeck_core.engine.summary import SummaryCount
from holodeck_core.engine.workers import Workers, passes_through
from holodeck_core.errors import RunError
from holodeck_core.models.run_head import Selection
from holodeck_core.models.test_result import ReportSummary, TestReport, TestResult
from holodeck_core.plugins.distributions import core_version

STOP_GRACE_S = 5.0


class Run:
    """One execution of a suite. It starts when it is first awaited or iterated, in the event loop of whoever does.

    ``await run`` gives the whole TestReport; ``async for result in run`` gives each TestResult in file order, as soon
    as it and all before it are there; ``async for event in run.events()`` tells what happens as it happens. Cancelling
    the waiting task, or leaving the iteration, cancels the run: open sessions are closed, and reporters are told that
    it is not complete.

    It is kept below ``run_dir``, or goes on with the ``resumed`` one, with what that was started with; ``selection`` is
    written down as what ``scope.select`` stands for. With ``stable`` reporters are told what is the same in every run,
    in file order.
    """

    def __init__(
        self,
        suite: Suite,
        reporters: Sequence[Reporter] = (),
        scope: Scope = WHOLE,
        *,
        run_dir: Path | None = None,
        resumed: RunFolder | None = None,
        selection: Selection | None = None,
        stable: bool = False,
    ) -> None:
        self._suite = suite
        self._secrets = suite.secrets
        self._repeats = scope.repeats
        self._selection = selection
        self._started_at = datetime.now(UTC)
        self.id = new_run_id()
        if resumed is not None:
            before = resumed.head
            self.id, self._started_at, self._selection = before.run_id, before.started_at, before.selection
            self._repeats = RepeatOptions(before.repeat, before.all_repeats)
        self._reporters = Reporters(reporters, self._secrets, stable=stable)
        self._scheduler = Scheduler(suite, attrs.evolve(scope, repeats=self._repeats), self._reporters)
        self._runs = run_dir
        self.folder = resumed
        self._arrived = asyncio.Event()
        self._results: Results | None = None
        self._task: asyncio.Task[None] | None = None
        self._complete = False
        self.notes: tuple[str, ...] = ()
        """Troubles of the run as a whole that changed no verdict."""

    @property
    def reporter_errors(self) -> tuple[str, ...]:
        """What reporters could not write, and why."""
        return tuple(self._reporters.errors)

    @property
    def summary(self) -> ReportSummary:
        """The totals of what has finished so far."""
        count = self._results.count if self._results is not None else SummaryCount()
        return count.summary(priced_model(self._suite), self._started_at)

    def results(self) -> Iterator[TestResult]:
        """The results that are there, in file order, read one by one."""
        return iter(self._results if self._results is not None else ())

    @property
    def complete(self) -> bool:
        """Whether the run is over and has a result of every case."""
        return self._complete

    @property
    def taken_over(self) -> dict[str, int]:
        """Of a resumed run: how many results were ``taken over``; how many cases were ``repeated further``, have
        ``changed`` or are ``new`` to it, and were run; how many results were ``left out``, for their case is gone.
        Final when the run is over."""
        if self._results is None:
            return {}
        found = self._results
        return {
            "taken over": found.taken_over,
            "repeated further": found.begun,
            "changed": found.outdated,
            "new": found.new,
            "left out": found.left_out,
        }

    def report(self) -> TestReport:
        """The report of what has finished so far, with all results in memory."""
        return self._head().model_copy(update={"results": list(self.results())})

    def __await__(self) -> Generator[Any, None, TestReport]:
        return self._run_to_end().__await__()

    def __aiter__(self) -> AsyncIterator[TestResult]:
        return self._in_file_order()

    def events(self) -> AsyncGenerator[RunEvent, None]:
        """The events of the run, which starts with the first of them, as they happen; RunFinished is the last.

        Events wait for whoever reads them, and the run does not: one that is read slowly keeps them in memory. Leaving
        the iteration cancels the run. Raises RuntimeError outside of an event loop, and where the run has been started:
        what has happened is told by its results then.
        """
        if self._task is not None:
            raise RuntimeError(
                "the run has been started: ask for its events before it is awaited or iterated"
            )
        stream = EventStream()
        self._reporters.add(stream)
        return self._as_they_happen(stream)

    async def _as_they_happen(self, stream: EventStream) -> AsyncGenerator[RunEvent, None]:
        task = self._start()
        task.add_done_callback(lambda _: stream.end())
        try:
            while (event := await stream.next()) is not None:
                yield event
            await task
        finally:
            if not task.done():
                await _cancel(task)

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """End the run early, from the event loop that it runs in: no further case starts, and those under way have
        ``grace_s`` seconds to finish before they are cancelled. What has finished is reported."""
        if self._task is not None:
            self._scheduler.stop(grace_s)

    def claim_folder(self) -> None:
        """Make the run folder, or take up that of the earlier run, now and not when the run starts: its lock is held,
        and it says what the run is. Nothing happens for a run that is not kept.

        Raises RunError where the folder cannot be written, or its run is going on in another process.
        """
        if not self._is_unclaimed:
            return
        head = describe_run(self._suite, self.id, self._started_at, self._selection, self._repeats)
        if self.folder is None and self._runs is not None:
            self.folder = RunFolder.create(self._runs, head)
        elif self.folder is not None:
            self.folder.take_up(head)

    @property
    def _is_unclaimed(self) -> bool:
        return self._runs is not None if self.folder is None else not self.folder.is_locked

    async def wait(self) -> None:
        """Run to the end without collecting the results: they stay in the journal, and with the reporters.

        Raises RunError where the results cannot be kept, or where what was tested has cancelled the run.
        """
        task = self._start()
        ended_before = task.done()
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            await _cancel(task)
            if passes_through(error):
                raise
            who = "an earlier caller" if ended_before else "what was tested"
            raise RunError(f"{who} cancelled the run") from None

    async def _run_to_end(self) -> TestReport:
        await self.wait()
        return self.report()

    async def _in_file_order(self) -> AsyncIterator[TestResult]:
        task = self._start()
        try:
            position = 0
            while not task.done():
                if self._results is not None and position in self._results:
                    yield self._results.read(position)
                    position += 1
                else:
                    await self._something(task)
            await task
            if self._results is not None:
                for result in self._results.from_position(position):
                    yield result
        finally:
            if not task.done():
                await _cancel(task)

    async def _something(self, task: asyncio.Task[None]) -> None:
        """Wait until a result has arrived, or the run is over."""
        self._arrived.clear()
        waiting = asyncio.ensure_future(self._arrived.wait())
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    def _start(self) -> asyncio.Task[None]:
        if self._task is None:
            self._task = asyncio.create_task(self._execute(), name=f"holodeck run {self.id}")
        return self._task

    async def _execute(self) -> None:
        begun = perf_counter()
        workers = Workers()
        try:
            if self._is_unclaimed:
                await workers.call(self.claim_folder, key="run folder")
            self._results = Results(
                Journal() if self.folder is None else self.folder.journal(), self._arrived, self._secrets
            )
            total = self._scheduler.total()
            self._write_head(total=total)
            await self._run_cases(total, begun, workers, self._results)
        finally:
            if self.folder is not None:
                self.folder.unlock()
            workers.close()

    async def _run_cases(self, total: int, begun: float, workers: Workers, results: Results) -> None:
        parallel = self._scheduler.parallel(total)
        limits = Limits(self._suite.llm_timeout, workers, Pace(self._suite.retries))
        self._reporters.tell(self._started(total, parallel))
        begin_use(self._suite.backend)
        try:
            await self._warm_up()
            await self._scheduler.run(results, limits, parallel)
            self._complete = results.count.finished == total
            if self._complete:
                results.drop_others()
        finally:
            try:
                await self._close_backend(limits)
            finally:
                duration_ms = (perf_counter() - begun) * 1000
                await self._reporters.tell_finished(self._finished(duration_ms), workers)
                self._write_head(
                    complete=self._complete,
                    summary=self.summary,
                    finished_at=datetime.now(UTC),
                    duration_ms=duration_ms,
                )

    def _write_head(self, **fields: Any) -> None:
        """Note in the run folder what is known by now."""
        if self.folder is not None:
            try:
                self.folder.update(**fields)
            except OSError as error:
                self._reporters.errors.append(f"run.json: {describe(error)}")

    async def _warm_up(self) -> None:
        """Let the backend do what takes long before the clock of a turn runs. Where it cannot, ``open`` says why."""
        try:
            await self._suite.backend.warm_up()
        except BaseException as error:  # boundary: a backend may raise anything
            if passes_through(error):
                raise
            self._note(f"warming up the backend failed: {describe(error)}")

    async def _close_backend(self, limits: Limits) -> None:
        try:
            if end_use(self._suite.backend):
                await limits.loop_time.apart(self._suite.backend.close, CLOSE_TIMEOUT_S, "the backend")
        except BaseException as error:  # boundary: a backend may raise anything
            if passes_through(error):
                raise
            self._note(f"closing the backend failed: {describe(error)}")
        for note in limits.loop_time.notes():
            self._note(note)

    def _note(self, note: str) -> None:
        self.notes = (*self.notes, self._secrets.redact_shown(note))

    def _started(self, total: int, parallel: int) -> RunStarted:
        return RunStarted(
            run_id=self.id,
            agent_name=self._secrets.redact_shown(self._suite.agent.name),
            agent_config_path=None if self._suite.path is None else str(self._suite.path),
            total=total,
            parallel=parallel,
            plugins=dict(self._suite.plugins),
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
            agent_name=self._secrets.redact_shown(self._suite.agent.name),
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
