"""One case: a session opened for it, its turns in order, the session closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from secrets import token_hex
from time import perf_counter

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import describe
from holodeck_core.api.grader import GraderContext
from holodeck_core.api.suite import BoundCase, Suite
from holodeck_core.engine.course import Course
from holodeck_core.engine.outcomes import CaseOutcome, TurnOutcome
from holodeck_core.engine.send import AGENT, Limits
from holodeck_core.engine.time_limits import GRACE_S, OutOfTime, end
from holodeck_core.engine.turn import run_turn
from holodeck_core.engine.verdicts import case_status
from holodeck_core.engine.workers import passes_through

CLOSE_TIMEOUT_S = 5.0

TurnDone = Callable[[int, TurnOutcome], None]


async def run_case(
    case: BoundCase, suite: Suite, limits: Limits, turn_done: TurnDone | None = None
) -> CaseOutcome:
    """Hold the conversation of one case. Whatever happens to it is in the outcome; only cancellation passes through.

    It has a task of its own: user code that cancels the task it runs in costs its case, and no other; and one that
    cannot be stopped is left alone with it.
    """
    course = Course(limits.loop_time)
    task = course.begin(_hold(case, suite, limits, course, turn_done))
    try:
        await course.given_up
    except asyncio.CancelledError:
        await end(task)
        raise
    if not task.done():
        return _given_up(case, limits, course, turn_done)
    try:
        return task.result()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - boundary: what ended the task came from within it
        return broken_off(case, describe(error))


async def _hold(
    case: BoundCase, suite: Suite, limits: Limits, course: Course, turn_done: TurnDone | None
) -> CaseOutcome:
    session = await _open(case, suite, limits, course)
    if isinstance(session, str):
        unsent = [_unsent(session) for _ in case.turns]
        return CaseOutcome("error", unsent, None, _is_checked(case, unsent))
    course.opened = True
    outcomes = course.outcomes
    previous: list[GraderContext] = []
    stop: str | None = None
    trouble: str | None = None
    try:
        for index, turn in enumerate(case.turns):
            course.go_on()
            if stop is None:
                outcome = await run_turn(session, turn, index, case.label, previous, limits, course)
                course.go_on()
                stop = _why_stop(case, index, outcome)
            else:
                outcome = _unsent(stop)
            outcomes.append(outcome)
            if turn_done is not None:
                turn_done(index, outcome)
    finally:
        trouble = await _close(session, course)
    checked = _is_checked(case, outcomes)
    return CaseOutcome(case_status(outcomes), outcomes, token_hex(16), checked, (trouble,) if trouble else ())


def _given_up(case: BoundCase, limits: Limits, course: Course, turn_done: TurnDone | None) -> CaseOutcome:
    """The outcome of a case in which the agent did not stop when it was cancelled: what was waited for ran out of time,
    and what would have followed is not sent."""
    alive = f"was cancelled and did not stop within {GRACE_S:g} s more"
    limit = f"{limits.llm_timeout:g} s (llm_timeout)"
    outcomes = list(course.outcomes)
    notes: tuple[str, ...] = ()
    if len(outcomes) == len(case.turns):
        notes = (f"closing the session failed: it {alive}",)
    elif not course.opened:
        outcomes = [_unsent(f"no session was opened within {limit}; the agent {alive}") for _ in case.turns]
    else:
        lost = f"the agent {alive}"
        outcomes.append(
            TurnOutcome(
                "error",
                errors=(f"no reply within {limit}; {lost}: the session is given up",),
                duration_ms=(perf_counter() - course.waits_since) * 1000,
                lost=lost,
            )
        )
        why = _why_stop(case, len(outcomes) - 1, outcomes[-1]) or lost
        outcomes += [_unsent(why) for _ in case.turns[len(outcomes) :]]
    if turn_done is not None and course.opened:
        for index in range(len(course.outcomes), len(outcomes)):
            turn_done(index, outcomes[index])
    session_id = token_hex(16) if course.opened else None
    return CaseOutcome(case_status(outcomes), outcomes, session_id, _is_checked(case, outcomes), notes)


def broken_off(case: BoundCase, why: str) -> CaseOutcome:
    """The outcome of a case that ended from within, so that nothing of it is known."""
    unsent = [_unsent(f"the case was broken off: {why}") for _ in case.turns]
    return CaseOutcome("error", unsent, None, _is_checked(case, unsent))


def _is_checked(case: BoundCase, outcomes: list[TurnOutcome]) -> bool:
    """Whether anything was checked: a metric that was skipped, or that is informational, checks nothing."""
    return any(
        turn.checked
        if found.response is None
        else found.tools is not None or any(metric.passed is not None for metric in found.metrics)
        for turn, found in zip(case.turns, outcomes, strict=True)
    )


async def _open(case: BoundCase, suite: Suite, limits: Limits, course: Course) -> Session | str:
    """The session, or why there is none. One that is late is a session all the same."""
    opened: list[object] = []

    async def open_session() -> None:
        opened.append(await suite.backend.open(suite.agent, case.ref))

    try:
        await course.within(open_session(), limits.llm_timeout, AGENT)
    except OutOfTime as late:
        if not opened:
            then = "" if late.__cause__ is None else f"; then {describe(late.__cause__)}"
            return f"no session was opened within {limits.llm_timeout:g} s (llm_timeout){then}"
    except BaseException as error:  # boundary: a backend may raise anything
        if passes_through(error):
            raise
        return f"no session could be opened: {describe(error, with_place=True)}"
    [session] = opened
    if isinstance(session, Session):
        return session
    return f"no session could be opened: the backend gave {type(session).__name__}, which is no Session"


async def _close(session: Session, course: Course) -> str | None:
    """Close the session; what goes wrong is told, and changes no verdict."""
    if type(session).close is Session.close:  # which does nothing
        return None
    try:
        await course.within(session.close(), CLOSE_TIMEOUT_S, AGENT)
    except OutOfTime as late:
        return f"closing the session failed: {late}"
    except BaseException as error:  # boundary: a backend may raise anything
        if passes_through(error):
            raise
        return f"closing the session failed: {describe(error)}"
    return None


def _why_stop(case: BoundCase, index: int, outcome: TurnOutcome) -> str | None:
    """Why the turns after this one are not sent; None where they are."""
    if outcome.lost is not None:
        return f"not sent: the session was lost in turn {index}: {outcome.lost}"
    for metric in outcome.metrics:
        if metric.ends_case:
            return f"not sent: the metric {metric.name!r} failed in turn {index}, and has fail_on_error"
    if case.on_turn_failure == "stop" and not outcome.passed:
        return f"not sent: turn {index} did not pass, and on_turn_failure is stop"
    return None


def _unsent(reason: str) -> TurnOutcome:
    return TurnOutcome("skipped", errors=(reason,))
