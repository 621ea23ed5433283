"""Where messages come from. A stream that is no terminal gives one message a line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from holodeck_core.engine.workers import Workers


class Interrupted(Exception):
    """Ctrl-C was pressed while a message was being written; ``had_text`` tells whether it cleared any."""

    def __init__(self, had_text: bool) -> None:
        super().__init__()
        self.had_text = had_text


class Reader(Protocol):
    """Gives what the user writes."""

    async def read(self) -> str:
        """The next message, as it was written; bytes that are no UTF-8 are lone surrogates. Raises EOFError at the
        end, and Interrupted."""

    def interrupt(self) -> None:
        """An interrupt signal came while ``read`` was waiting."""


class LineReader:
    """Lines of a stream, read in a thread, so that one that never comes holds up nothing.

    ``more`` gives the next bytes, none at the end. It must not hold a lock while it waits, as buffered streams do: the
    process could not end. ``prompt`` is called before each line.
    """

    def __init__(self, more: Callable[[], bytes], prompt: Callable[[], None]) -> None:
        self._more = more
        self._buffer = bytearray()
        self._prompt = prompt
        self._workers = Workers()
        self._pending: asyncio.Task[bytes] | None = None
        self._interrupted = asyncio.Event()

    async def read(self) -> str:
        self._prompt()
        if self._pending is None:
            self._pending = asyncio.create_task(self._workers.call(self._line, key="stdin"))
        interrupted = asyncio.create_task(self._interrupted.wait())
        try:
            await asyncio.wait({self._pending, interrupted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            interrupted.cancel()
        if self._interrupted.is_set():
            self._interrupted.clear()
            raise Interrupted(False)  # the terminal itself has thrown the line away
        pending, self._pending = self._pending, None
        line = pending.result()
        if not line:
            raise EOFError
        return line.decode("utf-8", "surrogateescape").removesuffix("\n")

    def interrupt(self) -> None:
        self._interrupted.set()

    def _line(self) -> bytes:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if not (more := self._more()):
                end = searched - 1
                break
            self._buffer += more
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line
