"""Ctrl-C and SIGTERM while a run goes on: the first ends it in order, the second at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """What was received: ``signal`` is its number, None where nothing was.

    Handlers of the signal module, not of the loop: they are called also while an agent blocks the loop.
    """

    def __init__(
        self, told: Callable[[], None], at_once: Callable[[], None], ending: Callable[[], bool]
    ) -> None:
        """``told`` is called in the loop after the first signal, ``at_once`` in the second one's handler.

        Where it is ``ending`` by itself when the first signal comes, nothing is stopped: reports are being
        written.
        """
        self.signal: int | None = None
        self._told = told
        self._at_once = at_once
        self._ending = ending

    @contextmanager
    def stops(self, stop: Callable[[], None]) -> Iterator[None]:
        """Inside the block the first signal calls ``stop`` in the loop, and a second one ends the process."""
        loop = asyncio.get_running_loop()

        def handle(number: int, frame: FrameType | None) -> None:
            if self.signal is not None:
                self._at_once()
                os._exit(128 + number)
            self.signal = number
            loop.call_soon_threadsafe(self._told)
            if not self._ending():
                loop.call_soon_threadsafe(stop)

        before = {number: signal.signal(number, handle) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
