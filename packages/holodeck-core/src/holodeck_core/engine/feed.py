"""The cases of a run, one after the other, to whoever asks for the next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator

from holodeck_core.api.suite import BoundCase


class Feed(Iterator[tuple[int, BoundCase]]):
    """Each case with its position, given once.

    A case of a large file is read and bound when it is its turn. Where many conversations go on in step, each would
    wait for the reading of all the others' next cases; so up to ``most`` are read ahead, while the agents are waited
    for.
    """

    def __init__(self, cases: Iterable[BoundCase], most: int) -> None:
        self._unread = enumerate(cases)
        self._ahead: deque[tuple[int, BoundCase]] = deque()
        self._most = most
        self._error: Exception | None = None

    def __next__(self) -> tuple[int, BoundCase]:
        """Raises what the reading raised, when all that was read before is given."""
        if self._ahead:
            return self._ahead.popleft()
        if self._error is not None:
            raise self._error
        return next(self._unread)

    def read_ahead_soon(self) -> None:
        """Read one case ahead, after what the event loop has to do now and what that leads to at once."""
        if len(self._ahead) < self._most:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._read_ahead)

    def _read_ahead(self) -> None:
        if len(self._ahead) >= self._most or self._error is not None:
            return
        try:
            self._ahead.append(next(self._unread))
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001 - boundary: a suite's source of cases; raised to who asks for the case
            self._error = error
