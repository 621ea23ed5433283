"""What has become of a case so far, and what to make of it where its task does not end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from time import perf_counter
from typing import Any, TypeVar

from holodeck_core.engine.outcomes import TurnOutcome
from holodeck_core.engine.time_limits import LoopTime

T = TypeVar("T")


class Course:
    """The course of one case, which its own ``task`` writes. ``given_up`` is done when nobody waits for that task."""

    task: asyncio.Task[Any]

    def __init__(self, loop_time: LoopTime) -> None:
        self.loop_time = loop_time
        self.opened = False
        self.outcomes: list[TurnOutcome] = []
        self.waits_since = 0.0
        self.given_up: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def begin(self, conversation: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Let the case begin, in a task of its own."""
        self.task = task = asyncio.create_task(conversation)
        task.add_done_callback(self.give_up)
        return task

    def give_up(self, _task: object = None) -> None:
        """Wait no longer for the task of the case."""
        if not self.given_up.done():
            self.given_up.set_result(None)

    def go_on(self) -> None:
        """Raise CancelledError, in the task of the case, where nobody waits for it any more."""
        if self.given_up.done():
            raise asyncio.CancelledError

    def within(self, awaitable: Awaitable[T], limit_s: float, who: str) -> Awaitable[T]:
        """See ``LoopTime.within``; what does not stop when it is cancelled costs the rest of the case."""
        self.waits_since = perf_counter()
        return self.loop_time.within(awaitable, limit_s, who, self.task, self.give_up)
