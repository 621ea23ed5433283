"""How turns and cases run: order, sessions, faults, cancellation."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core import (
    Reply,
    RunError,
    Score,
    SessionLost,
    TokenUsage,
    ToolCall,
    TransientError,
    run_suite,
    run_suite_sync,
)
from holodeck_core.models.token_usage import MAX_TOKENS

MOST = TokenUsage(prompt_tokens=MAX_TOKENS, completion_tokens=0, total_tokens=MAX_TOKENS)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.001)


async def test_turns_of_a_case_run_in_order_and_only_after_the_reply_before(suite_of: Any, turn: Any) -> None:
    log: list[str] = []

    async def talk(text: str) -> str:
        log.append(f"sent {text}")
        await asyncio.sleep(0.01)
        log.append(f"answered {text}")
        return text

    await run_suite(suite_of(talk, [turn("a"), turn("b")]))
    assert log == ["sent a", "answered a", "sent b", "answered b"]


@pytest.mark.parametrize(("parallel", "most"), [(1, 1), (3, 3), (50, 6)])
async def test_cases_run_side_by_side_up_to_the_limit(
    suite_of: Any, turn: Any, parallel: int, most: int
) -> None:
    under_way = highest = 0

    async def talk(text: str) -> str:
        nonlocal under_way, highest
        under_way += 1
        highest = max(highest, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return text

    await run_suite(suite_of(talk, *[[turn()] for _ in range(6)], parallel=parallel))
    assert highest == most


async def test_results_come_in_file_order_whatever_finishes_first(suite_of: Any, turn: Any) -> None:
    async def talk(text: str) -> str:
        await asyncio.sleep(float(text))
        return text

    suite = suite_of(talk, [turn("0.06")], [turn("0.03")], [turn("0")], parallel=3)
    assert [result.test_input async for result in run_suite(suite)] == ["0.06", "0.03", "0"]
    report = await run_suite(suite)
    assert [result.index for result in report.results] == [0, 1, 2]


async def test_a_result_is_told_as_soon_as_it_and_all_before_it_are_there(suite_of: Any, turn: Any) -> None:
    gate = asyncio.Event()

    async def talk(text: str) -> str:
        if text == "slow":
            await gate.wait()
        return text

    async for result in run_suite(suite_of(talk, [turn("quick")], [turn("slow")])):
        if result.test_input == "quick":
            assert not gate.is_set()
            gate.set()
    assert result.test_input == "slow"


async def test_an_agent_that_never_waits_leaves_the_loop_to_others_between_cases(
    suite_of: Any, turn: Any
) -> None:
    async def talk(text: str) -> str:
        return text

    run = run_suite(suite_of(talk, *[[turn(str(number))] for number in range(100)]))
    asyncio.get_running_loop().call_later(0, run.stop)
    report = await run
    assert not report.complete
    assert report.summary.total_tests < 100


async def test_each_case_has_a_session_of_its_own_and_every_session_is_closed(
    suite_of: Any, turn: Any
) -> None:
    suite = suite_of(str, [turn("a"), turn("b")], [turn("c")])
    await run_suite(suite)
    assert [case.index for case in suite.backend.opened] == [0, 1]
    assert [case.index for case in suite.backend.closed] == [0, 1]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (RuntimeError("no luck"), "RuntimeError: no luck"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError("upstream"), "TimeoutError: upstream"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_an_agent_raises_costs_its_turn_and_nothing_else(
    suite_of: Any, turn: Any, fault: BaseException, error: str
) -> None:
    async def talk(text: str) -> str:
        if text == "bad":
            raise fault
        return text

    report = await run_suite(suite_of(talk, [turn("bad"), turn("good")], [turn("other")]))
    case, other = report.results
    assert case.turns is not None
    assert [t.status for t in case.turns] == ["error", "passed"]
    [told] = case.turns[0].errors
    assert re.fullmatch(rf"{re.escape(error)} \(test_running\.py:\d+ in talk\)", told), (
        "with the place in the user's code"
    )
    assert (case.status, case.passed, other.status) == ("error", False, "passed")
    assert case.turns[0].response is None
    assert case.errors == [f"[turn 0] {told}"]
    assert (report.summary.failed, report.summary.errored) == (1, 1)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Reply(5), "the text of a reply is a string, got int"),  # type: ignore[arg-type]
        (Reply("x", ["f"]), "the tool calls of a reply are ToolCall values, got str"),  # type: ignore[list-item]
        (None, "a session replies with a Reply, got NoneType"),
        (Reply("x", usage={"prompt_tokens": -1}), "the usage of a reply cannot be read: prompt_tokens: "),
        (
            Reply("x", usage={"prompt_tokens": 10**5000, "completion_tokens": 1}),
            "the usage of a reply cannot be read: prompt_tokens: ",
        ),
        (Reply("x", usage=MOST + MOST), "the usage of a reply cannot be read: prompt_tokens: "),
        (Reply("x", usage=5), "the usage of a reply is a TokenUsage or a mapping, got int"),  # type: ignore[arg-type]
    ],
    ids=["text", "call", "none", "usage", "endless usage", "a sum of usages", "no usage"],
)
async def test_a_reply_that_is_none_is_the_error_of_its_turn(
    suite_of: Any, turn: Any, answer: Any, error: str
) -> None:
    report = await run_suite(suite_of(lambda _: answer, [turn()]))
    assert error in report.results[0].errors[0]
    assert report.results[0].status == "error"


async def test_an_agent_that_cancels_the_task_it_runs_in_costs_its_case_only(
    suite_of: Any, turn: Any
) -> None:
    async def talk(text: str) -> str:
        if text == "cancels":
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)
        return text

    suite = suite_of(talk, [turn("first")], [turn("cancels")], [turn("last")])
    report = await run_suite(suite)
    assert report.complete
    assert [result.status for result in report.results] == ["passed", "error", "passed"]
    assert "broken off: CancelledError" in report.results[1].errors[0]
    assert len(suite.backend.opened) == len(suite.backend.closed) == 3


class Whole(BaseException):
    """What some frameworks end a test with."""


@pytest.mark.parametrize("fault", [Whole("own"), SystemExit(1)], ids=["own", "exit"])
async def test_what_is_no_exception_costs_no_more_than_its_part(
    suite_of: Any, turn: Any, metric: Any, fault: BaseException
) -> None:
    def judge(view: Any) -> Score:
        raise fault

    async def talk(text: str) -> str:
        await asyncio.sleep(0)
        if text == "bad":
            raise fault
        return text

    suite = suite_of(talk, [turn("bad")], [turn("x", metrics=(metric(judge),))], [turn("y")])
    report = await run_suite(suite)
    assert [result.status for result in report.results] == ["error", "error", "passed"]
    assert all(type(fault).__name__ in result.errors[0] for result in report.results[:2])


@pytest.mark.parametrize("duration", [float("nan"), float("inf"), -1, 10**400, "soon"], ids=str)
async def test_a_duration_that_is_none_is_left_out(suite_of: Any, turn: Any, duration: Any) -> None:
    call = ToolCall("f", duration_ms=duration)
    report = await run_suite(suite_of(lambda text: Reply(text, [call]), [turn()]))
    assert report.results[0].passed
    assert report.results[0].tool_invocations[0].duration_ms is None


async def test_a_late_reply_is_none_where_the_agent_swallowed_its_cancellation(
    suite_of: Any, turn: Any
) -> None:
    async def talk(text: str) -> str:
        with contextlib.suppress(BaseException):
            await asyncio.sleep(9)
        return "as if nothing had happened"

    report = await run_suite(suite_of(talk, [turn()], llm_timeout=0.05))
    [error] = report.results[0].errors
    assert error.startswith("[turn 0] no reply within 0.05 s (llm_timeout)")


async def test_a_late_reply_is_none_where_the_agent_blocked_the_loop(suite_of: Any, turn: Any) -> None:
    def talk(text: str) -> str:
        time.sleep(0.1)
        return text

    report = await run_suite(suite_of(talk, [turn()], llm_timeout=0.05))
    assert report.results[0].status == "error"


async def test_what_a_backend_gives_must_be_a_session(suite_of: Any, turn: Any) -> None:
    suite = suite_of(str, [turn()])

    async def opens_nothing(agent: Any, case: Any) -> None:
        return None

    suite.backend.open = opens_nothing
    report = await run_suite(suite)
    assert "the backend gave NoneType, which is no Session" in report.results[0].errors[0]


async def test_a_backend_that_fails_to_close_costs_nothing_and_is_told(suite_of: Any, turn: Any) -> None:
    suite = suite_of(str, [turn()])

    async def close() -> None:
        raise RuntimeError("still in use")

    suite.backend.close = close
    run = run_suite(suite)
    assert (await run).summary.passed == 1
    assert run.notes == ("closing the backend failed: RuntimeError: still in use",)


async def test_a_session_that_opens_late_is_used_and_closed_all_the_same(suite_of: Any, turn: Any) -> None:
    suite = suite_of(str, [turn()], llm_timeout=0.05)
    opening = suite.backend.open

    async def open_it(agent: Any, case: Any) -> Any:
        time.sleep(0.1)  # noqa: ASYNC251 - that is the mistake
        return await opening(agent, case)

    suite.backend.open = open_it
    report = await run_suite(suite)
    assert report.results[0].passed
    assert len(suite.backend.opened) == len(suite.backend.closed) == 1


async def test_a_turn_without_a_reply_in_time_is_an_error_and_the_next_is_tried(
    suite_of: Any, turn: Any
) -> None:
    async def talk(text: str) -> str:
        await asyncio.sleep(9 if text == "slow" else 0)
        return text

    report = await run_suite(suite_of(talk, [turn("slow"), turn("quick")], llm_timeout=0.05))
    turns = report.results[0].turns
    assert turns is not None
    [error] = turns[0].errors
    assert error.startswith("no reply within 0.05 s (llm_timeout)")
    assert turns[1].status == "passed"


async def test_a_lost_session_skips_the_turns_that_remain(suite_of: Any, turn: Any) -> None:
    def talk(text: str) -> str:
        if text == "b":
            raise SessionLost("gone")
        return text

    report = await run_suite(suite_of(talk, [turn("a"), turn("b"), turn("c")]))
    case = report.results[0]
    assert case.turns is not None
    assert [(t.status, t.skipped) for t in case.turns] == [
        ("passed", False),
        ("error", False),
        ("skipped", True),
    ]
    assert "the session was lost in turn 1: gone" in case.turns[2].errors[0]
    assert not case.passed


async def _late(text: str) -> str:
    await asyncio.sleep(9)
    return text


async def _lost_when_late(text: str) -> str:
    try:
        return await _late(text)
    except asyncio.CancelledError:
        raise SessionLost("gone") from None


def _raises(error: Exception) -> Callable[[str], str]:
    def talk(text: str) -> str:
        raise error

    return talk


@pytest.mark.parametrize(
    ("fails", "says"),
    [
        (_raises(ValueError("no")), True),
        (_raises(TransientError("busy", retry_after=0)), True),
        (_late, True),
        (_lost_when_late, False),
    ],
    ids=["failure", "transient", "late", "lost when late"],
)
async def test_a_session_that_is_lost_by_a_failure_is_sent_nothing_more(
    suite_of: Any, turn: Any, fails: Any, says: bool
) -> None:
    sent: list[str] = []

    def talk(text: str) -> Any:
        sent.append(text)
        if says:
            sessions[0].lost = "gone"
        return fails(text)

    suite = suite_of(talk, [turn("a"), turn("b")], llm_timeout=0.2, retries=3)
    sessions: list[Any] = []
    opening = suite.backend.open

    async def open_it(agent: Any, case: Any) -> Any:
        sessions.append(await opening(agent, case))
        return sessions[-1]

    suite.backend.open = open_it
    report = await run_suite(suite)
    first, second = report.results[0].turns or ()
    assert (sent, first.status, first.retry_count, second.status) == (["a"], "error", 0, "skipped")
    assert second.errors == ["not sent: the session was lost in turn 0: gone"]


@pytest.mark.parametrize(
    ("said", "rule", "statuses"),
    [
        ("a", "continue", ["failed", "passed"]),
        ("a", "stop", ["failed", "skipped"]),
        ("raise", "continue", ["error", "passed"]),
        ("raise", "stop", ["error", "skipped"]),
        ("b", "stop", ["passed", "passed"]),
    ],
)
async def test_a_turn_that_did_not_pass_stops_its_case_only_where_that_is_asked_for(
    suite_of: Any, turn: Any, metric: Any, said: str, rule: str, statuses: list[str]
) -> None:
    def talk(text: str) -> str:
        if text == "raise":
            raise ValueError(text)
        return text

    turns = [turn(said, ground_truth="b", metrics=(metric(),)), turn("c")]
    report = await run_suite(suite_of(talk, turns, on_turn_failure=rule))
    assert report.results[0].turns is not None
    assert [t.status for t in report.results[0].turns] == statuses
    assert report.results[0].status == statuses[0]


async def test_a_backend_that_cannot_open_a_session_costs_the_case(suite_of: Any, turn: Any) -> None:
    suite = suite_of(str, [turn("a"), turn("b")], [turn("c")])
    opening = suite.backend.open

    async def first_fails(agent: Any, case: Any) -> Any:
        if case.index == 0:
            raise ConnectionError("refused")
        return await opening(agent, case)

    suite.backend.open = first_fails
    report = await run_suite(suite)
    assert [result.status for result in report.results] == ["error", "passed"]
    assert report.results[0].turns is not None
    assert all(t.skipped and "ConnectionError: refused" in t.errors[0] for t in report.results[0].turns)


async def test_cancelling_a_run_closes_every_open_session(suite_of: Any, turn: Any) -> None:
    suite = suite_of(lambda _: asyncio.sleep(9), *[[turn()] for _ in range(4)], parallel=3)
    run = run_suite(suite)
    task = asyncio.ensure_future(_result_of(run))
    await until(lambda: len(suite.backend.opened) == 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(suite.backend.opened) == len(suite.backend.closed) == 3
    with pytest.raises(RunError, match="an earlier caller cancelled the run"):
        await run


async def test_stopping_starts_no_further_case_and_lets_those_under_way_finish(
    suite_of: Any, turn: Any
) -> None:
    gate = asyncio.Event()

    async def talk(text: str) -> str:
        await gate.wait()
        return text

    suite = suite_of(talk, *[[turn(str(number))] for number in range(6)], parallel=2)
    run = run_suite(suite)
    waiting = asyncio.ensure_future(_result_of(run))
    await until(lambda: len(suite.backend.opened) == 2)
    run.stop()
    gate.set()
    report = await waiting
    assert [result.test_input for result in report.results] == ["0", "1"]
    assert (report.complete, report.summary.passed) == (False, 2)
    assert len(suite.backend.opened) == len(suite.backend.closed) == 2


async def test_stopping_cancels_what_does_not_finish_within_the_grace(suite_of: Any, turn: Any) -> None:
    async def talk(text: str) -> str:
        await asyncio.sleep(0 if text == "quick" else 9)
        return text

    suite = suite_of(talk, [turn("quick")], [turn("slow")], [turn("never")])
    run = run_suite(suite)
    waiting = asyncio.ensure_future(_result_of(run))
    await until(lambda: len(suite.backend.opened) == 2)
    run.stop(grace_s=0.05)
    report = await waiting
    assert [result.test_input for result in report.results] == ["quick"]
    assert not report.complete
    assert len(suite.backend.opened) == len(suite.backend.closed) == 2


async def test_results_of_a_stopped_run_come_in_file_order_though_some_are_missing(
    suite_of: Any, turn: Any
) -> None:
    async def talk(text: str) -> str:
        await asyncio.sleep(9 if text == "1" else 0)
        return text

    suite = suite_of(talk, *[[turn(str(number))] for number in range(4)], parallel=2)
    run = run_suite(suite)

    async def stop() -> None:
        await until(lambda: len(suite.backend.closed) == 3)
        run.stop(grace_s=0.05)

    stopping = asyncio.ensure_future(stop())
    assert [result.test_input async for result in run] == ["0", "2", "3"]
    await stopping


async def test_leaving_the_iteration_ends_the_run(suite_of: Any, turn: Any) -> None:
    async def talk(text: str) -> str:
        await asyncio.sleep(0.01 if text == "first" else 9)
        return text

    suite = suite_of(talk, [turn("first")], [turn("second")])
    results = run_suite(suite).__aiter__()
    assert (await results.__anext__()).test_input == "first"
    await results.aclose()  # type: ignore[attr-defined]
    assert len(suite.backend.opened) == len(suite.backend.closed)


async def test_a_failing_close_is_told_and_changes_no_verdict(suite_of: Any, turn: Any) -> None:
    suite = suite_of(str, [turn("a")])
    suite.backend.closed = None  # so that closing raises
    report = await run_suite(suite)
    assert report.results[0].passed
    assert "closing the session failed: AttributeError" in report.results[0].errors[0]


def test_a_suite_runs_from_code_without_a_loop(suite_of: Any, turn: Any) -> None:
    report = run_suite_sync(suite_of(str, [turn("a")]))
    assert (report.complete, report.summary.total_tests, report.summary.passed) == (True, 1, 1)


async def test_select_picks_the_cases_and_keeps_their_places(suite_of: Any, turn: Any) -> None:
    suite = suite_of(str, *[[turn(str(number))] for number in range(5)])
    report = await run_suite(suite, select=lambda case: case.index in (1, 3))
    assert [(result.index, result.test_input) for result in report.results] == [(1, "1"), (3, "3")]


async def test_nothing_that_an_agent_does_later_changes_the_evidence(suite_of: Any, turn: Any) -> None:
    args: dict[Any, Any] = {
        "items": [1, (2, 3)],
        4: {5.5},
        "bad": float("nan"),
        "self": object,
    }
    call = ToolCall("f", args)

    def talk(text: str) -> Reply:
        if text == "later":
            args["items"].append("changed")
            args.clear()
        return Reply("x", [call])

    report = await run_suite(suite_of(talk, [turn("first"), turn("later")]))
    assert report.results[0].turns is not None
    first = report.results[0].turns[0].tool_invocations[0].args
    assert first == {"items": [1, [2, 3]], "4": [5.5], "bad": "nan", "self": "<class 'object'>"}


@pytest.mark.parametrize(
    "write",
    [
        lambda view: view.tool_invocations[0].args.update(a=2),
        lambda view: view.tool_invocations[0].args["a"].append(2),
        lambda view: view.turn_config.__setitem__("k", 1),
        lambda view: setattr(view, "agent_response", "better"),
    ],
    ids=["args", "deep", "config", "response"],
)
async def test_nothing_a_plugin_does_can_change_recorded_evidence(
    suite_of: Any, turn: Any, metric: Any, write: Any
) -> None:
    def meddle(view: Any) -> Score:
        write(view)
        return Score(1.0, True)

    talk = lambda _: Reply("x", [ToolCall("f", {"a": [1]})])  # noqa: E731
    report = await run_suite(suite_of(talk, [turn(metrics=(metric(meddle),))]))
    result = report.results[0]
    assert result.tool_invocations[0].args == {"a": [1]}
    assert result.metric_results[0].status == "error"


async def test_a_blocking_metric_does_not_slow_another_case(suite_of: Any, turn: Any, metric: Any) -> None:
    begun, answered = threading.Event(), threading.Event()

    def slow(view: Any) -> Score:
        begun.set()
        return Score(1.0, answered.wait(10))

    async def talk(text: str) -> str:
        if text == "other":
            await until(begun.is_set)
            answered.set()
        return text

    cases = [[turn(metrics=(metric(slow, blocking=True),))], [turn("other")]]
    report = await run_suite(suite_of(talk, *cases, parallel=2))
    assert report.summary.passed == 2


async def test_a_hanging_metric_ends_at_its_timeout(suite_of: Any, turn: Any, metric: Any) -> None:
    release = threading.Event()
    try:
        bound = metric(lambda _: release.wait(20), blocking=True, timeout_s=0.1)
        report = await run_suite(suite_of(str, [turn(metrics=(bound,))]))
    finally:
        release.set()
    found = report.results[0].metric_results[0]
    assert (found.status, found.error) == ("error", "TimeoutError: timed out after 0.1 s")


async def test_after_sixteen_threads_that_never_came_back_a_metric_is_not_called_again(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    release = threading.Event()
    started: list[int] = []

    def hang(view: Any) -> Score:
        started.append(1)
        release.wait(20)
        return Score(1.0)

    try:
        bound = metric(hang, blocking=True, timeout_s=0.05)
        other = metric(lambda _: Score(1.0), name="other", blocking=True)
        other.metric.__class__ = type("Other", (type(other.metric),), {})
        report = await run_suite(suite_of(str, *[[turn(metrics=(bound, other))] for _ in range(20)]))
    finally:
        release.set()
    assert len(started) == 16
    last = report.results[-1].metric_results
    assert "not called" in str(last[0].error)
    assert (last[1].score, last[1].error) == (1.0, None)


async def _result_of(run: Any) -> Any:
    return await run


async def test_runs_that_share_a_suite_close_its_backend_once_after_the_last(
    suite_of: Any, turn: Any
) -> None:
    sent: list[str] = []
    closed: list[str] = []

    async def talk(text: str) -> str:
        sent.append(text)
        await until(lambda: len(sent) > 1)
        return "open" if not closed else "closed"

    async def close() -> None:
        closed.append("closed")

    suite = suite_of(talk, [turn()])
    suite.backend.close = close
    first = asyncio.ensure_future(run_suite(suite).wait())
    await until(lambda: len(sent) == 1)
    later = await run_suite(suite)
    await first
    assert (later.results[0].agent_response, closed) == ("open", ["closed"])
    await run_suite(suite)
    assert closed == ["closed", "closed"]


@pytest.mark.parametrize("fails", [False, True])
async def test_a_backend_is_warmed_up_once_before_the_clock_of_any_turn_runs(
    suite_of: Any, turn: Any, fails: bool
) -> None:
    log: list[str] = []

    async def warm_up() -> None:
        log.append("warming up")
        await asyncio.sleep(0.3)
        log.append("warm")
        if fails:
            raise RuntimeError("cold")

    suite = suite_of(
        lambda text: log.append(text) or text, [turn("a")], [turn("b")], parallel=2, llm_timeout=0.2
    )
    suite.backend.warm_up = warm_up
    run = run_suite(suite)
    report = await run
    assert [result.status for result in report.results] == ["passed", "passed"]
    assert log == ["warming up", "warm", "a", "b"]
    assert run.notes == (("warming up the backend failed: RuntimeError: cold",) if fails else ())
