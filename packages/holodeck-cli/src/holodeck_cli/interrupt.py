"""Ctrl-C and SIGTERM while a run goes on: the first ends it in order, the second at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from holodeck_cli.ending import leave
from holodeck_cli.streams import tell_error

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

SAME_S = 0.1
"""A signal that comes this soon after the first is the same once more: programs that start others hand on what the
terminal has sent to all of them already."""
UNHEARD_S = 1.0
"""When a signal has not reached the event loop by then, something blocks it."""
BLOCKED_S = 5.0
"""How much longer it may, before the process ends all the same."""
_BLOCKED = (
    f"stopping: something blocks the event loop, and has {BLOCKED_S:g} s to let go of it; "
    "Ctrl-C again ends at once"
)
_ENDED = (
    "ended without reports, since something blocked the event loop; 'holodeck report' shows what had finished"
)


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
        self._heard = threading.Event()

    @contextmanager
    def stops(self, stop: Callable[[], None]) -> Iterator[None]:
        """Inside the block the first signal calls ``stop`` in the loop, and a second one ends the process."""
        loop = asyncio.get_running_loop()
        first_at = 0.0

        def handle(number: int, frame: FrameType | None) -> None:
            nonlocal first_at
            if self.signal is not None:
                if monotonic() - first_at < SAME_S:
                    return
                self._at_once()
                leave(128 + number)
            self.signal, first_at = number, monotonic()
            loop.call_soon_threadsafe(self._hear)
            if not self._ending():
                loop.call_soon_threadsafe(stop)
                threading.Thread(
                    target=self._watch, args=(number,), name="holodeck-stop", daemon=True
                ).start()

        before = {number: signal.signal(number, handle) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _hear(self) -> None:
        self._heard.set()
        self._told()

    def _watch(self, number: int) -> None:
        """End the process where the loop cannot: nobody may be there to send a second signal."""
        if self._heard.wait(UNHEARD_S):
            return
        tell_error(_BLOCKED)
        if not self._heard.wait(BLOCKED_S):
            self._at_once()
            tell_error(_ENDED)
            leave(128 + number)
