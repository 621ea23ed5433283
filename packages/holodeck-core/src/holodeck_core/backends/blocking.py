"""Where an agent's code runs: a coroutine function on the loop, everything else in a worker thread."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from holodeck_core.api.faults import TooManyAbandoned
from holodeck_core.engine.workers import Workers


def runs_on_loop(function: Callable[..., Any]) -> bool:
    """Whether calling it only makes a coroutine, so that it needs no thread."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


async def settled(result: Any) -> Any:
    """The result, awaited where it can be: any callable may hide a coroutine function."""
    return await result if inspect.isawaitable(result) else result


class BlockingCalls:
    """The blocking calls into one agent, never two at once.

    A call whose caller is cancelled goes on by itself in its thread. As long as it does, the agent must be left alone:
    ``leave`` hands what is still to be done to that thread.
    """

    def __init__(self, workers: Workers, key: str) -> None:
        self._workers = workers
        self.key = key
        self._lock = threading.Lock()
        self._running = False
        self._left: Callable[[], object] | None = None

    @property
    def running(self) -> bool:
        """Whether a thread is inside the agent."""
        return self._running

    async def call(self, function: Callable[[], Any]) -> Any:
        """What ``function`` returns, called in a worker thread; what it raises is raised here."""
        self._running = True
        try:
            return await self._workers.call(partial(self._run, function), key=self.key)
        except TooManyAbandoned:
            self._running = False
            raise

    def leave(self, function: Callable[[], object]) -> bool:
        """Let the thread that is inside the agent call ``function`` when it comes back; False where none is."""
        with self._lock:
            if self._running:
                self._left = function
            return self._running

    def _run(self, function: Callable[[], Any]) -> Any:
        try:
            return function()
        finally:
            with self._lock:
                self._running = False
                left, self._left = self._left, None
            if left is not None:
                left()
