"""Ctrl-C, Ctrl-\\ and SIGTERM in a chat: whom they reach, and a way out where nobody takes them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from holodeck_cli.ending import leave


class Signals:
    """Handlers of the signal module, not of the loop: they are called also while an agent blocks the loop.

    ``leave`` is called before the process is ended from a handler.
    """

    def __init__(self, leave: Callable[[], None]) -> None:
        self.terminated = False
        self._leave = leave
        self._taker: Callable[[], None] | None = None
        self._stops = False
        self._pending = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Inside the block signals reach whoever takes them; SIGTERM cancels the current task, and SIGQUIT ends the
        process at once, as ever, but leaves the terminal as it was."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def handle(number: int, frame: FrameType | None) -> None:
            again = self.terminated if number == signal.SIGTERM else self._pending
            if again:
                self._leave()
                leave(128 + number)
            if number == signal.SIGTERM:
                self.terminated = True
                loop.call_soon_threadsafe(task.cancel)
            else:
                self._pending = True
                loop.call_soon_threadsafe(self._deliver)

        def quit_at_once(number: int, frame: FrameType | None) -> None:
            self._leave()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

        before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
        before[signal.SIGQUIT] = signal.signal(signal.SIGQUIT, quit_at_once)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def taken_by(self, taker: Callable[[], None], *, stops: bool = False) -> Iterator[None]:
        """Inside the block ``taker`` is called in the loop for an interrupt.

        Where it ``stops`` something, a second interrupt before the end of the block ends the process.
        """
        self._taker, self._stops, self._pending = taker, stops, False
        try:
            yield
        finally:
            self._taker, self._stops, self._pending = None, False, False

    def _deliver(self) -> None:
        if not self._stops:
            self._pending = False
        if self._taker is not None:
            self._taker()
