"""Limits that run side by side and are of one length: they end in the order in which they begin, so that one timer of
the event loop serves them all."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Protocol


class Limited(Protocol):
    """Whatever has a limit. ``started`` is the ``perf_counter`` at its start."""

    @property
    def started(self) -> float: ...

    def look(self) -> None:
        """The limit is over, by the clock. Must not raise."""


class Alarms:
    """Looks at each that was added when ``limit_s`` seconds have passed since it started, unless it is removed."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._running: dict[Limited, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, limited: Limited) -> None:
        """One that starts now. Raises RuntimeError outside of an event loop."""
        loop = asyncio.get_running_loop()
        self._running[limited] = None
        if self._timer is None:
            self._timer = loop.call_later(self._limit_s, self._ring)

    def remove(self, limited: Limited) -> None:
        """It has ended. The timer goes on: the next one needs it, and it costs more to set than to let it pass."""
        self._running.pop(limited, None)

    def close(self) -> None:
        """Nothing more is added."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        for limited in list(self._running):
            left = limited.started + self._limit_s - perf_counter()
            if left > 0:
                self._timer = loop.call_later(left, self._ring)
                return
            del self._running[limited]
            limited.look()
