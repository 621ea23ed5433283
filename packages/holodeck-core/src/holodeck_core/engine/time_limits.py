"""Limits on how long code of others may take on the event loop, which each pays for itself.

A coroutine that does not await holds up all the others. While it does, their limits do not run: what one blocks is
charged to it alone. The steps of a coroutine are timed for that; what it starts in tasks of its own is not seen.
"""

from __future__ import annotations

import asyncio
import math
import sys
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from time import perf_counter
from typing import Any, TypeVar

from holodeck_core.engine import forks
from holodeck_core.engine.alarms import Alarms
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
        self._alarms: dict[float, Alarms] = {}

    def alarms(self, limit_s: float) -> Alarms:
        """Those of all limits of that length."""
        alarms = self._alarms.get(limit_s)
        if alarms is None:
            alarms = self._alarms[limit_s] = Alarms(limit_s)
        return alarms

    def close(self) -> None:
        """The run is over."""
        for alarms in self._alarms.values():
            alarms.close()

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
        task = asyncio.create_task(_settled(_stepwise(_called(call), account)))
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
        self,
        awaitable: Awaitable[T],
        limit_s: float,
        who: str,
        task: asyncio.Task[Any],
        give_up: Callable[[], None],
    ) -> T:
        """What ``awaitable`` gives, in the ``task`` that calls, as sessions with an agent need it. Raises OutOfTime.

        ``give_up`` is called when it has been cancelled and still has not stopped after ``GRACE_S``: this does not
        return then.
        """
        coroutine = awaitable if isinstance(awaitable, types.CoroutineType) else _awaited(awaitable)
        try:
            watched = _Watched(self, limit_s, who, task, give_up)
        except RuntimeError:  # no loop runs: what was left behind is being thrown away
            coroutine.close()
            raise
        try:
            value: T = await _stepwise(coroutine, watched)
        except BaseException as error:  # boundary: what is awaited may raise anything
            if watched.stop() and isinstance(error, asyncio.CancelledError) and not passes_through(error):
                raise OutOfTime(limit_s, watched.stalled_s) from None
            if not passes_through(error):
                watched.judge(error)
            raise
        watched.stop()
        watched.judge()
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

    __slots__ = ("_blocked_before", "_loop_time", "_own_s", "_who", "limit_s", "stalled_s", "started")

    def __init__(self, loop_time: LoopTime, limit_s: float, who: str) -> None:
        self.limit_s = limit_s
        self.stalled_s = 0.0
        self.started = perf_counter()
        self._loop_time = loop_time
        self._who = who
        self._blocked_before = loop_time.blocked_s
        self._own_s = 0.0

    def left(self) -> float:
        """The seconds that are left of the limit, negative where it is over."""
        by_others = self._loop_time.blocked_s - self._blocked_before - self._own_s
        return self.limit_s + by_others - (perf_counter() - self.started)

    def judge(self, error: BaseException | None = None) -> None:
        """Raise OutOfTime where the limit is over: it swallowed its cancellation, or kept the loop from it."""
        if self.left() < 0:
            raise OutOfTime(self.limit_s, self.stalled_s) from error

    def charge(self, seconds: float) -> None:
        """A step of the coroutine has blocked the event loop."""
        self._own_s += seconds
        self._loop_time.charge(self._who, seconds)


class _Watched(_Account):
    """The account of a coroutine in a task, which is cancelled when the limit is over."""

    __slots__ = ("_alarm", "_alarms", "_expired", "_give_up", "_task")

    def __init__(
        self,
        loop_time: LoopTime,
        limit_s: float,
        who: str,
        task: asyncio.Task[Any],
        give_up: Callable[[], None],
    ) -> None:
        super().__init__(loop_time, limit_s, who)
        self._task = task
        self._give_up = give_up
        self._expired = False
        self._alarm: asyncio.TimerHandle | None = None
        self._alarms = loop_time.alarms(limit_s)
        self._alarms.add(self)

    def look(self, after_s: float | None = None) -> None:
        """The limit may be over, ``after_s`` seconds after the start."""
        loop = asyncio.get_running_loop()
        left = self.left()
        passed = perf_counter() - self.started
        if left > 0:
            self._alarm = loop.call_later(left, self.look, passed + left)
            return
        self.stalled_s = passed - (self.limit_s if after_s is None else after_s)
        self._expired = True
        self._task.cancel()
        self._alarm = loop.call_later(GRACE_S, self._give_up)

    def stop(self) -> bool:
        """The coroutine has ended; whether this had cancelled it. That is taken back."""
        self._alarms.remove(self)
        if self._alarm is not None:
            self._alarm.cancel()
        if self._expired:
            self._task.uncancel()
        return self._expired


async def _settled(awaitable: Awaitable[T]) -> tuple[Any, BaseException | None]:
    """What it returns or raises: a task of its own would let SystemExit out of the event loop."""
    try:
        return await awaitable, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - boundary: whatever ends user code becomes a value
        return None, error


async def _called(call: Callable[[], Awaitable[T]]) -> T:
    return await call()


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


@types.coroutine
def _stepwise(coroutine: Coroutine[Any, Any, T], account: _Account) -> Generator[Any, Any, T]:
    """Await the coroutine; the account is charged with each of its steps that blocks the event loop."""
    step: Callable[[Any], Any] = coroutine.send
    given: Any = None
    generation = forks.generation
    while True:
        began = perf_counter()
        try:
            waits_for = step(given)
        except StopIteration as stop:
            value: T = stop.value
            return value
        finally:
            if forks.generation != generation:
                forks.end_copy(sys.exc_info()[1])
            took = perf_counter() - began
            if took > BLOCKING_S:
                account.charge(took)
        try:
            given = yield waits_for
            step = coroutine.send
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:  # noqa: BLE001 - boundary: handed on to the coroutine, as ``await`` does
            given, step = error, coroutine.throw
