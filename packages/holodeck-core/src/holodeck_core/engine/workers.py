"""Worker threads for code that may block: graders, matchers, synchronous agents.

The threads are our own daemon threads, not an executor's: one that never comes back cannot keep the process alive.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from holodeck_core.api.faults import TooManyAbandoned, WorkerFailure, describe
from holodeck_core.engine import forks

T = TypeVar("T")

MAX_ABANDONED = 16


class _Job:
    __slots__ = ("abandoned", "finished", "function", "future", "key", "loop")

    def __init__(
        self,
        function: Callable[[], Any],
        key: str,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
    ) -> None:
        self.function = function
        self.key = key
        self.loop = loop
        self.future = future
        self.abandoned = False
        self.finished = False


class Workers:
    """A pool that grows with the calls that are under way at once. It is used from one event loop."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[_Job | None]] = []
        self._lock = threading.Lock()
        self._abandoned: Counter[str] = Counter()
        self._closed = False

    async def call(self, function: Callable[[], T], *, key: str) -> T:
        """What ``function`` returns, called in a worker thread; what it raises is raised here.

        When the waiting task is cancelled, the thread is abandoned and goes on by itself. ``key`` says whose code it
        is: with ``MAX_ABANDONED`` threads of one key still under way, TooManyAbandoned is raised instead of calling.
        """
        if self._abandoned[key] >= MAX_ABANDONED:
            raise TooManyAbandoned(
                f"not called: {MAX_ABANDONED} earlier calls of {key} ran out of time and are still running"
            )
        loop = asyncio.get_running_loop()
        job = _Job(function, key, loop, loop.create_future())
        self._hand_over(job)
        try:
            value, error = await job.future
        except asyncio.CancelledError:
            with self._lock:
                if not job.finished:
                    job.abandoned = True
                    self._abandoned[key] += 1
            raise
        if error is None:
            return value  # type: ignore[no-any-return]
        if isinstance(error, Exception) and not isinstance(error, StopIteration | StopAsyncIteration):
            raise error
        raise WorkerFailure(describe(error)) from error

    def close(self) -> None:
        """Let the idle threads end. Calls under way are not waited for."""
        with self._lock:
            self._closed = True
            for queue in self._idle:
                queue.put(None)
            self._idle.clear()

    def _hand_over(self, job: _Job) -> None:
        with self._lock:
            queue = self._idle.pop() if self._idle else None
        if queue is None:
            queue = SimpleQueue()
            threading.Thread(target=self._work, args=(queue,), name="holodeck-worker", daemon=True).start()
        queue.put(job)

    def _work(self, queue: SimpleQueue[_Job | None]) -> None:
        generation = forks.generation
        while (job := queue.get()) is not None:
            outcome: tuple[Any, BaseException | None]
            try:
                outcome = (job.function(), None)
            except BaseException as error:  # noqa: BLE001 - boundary: whatever ends user code becomes a value
                outcome = (None, error)
            if forks.generation != generation:
                forks.end_copy(outcome[1])
            with self._lock:
                job.finished = True
                if job.abandoned:
                    self._abandoned[job.key] -= 1
                if not self._closed:
                    self._idle.append(queue)
            try:
                job.loop.call_soon_threadsafe(_settle, job.future, outcome)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return
            del job, outcome
            if self._closed:
                return


def _settle(future: asyncio.Future[Any], outcome: tuple[Any, BaseException | None]) -> None:
    if not future.done():
        future.set_result(outcome)


def passes_through(error: BaseException) -> bool:
    """Whether what user code raised on the event loop is not its own affair.

    That is the user's KeyboardInterrupt, the end of a generator, and a cancellation from outside; CancelledError that
    nobody asked for, SystemExit and whatever a test framework ends a test with cost no more than their own part.
    """
    if isinstance(error, asyncio.CancelledError):
        try:
            task = asyncio.current_task()
        except RuntimeError:  # in a worker thread, which nobody cancels
            return False
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)
