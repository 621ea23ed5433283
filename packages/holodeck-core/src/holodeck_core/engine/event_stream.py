"""The events of a run for whoever asks for the next."""

from __future__ import annotations

import asyncio

from holodeck_core.api.events import (
    CaseFinished,
    CaseStarted,
    RepeatFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    TurnFinished,
)
from holodeck_core.api.reporter import NoOptions, Reporter


class EventStream(Reporter):
    """A reporter that keeps each event until it is asked for. Made in the event loop of the run."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[RunEvent | None] = asyncio.Queue()

    async def next(self) -> RunEvent | None:
        """The next event, None after the last."""
        return await self._events.get()

    def end(self) -> None:
        """There are no more events."""
        self._events.put_nowait(None)

    def run_started(self, event: RunStarted) -> None:
        self._events.put_nowait(event)

    def case_started(self, event: CaseStarted) -> None:
        self._events.put_nowait(event)

    def turn_finished(self, event: TurnFinished) -> None:
        self._events.put_nowait(event)

    def repeat_finished(self, event: RepeatFinished) -> None:
        self._events.put_nowait(event)

    def case_finished(self, event: CaseFinished) -> None:
        self._events.put_nowait(event)

    def run_finished(self, event: RunFinished) -> None:
        """Told in a worker thread, unlike the others."""
        self._loop.call_soon_threadsafe(self._events.put_nowait, event)
