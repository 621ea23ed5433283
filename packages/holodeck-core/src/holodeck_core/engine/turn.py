"""One turn: send the message, take the reply as evidence, check it."""

from __future__ import annotations

import asyncio
import inspect
from time import perf_counter

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import USER_FAULTS, describe
from holodeck_core.api.grader import GraderContext
from holodeck_core.api.metric import Score
from holodeck_core.api.reply import ToolCall
from holodeck_core.api.suite import BoundMetric, BoundTurn
from holodeck_core.api.tool_checks import ToolChecks
from holodeck_core.engine.evidence import receive
from holodeck_core.engine.outcomes import MetricOutcome, ToolVerdict, TurnOutcome
from holodeck_core.engine.tools import check_tools
from holodeck_core.engine.verdicts import failed_to_score, judge, skipped, turn_status
from holodeck_core.engine.workers import Workers, is_own_cancellation
from holodeck_core.errors import SessionLost


class Limits:
    """What every turn of a run shares: its time limit in seconds, and the worker threads."""

    __slots__ = ("llm_timeout", "workers")

    def __init__(self, llm_timeout: float, workers: Workers) -> None:
        self.llm_timeout = llm_timeout
        self.workers = workers


async def run_turn(
    session: Session,
    turn: BoundTurn,
    index: int,
    case_name: str,
    previous: list[GraderContext],
    limits: Limits,
) -> TurnOutcome:
    """Send one turn and check it. ``previous`` are the turns before it, and this one is added when it was answered."""
    started = perf_counter()
    try:
        async with asyncio.timeout(limits.llm_timeout) as timer:
            reply = await session.send(turn.message)
        response, calls, usage = receive(reply)
    except asyncio.CancelledError as error:
        if is_own_cancellation():
            raise
        return _unanswered(describe(error), started, session.lost)
    except SessionLost as error:
        return _unanswered(f"the session was lost: {error}", started, str(error) or "no reason given")
    except USER_FAULTS as error:  # boundary: what an agent raises costs this turn
        late = isinstance(error, TimeoutError) and timer.expired()
        text = f"no reply within {limits.llm_timeout:g} s (llm_timeout)" if late else describe(error)
        return _unanswered(text, started, session.lost)
    elapsed = (perf_counter() - started) * 1000

    tools = None if turn.tools is None else await _check_tools(turn.tools, calls, limits.workers)
    view = GraderContext(
        turn_input=turn.message.text,
        agent_response=response,
        ground_truth=turn.ground_truth,
        tool_invocations=calls,
        retrieval_context=turn.retrieval_context,
        turn_index=index,
        test_case_name=case_name,
        turn_config=turn.turn_config,
        previous_turns=tuple(previous),
    )
    previous.append(view)
    metrics = tuple([await _score(metric, view, limits.workers) for metric in turn.metrics])
    return TurnOutcome(turn_status((), tools, metrics), response, calls, usage, tools, metrics, (), elapsed)


def _unanswered(error: str, started: float, lost: str | None) -> TurnOutcome:
    return TurnOutcome("error", errors=(error,), duration_ms=(perf_counter() - started) * 1000, lost=lost)


async def _check_tools(checks: ToolChecks, calls: tuple[ToolCall, ...], workers: Workers) -> ToolVerdict:
    if not checks.blocking:
        return check_tools(checks, calls)
    return await workers.call(lambda: check_tools(checks, calls), key="tool matchers")


async def _score(bound: BoundMetric, view: GraderContext, workers: Workers) -> MetricOutcome:
    metric = bound.metric
    for need in metric.needs:
        if getattr(view, need) is None:
            return skipped(bound, f"the turn has no {need}")
    started = perf_counter()
    try:
        if metric.timeout_s is None and not metric.blocking:
            found = metric.score(view)
            outcome = judge(bound, await found if inspect.isawaitable(found) else found)
        else:
            outcome = judge(bound, await _bounded_score(bound, view, workers))
    except asyncio.CancelledError as error:
        if is_own_cancellation():
            raise
        outcome = failed_to_score(bound, describe(error))
    except USER_FAULTS as error:  # boundary: what a metric or a grader raises costs that metric on this turn
        outcome = failed_to_score(bound, describe(error))
    outcome.duration_ms = (perf_counter() - started) * 1000
    return outcome


async def _bounded_score(bound: BoundMetric, view: GraderContext, workers: Workers) -> Score:
    metric = bound.metric
    try:
        async with asyncio.timeout(metric.timeout_s) as timer:
            if metric.blocking:
                found = await workers.call(lambda: metric.score(view), key=metric.identity)
            else:
                found = metric.score(view)
            return await found if inspect.isawaitable(found) else found
    except TimeoutError:
        if timer.expired():
            raise TimeoutError(f"timed out after {metric.timeout_s:g} s") from None
        raise
