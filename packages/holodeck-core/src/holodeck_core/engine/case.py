"""One case: a session opened for it, its turns in order, the session closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from secrets import token_hex

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import describe
from holodeck_core.api.grader import GraderContext
from holodeck_core.api.suite import BoundCase, Suite
from holodeck_core.engine.outcomes import CaseOutcome, TurnOutcome
from holodeck_core.engine.send import Limits
from holodeck_core.engine.turn import run_turn
from holodeck_core.engine.verdicts import case_status
from holodeck_core.engine.workers import passes_through

CLOSE_TIMEOUT_S = 5.0

TurnDone = Callable[[int, TurnOutcome], None]


async def run_case(
    case: BoundCase, suite: Suite, limits: Limits, turn_done: TurnDone | None = None
) -> CaseOutcome:
    """Hold the conversation of one case. Whatever happens to it is in the outcome; only cancellation passes through."""
    session = await _open(case, suite, limits)
    if isinstance(session, str):
        unsent = [_unsent(session) for _ in case.turns]
        return CaseOutcome("error", unsent, None, _is_checked(case, unsent))
    outcomes: list[TurnOutcome] = []
    previous: list[GraderContext] = []
    stop: str | None = None
    trouble: str | None = None
    try:
        for index, turn in enumerate(case.turns):
            if stop is None:
                outcome = await run_turn(session, turn, index, case.label, previous, limits)
                stop = _why_stop(case, index, outcome)
            else:
                outcome = _unsent(stop)
            outcomes.append(outcome)
            if turn_done is not None:
                turn_done(index, outcome)
    finally:
        trouble = await _close(session)
    checked = _is_checked(case, outcomes)
    return CaseOutcome(case_status(outcomes), outcomes, token_hex(16), checked, (trouble,) if trouble else ())


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


async def _open(case: BoundCase, suite: Suite, limits: Limits) -> Session | str:
    """The session, or why there is none."""
    try:
        async with asyncio.timeout(limits.llm_timeout) as timer:
            session: object = await suite.backend.open(suite.agent, case.ref)
        if isinstance(session, Session):
            return session
        return f"no session could be opened: the backend gave {type(session).__name__}, which is no Session"
    except BaseException as error:
        if passes_through(error):
            raise
        if isinstance(error, TimeoutError) and timer.expired():
            return f"no session was opened within {limits.llm_timeout:g} s (llm_timeout)"
        return f"no session could be opened: {describe(error)}"


async def _close(session: Session) -> str | None:
    """Close the session; what goes wrong is told, and changes no verdict."""
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await session.close()
    except BaseException as error:
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
