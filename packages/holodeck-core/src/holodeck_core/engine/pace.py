"""When a turn may be sent: again, after a transient failure; later, after a provider asked everyone to slow down."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from time import monotonic

from holodeck_core.api.retry_after import attribute_or_none, seconds_to_wait
from holodeck_core.errors import RateLimited, TransientError

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
LONGEST_REQUESTED_WAIT_S = 60.0


def wait_before(
    attempt: int, error: TransientError, jitter: Callable[[], float] = random.random
) -> float | str:
    """Seconds to wait before the next attempt, or why there is none. ``attempt`` counts those that failed, from 1.

    Without a request of the provider the wait doubles from 1 s to 30 s, of which a random half is left out, so that
    many cases do not come back at once. A requested wait is honoured as it is; one over 60 s ends the turn at once, and
    one that makes no sense is none.
    """
    asked = seconds_to_wait(attribute_or_none(error, "retry_after"))
    if asked is None:
        longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt - 1, 16))
        return max(FIRST_WAIT_S, longest * (0.5 + jitter() / 2))
    if asked > LONGEST_REQUESTED_WAIT_S:
        longest = LONGEST_REQUESTED_WAIT_S
        return f"the provider asks to wait {asked:g} s, and the longest wait is {longest:g} s"
    return asked


class Pace:
    """The pace of one run. ``retries`` is how often a turn is tried again."""

    __slots__ = ("_not_before", "_spread", "retries")

    def __init__(self, retries: int) -> None:
        self.retries = retries
        self._not_before = -math.inf
        self._spread = 0.0

    async def ready(self) -> None:
        """Return when the next message may be sent: at once, unless a provider asked to slow down."""
        while (left := self._not_before - monotonic()) > 0:  # noqa: ASYNC110 - it may have been put off meanwhile
            await asyncio.sleep(left + random.random() * self._spread)  # noqa: S311 - spreads load, hides nothing

    async def again(self, attempt: int, error: TransientError) -> str | None:
        """Wait before another attempt; None when it may be made, else why it is not.

        ``attempt`` counts the attempts that failed, from 1. A provider that asks to slow down holds up all cases.
        """
        if attempt > self.retries:
            return f"given up after {attempt} attempts" if attempt > 1 else ""
        wait = wait_before(attempt, error)
        if isinstance(wait, str):
            return wait
        if isinstance(error, RateLimited):
            self._not_before = max(self._not_before, monotonic() + wait)
            self._spread = min(1.0, wait / 10)
        else:
            await asyncio.sleep(wait)
        return None
