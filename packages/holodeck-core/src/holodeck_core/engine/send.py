"""Send one message and take what comes back, trying again where that may help."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import attrs

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import describe
from holodeck_core.api.reply import ToolCall, UserMessage
from holodeck_core.api.values import text_of
from holodeck_core.engine.course import Course
from holodeck_core.engine.evidence import receive
from holodeck_core.engine.pace import Pace
from holodeck_core.engine.time_limits import BLOCKING_S, LoopTime, OutOfTime
from holodeck_core.engine.workers import Workers, passes_through
from holodeck_core.errors import SessionLost, TransientError

AGENT = "the agent"


class Limits:
    """What every turn of a run shares: the seconds that an attempt may take, the worker threads, the pace, and the time
    of the event loop."""

    __slots__ = ("llm_timeout", "loop_time", "pace", "workers")

    def __init__(self, llm_timeout: float, workers: Workers, pace: Pace) -> None:
        self.llm_timeout = llm_timeout
        self.workers = workers
        self.pace = pace
        self.loop_time = LoopTime()


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


async def send(session: Session, message: UserMessage, limits: Limits, course: Course) -> Sent:
    """Send the message, and again after a TransientError, up to the run's ``retries``. Only cancellation is raised."""
    attempt = 0
    while True:
        await limits.pace.ready()
        started = perf_counter()
        sent = await _attempt(session, message, limits, course)
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


async def _attempt(
    session: Session, message: UserMessage, limits: Limits, course: Course
) -> Sent | TransientError:
    try:
        reply = await course.within(session.send(message), limits.llm_timeout, AGENT)
        return Sent(*receive(reply))
    except OutOfTime as late:
        cause = late.__cause__
        told = (
            no_reply(late) if cause is None else f"{no_reply(late)}; then {describe(cause, with_place=True)}"
        )
        return Sent(error=told, lost=session.lost or _why_lost(cause))
    except TransientError as error:
        return error
    except SessionLost as error:
        return Sent(error=f"the session was lost: {text_of(error)}", lost=_why_lost(error))
    except BaseException as error:  # boundary: an agent may raise anything
        if passes_through(error):
            raise
        return Sent(error=describe(error, with_place=True), lost=session.lost)


def no_reply(late: OutOfTime) -> str:
    """That the reply took too long; and that it may be no fault of the agent's, where something blocked the loop."""
    told = f"no reply within {late.limit_s:g} s (llm_timeout)"
    if late.stalled_s < BLOCKING_S:
        return told
    return f"{told}; at that time something blocked the event loop for {late.stalled_s:.1f} s"


def _why_lost(error: BaseException | None) -> str | None:
    return text_of(error) or "no reason given" if isinstance(error, SessionLost) else None
