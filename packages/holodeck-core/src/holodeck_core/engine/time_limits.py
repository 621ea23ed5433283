"""Limits on how long code of others may take on the event loop, which each pays for itself.

A coroutine that does not await holds up all the others. While it does, their limits do not run: what one blocks is
charged to it alone. The steps of a coroutine are timed for that; what it starts in tasks of its own is not seen.
"""

from __future__ import annotations

import asyncio
import math
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from time import perf_counter
from typing import Any, TypeVar

from holodeck_core.engine.workers import passes_through

T = TypeVar("T")

BLOCKING_S = 0.1
"""A step that takes longer blocks the event loop."""
TOLD_S = 1.0
"""One that takes longer is told to the user."""
GRACE_S = 6.0
"""What was cancelled and has not ended by then is given up."""


class OutOfTime(Exception):
    """It took longer than it may, whatever came of it. The cause is what it raised in the end, if it did."""

    def __init__(self, limit_s: float, stalled_s: float = 0.0) -> None:
        super().__init__(f"timed out after {limit_s:g} s")
        self.limit_s = limit_s
        self.stalled_s = stalled_s
        """How late the limit was noticed, because something unknown blocked the event loop."""


class LoopTime:
    """Who blocked the event loop of one run, and for how long."""

    def __init__(self) -> None:
        self.blocked_s = 0.0
        self._longest: dict[str, float] = {}

    def charge(self, who: str, seconds: float) -> None:
        """``who`` blocked the loop."""
        self.blocked_s += seconds
        if seconds >= TOLD_S:
            self._longest[who] = max(seconds, self._longest.get(who, 0.0))

    def notes(self) -> tuple[str, ...]:
        """What the user is told, once of each."""
        return tuple(
            f"{who} blocked the event loop, for up to {seconds:.1f} s, so that no other case could go on: in "
            "`async def`, await whatever takes long (`await asyncio.to_thread(...)`), or write `def`, which runs in a "
            "thread"
            for who, seconds in self._longest.items()
        )

    async def apart(self, call: Callable[[], Awaitable[T]], limit_s: float | None, who: str) -> T:
        """What ``call`` gives, awaited in a task of its own. Raises OutOfTime; one that does not stop is left alone."""
        account = _Account(self, math.inf if limit_s is None else limit_s, who)
        task = asyncio.create_task(_settled(account.timed(call)))
        try:
            while not task.done() and (left := account.left()) > 0:
                await asyncio.wait({task}, timeout=None if left == math.inf else left)
        finally:
            if not task.done():
                await end(task)
        if not task.done():
            raise OutOfTime(account.limit_s)
        value: T
        value, error = task.result()
        account.judge(error)
        if error is not None:
            raise error
        return value

    async def within(
        self, call: Callable[[], Awaitable[T]], limit_s: float, who: str, give_up: Callable[[], None]
    ) -> T:
        """What ``call`` gives, awaited in the task that calls, as sessions with an agent need it. Raises OutOfTime.

        ``give_up`` is called when it has been cancelled and still has not stopped after ``GRACE_S``: this does not
        return then.
        """
        account = _Account(self, limit_s, who)
        loop = asyncio.get_running_loop()
        alarm: asyncio.TimerHandle

        def look(due: float) -> None:
            nonlocal alarm
            left = account.left()
            if left > 0:
                alarm = loop.call_later(left, look, perf_counter() + left)
                return
            account.stalled_s = perf_counter() - due
            timer.reschedule(loop.time())
            alarm = loop.call_later(GRACE_S, give_up)

        alarm = loop.call_later(limit_s, look, perf_counter() + limit_s)
        try:
            async with asyncio.timeout(None) as timer:
                try:
                    value = await account.timed(call)
                finally:
                    alarm.cancel()
        except BaseException as error:
            if timer.expired() and isinstance(error, TimeoutError):
                raise OutOfTime(limit_s, account.stalled_s) from None
            if not passes_through(error):
                account.judge(error)
            raise
        account.judge()
        return value


async def end(task: asyncio.Task[Any]) -> None:
    """Cancel the task, and wait until it has ended, but no longer than ``GRACE_S``."""
    task.cancel()
    task.add_done_callback(_forget)
    await asyncio.wait({task}, timeout=GRACE_S)


def _forget(task: asyncio.Task[Any]) -> None:
    """Nobody asks any more what came of it."""
    if not task.cancelled():
        task.exception()


class _Account:
    """The time that one coroutine has taken: all that has passed, but for what others blocked."""

    def __init__(self, loop_time: LoopTime, limit_s: float, who: str) -> None:
        self.limit_s = limit_s
        self.stalled_s = 0.0
        self._loop_time = loop_time
        self._who = who
        self._started = perf_counter()
        self._blocked_before = loop_time.blocked_s
        self._own_s = 0.0

    def left(self) -> float:
        """The seconds that are left of the limit, negative where it is over."""
        by_others = self._loop_time.blocked_s - self._blocked_before - self._own_s
        return self.limit_s + by_others - (perf_counter() - self._started)

    def judge(self, error: BaseException | None = None) -> None:
        """Raise OutOfTime where the limit is over: it swallowed its cancellation, or kept the loop from it."""
        if self.left() < 0:
            raise OutOfTime(self.limit_s, self.stalled_s) from error

    async def timed(self, call: Callable[[], Awaitable[T]]) -> T:
        """What ``call`` gives; the time of each step that blocks is charged to it."""
        return await _stepwise(_called(call), self._charge)

    def _charge(self, seconds: float) -> None:
        self._own_s += seconds
        self._loop_time.charge(self._who, seconds)


async def _settled(coroutine: Coroutine[Any, Any, T]) -> tuple[Any, BaseException | None]:
    """What it returns or raises: a task of its own would let SystemExit out of the event loop."""
    try:
        return await coroutine, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - boundary: whatever ends user code becomes a value
        return None, error


async def _called(call: Callable[[], Awaitable[T]]) -> T:
    return await call()


@types.coroutine
def _stepwise(coroutine: Coroutine[Any, Any, T], charge: Callable[[float], None]) -> Generator[Any, Any, T]:
    """Await the coroutine; ``charge`` is told how long each of its steps took that blocked the event loop."""
    step: Callable[[Any], Any] = coroutine.send
    given: Any = None
    while True:
        began = perf_counter()
        try:
            waits_for = step(given)
        except StopIteration as stop:
            value: T = stop.value
            return value
        finally:
            took = perf_counter() - began
            if took > BLOCKING_S:
                charge(took)
        try:
            given = yield waits_for
            step = coroutine.send
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:  # noqa: BLE001 - handed on to the coroutine, as ``await`` does
            given, step = error, coroutine.throw
