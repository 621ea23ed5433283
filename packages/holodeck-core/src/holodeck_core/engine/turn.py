"""One turn: send the message, take the reply as evidence, check it."""

from __future__ import annotations

import asyncio
import inspect
from time import perf_counter

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import TooManyAbandoned, WorkerFailure, describe
from holodeck_core.api.grader import FirstTurns, GraderContext
from holodeck_core.api.metric import Score
from holodeck_core.api.reply import ToolCall
from holodeck_core.api.suite import BoundMetric, BoundTurn
from holodeck_core.api.tool_checks import ToolChecks
from holodeck_core.engine.course import Course
from holodeck_core.engine.outcomes import MetricOutcome, ToolVerdict, TurnOutcome
from holodeck_core.engine.send import Limits, send
from holodeck_core.engine.time_limits import OutOfTime
from holodeck_core.engine.tools import check_tools, undecided
from holodeck_core.engine.verdicts import failed_to_score, judge, skipped, turn_status
from holodeck_core.engine.workers import Workers, passes_through

MATCH_TIMEOUT_S = 60.0


async def run_turn(
    session: Session,
    turn: BoundTurn,
    index: int,
    case_name: str,
    previous: list[GraderContext],
    limits: Limits,
    course: Course,
) -> TurnOutcome:
    """Send one turn and check it. ``previous`` are the turns before it, and this one is added when it was answered."""
    sent = await send(session, turn.message, limits, course)
    if sent.error is not None:
        return TurnOutcome(
            "error",
            errors=(sent.error,),
            duration_ms=sent.duration_ms,
            lost=sent.lost,
            retry_count=sent.retries,
        )
    tools = None if turn.tools is None else await _check_tools(turn.tools, sent.calls, limits.workers)
    view = GraderContext(
        turn_input=turn.message.text,
        agent_response=sent.response,
        ground_truth=turn.ground_truth,
        tool_invocations=sent.calls,
        retrieval_context=turn.retrieval_context,
        turn_index=index,
        test_case_name=case_name,
        turn_config=turn.turn_config,
        previous_turns=FirstTurns(previous),
    )
    previous.append(view)
    metrics = tuple([await _score(metric, view, limits) for metric in turn.metrics])
    return TurnOutcome(
        turn_status((), tools, metrics),
        sent.response,
        sent.calls,
        sent.usage,
        tools,
        metrics,
        (),
        sent.duration_ms,
        retry_count=sent.retries,
    )


async def _check_tools(checks: ToolChecks, calls: tuple[ToolCall, ...], workers: Workers) -> ToolVerdict:
    if not checks.blocking:
        return check_tools(checks, calls)
    try:
        async with asyncio.timeout(MATCH_TIMEOUT_S):
            return await workers.call(lambda: check_tools(checks, calls), key="tool matchers")
    except TimeoutError:
        return undecided(checks, f"the matchers took longer than {MATCH_TIMEOUT_S:g} s")
    except (TooManyAbandoned, WorkerFailure) as error:
        return undecided(checks, describe(error))


async def _score(bound: BoundMetric, view: GraderContext, limits: Limits) -> MetricOutcome:
    metric = bound.metric
    for need in metric.needs:
        if getattr(view, need) is None:
            return skipped(bound, f"the turn has no {need}")
    started = perf_counter()
    try:
        if metric.timeout_s is None and not metric.blocking:
            found = metric.score(view)
            if not isinstance(found, Score) and inspect.isawaitable(found):
                found = await found
            outcome = judge(bound, found)
        else:
            outcome = judge(bound, await _bounded_score(bound, view, limits))
    except BaseException as error:  # boundary: a metric may raise anything
        if passes_through(error):
            raise
        outcome = failed_to_score(bound, describe(error), describe(error, with_place=True))
    outcome.duration_ms = (perf_counter() - started) * 1000
    return outcome


async def _bounded_score(bound: BoundMetric, view: GraderContext, limits: Limits) -> Score:
    metric = bound.metric

    async def score() -> Score:
        if metric.blocking:
            found = await limits.workers.call(lambda: metric.score(view), key=metric.identity)
        else:
            found = metric.score(view)
        return await found if inspect.isawaitable(found) else found

    try:
        return await limits.loop_time.apart(score, metric.timeout_s, metric.identity)
    except OutOfTime as late:
        raise TimeoutError(str(late)) from late.__cause__
