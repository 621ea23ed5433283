"""Send one message and take what comes back, trying again where that may help."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any

import attrs

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import describe
from holodeck_core.api.reply import ToolCall, UserMessage
from holodeck_core.engine.evidence import receive
from holodeck_core.engine.pace import Pace
from holodeck_core.engine.workers import Workers, passes_through
from holodeck_core.errors import SessionLost, TransientError


class Limits:
    """What every turn of a run shares: the seconds that an attempt may take, the worker threads, the pace."""

    __slots__ = ("llm_timeout", "pace", "workers")

    def __init__(self, llm_timeout: float, workers: Workers, pace: Pace) -> None:
        self.llm_timeout = llm_timeout
        self.workers = workers
        self.pace = pace


@attrs.define(slots=True, eq=False)
class Sent:
    """What came of a message: a response, or the ``error`` because of which there is none.

    ``lost`` says why the conversation cannot go on. ``duration_ms`` is that of the last attempt, ``retries`` counts
    those before it.
    """

    response: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: dict[str, Any] | None = None
    error: str | None = None
    lost: str | None = None
    duration_ms: float = 0.0
    retries: int = 0


async def send(session: Session, message: UserMessage, limits: Limits) -> Sent:
    """Send the message, and again after a TransientError, up to the run's ``retries``. Only cancellation is raised."""
    attempt = 0
    while True:
        await limits.pace.ready()
        started = perf_counter()
        sent = await _attempt(session, message, limits)
        if isinstance(sent, Sent):
            sent.duration_ms = (perf_counter() - started) * 1000
            sent.retries = attempt
            return sent
        attempt += 1
        refused = session.lost or await limits.pace.again(attempt, sent)
        if refused is not None:
            duration_ms = (perf_counter() - started) * 1000
            error = f"{describe(sent)} ({refused})" if refused else describe(sent)
            return Sent(error=error, lost=session.lost, duration_ms=duration_ms, retries=attempt - 1)


async def _attempt(session: Session, message: UserMessage, limits: Limits) -> Sent | TransientError:
    started = perf_counter()
    try:
        async with asyncio.timeout(limits.llm_timeout) as timer:
            reply = await session.send(message)
        if (
            timer.expired() or perf_counter() - started > limits.llm_timeout
        ):  # it swallowed the cancellation, or blocked
            return Sent(error=_late(limits), lost=session.lost)
        return Sent(*receive(reply))
    except TransientError as error:
        return error
    except SessionLost as error:
        return Sent(error=f"the session was lost: {error}", lost=str(error) or "no reason given")
    except BaseException as error:
        if passes_through(error):
            raise
        late = isinstance(error, TimeoutError) and timer.expired()
        return Sent(error=_late(limits) if late else describe(error), lost=session.lost)


def _late(limits: Limits) -> str:
    return f"no reply within {limits.llm_timeout:g} s (llm_timeout)"
