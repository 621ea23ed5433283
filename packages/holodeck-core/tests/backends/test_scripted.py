"""The backend `scripted`: which entry answers a message, and what an entry does."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from holodeck_core.api.backend import Session
from holodeck_core.api.reply import (
    Reply,
    ReplyDone,
    ReplyEvent,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UsageReported,
    UserMessage,
    collect,
)
from holodeck_core.backends.scripted import ScriptedBackend
from holodeck_core.errors import AgentError, RateLimited, SessionLost
from holodeck_core.models.agent import Agent
from holodeck_core.models.token_usage import TokenUsage

AGENT = Agent.model_validate({"name": "anyone", "model": {"provider": "scripted"}})


def scripted(*replies: dict[str, Any]) -> ScriptedBackend:
    return ScriptedBackend(ScriptedBackend.Options.model_validate({"replies": list(replies)}), Path())


async def session_of(*replies: dict[str, Any]) -> Session:
    return await scripted(*replies).open(AGENT)


async def events_of(session: Session, text: str = "hi") -> list[ReplyEvent]:
    return [event async for event in session.stream(UserMessage(text))]


@pytest.mark.parametrize(
    ("replies", "sent", "answers"),
    [
        pytest.param(
            [{"reply": "1"}, {"reply": "2"}], ["x", "y", "z"], ["1", "2", None], id="without input, in order"
        ),
        pytest.param(
            [{"reply": "any"}, {"input": "b", "reply": "B"}],
            ["b", "b"],
            ["B", "any"],
            id="an equal input goes first",
        ),
        pytest.param(
            [{"input": "b", "reply": "1"}, {"input": "b", "reply": "2"}],
            ["b", "b", "b"],
            ["1", "2", None],
            id="each entry is used once",
        ),
        pytest.param(
            [{"input": "b", "reply": "B"}], ["a", "b"], [None, "B"], id="another input is left alone"
        ),
        pytest.param([{"input": " b\n", "reply": "B"}], ["b "], ["B"], id="compared trimmed"),
        pytest.param([{"input": "b", "reply": "B"}], ["B"], [None], id="letters count"),
        pytest.param([{}], ["a"], [""], id="an entry may say nothing"),
        pytest.param([], ["a"], [None], id="an empty script"),
    ],
)
async def test_the_first_unused_entry_with_that_input_answers_else_the_next_without_one(
    replies: list[dict[str, Any]], sent: list[str], answers: list[str | None]
) -> None:
    session = await session_of(*replies)
    got: list[str | None] = []
    for text in sent:
        try:
            got.append((await session.send(UserMessage(text))).text)
        except AgentError:
            got.append(None)
    assert got == answers


async def test_none_left_is_an_error_that_says_so() -> None:
    session = await session_of({"input": "a"})
    with pytest.raises(AgentError) as raised:
        await session.send(UserMessage("hello"))
    assert str(raised.value) == 'the script has no reply left for "hello"'


async def test_every_session_plays_the_script_from_its_start() -> None:
    backend = scripted({"reply": "1"}, {"input": "b", "reply": "B"})
    for _ in range(2):
        session = await backend.open(AGENT)
        assert (await session.send(UserMessage("b"))).text == "B"
        assert (await session.send(UserMessage("a"))).text == "1"


FULL: dict[str, Any] = {
    "reply": "It is 3.",
    "calls": [
        {"name": "add", "args": {"a": 1, "b": 2}, "result": 3},
        {"name": "log", "error": "disk full"},
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
}
USAGE = TokenUsage(prompt_tokens=5, completion_tokens=2, total_tokens=7)


async def test_an_entry_gives_text_calls_and_usage() -> None:
    calls = (ToolCall("add", {"a": 1, "b": 2}, 3), ToolCall("log", error="disk full"))
    session = await session_of(FULL)
    assert await session.send(UserMessage("hi")) == Reply("It is 3.", calls, USAGE)


async def test_an_entry_streams_its_calls_then_its_text_then_its_usage() -> None:
    assert await events_of(await session_of({**FULL, "chunks": 2})) == [
        ToolStarted("call_0", "add", {"a": 1, "b": 2}),
        ToolFinished("call_0", 3),
        ToolStarted("call_1", "log"),
        ToolFinished("call_1", error="disk full"),
        TextDelta("It i"),
        TextDelta("s 3."),
        UsageReported(USAGE),
        ReplyDone(),
    ]


async def test_what_a_script_reports_cannot_be_changed() -> None:
    backend = scripted({"calls": [{"name": "f", "args": {"a": [1]}}]})
    reply = await (await backend.open(AGENT)).send(UserMessage("hi"))
    with pytest.raises(TypeError):
        reply.tool_calls[0].args["a"].append(2)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("entry", "pieces"),
    [
        pytest.param({"reply": "abcdefg"}, ["abcdefg"], id="one piece"),
        pytest.param({"reply": "abcdefg", "chunks": 3}, ["ab", "cd", "efg"], id="a number"),
        pytest.param({"reply": "ab", "chunks": 5}, ["a", "b"], id="more than there are characters"),
        pytest.param({"chunks": ["ab", "", "cde"]}, ["ab", "", "cde"], id="their texts"),
        pytest.param({"reply": "", "chunks": 3}, [], id="nothing to cut"),
    ],
)
async def test_chunks_are_the_pieces_of_the_reply(entry: dict[str, Any], pieces: list[str]) -> None:
    events = await events_of(await session_of(entry))
    assert [event.text for event in events if isinstance(event, TextDelta)] == pieces
    assert (await (await session_of(entry)).send(UserMessage("hi"))).text == "".join(pieces)


entries = st.fixed_dictionaries(
    {"reply": st.text(max_size=12)},
    optional={
        "chunks": st.integers(1, 20),
        "usage": st.just(FULL["usage"]),
        "calls": st.lists(st.fixed_dictionaries({"name": st.just("f"), "result": st.integers()}), max_size=3),
    },
)


@given(entries)
async def test_the_stream_collects_to_the_reply(entry: dict[str, Any]) -> None:
    backend = scripted(entry)
    sent = await (await backend.open(AGENT)).send(UserMessage("hi"))
    assert await collect((await backend.open(AGENT)).stream(UserMessage("hi"))) == sent


@pytest.mark.parametrize("streamed", [False, True])
async def test_delay_comes_before_the_reply(streamed: bool) -> None:
    session = await session_of({"reply": "late", "delay": 0.05})
    started = time.perf_counter()
    events = session.stream(UserMessage("hi"))
    await (anext(events) if streamed else session.send(UserMessage("hi")))
    assert time.perf_counter() - started >= 0.045


@pytest.mark.parametrize(
    ("entry", "kind", "text"),
    [
        ({"error": "out of memory"}, AgentError, "out of memory"),
        ({"error": "rate_limit"}, RateLimited, "the script asks to slow down"),
        ({"error": "lost"}, SessionLost, "the script ends the conversation here"),
        (
            {"error": "rate_limit", "calls": [{"name": "f"}]},
            AgentError,
            "the script asks to slow down (not tried again: a tool had already been called in this turn)",
        ),
    ],
    ids=["a text", "rate_limit", "lost", "rate_limit after a call"],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_error_says_how_a_turn_fails(
    entry: dict[str, Any], kind: type[AgentError], text: str, streamed: bool
) -> None:
    session = await session_of(entry)
    with pytest.raises(AgentError) as raised:
        await (events_of(session) if streamed else session.send(UserMessage("hi")))
    assert type(raised.value) is kind
    assert str(raised.value) == text


async def test_a_rate_limit_may_say_how_long_to_wait() -> None:
    session = await session_of({"error": "rate_limit", "retry_after": 2})
    with pytest.raises(RateLimited) as raised:
        await session.send(UserMessage("hi"))
    assert raised.value.retry_after == 2.0


async def test_an_error_strikes_after_calls_and_text() -> None:
    session = await session_of({"reply": "It is", "calls": [{"name": "f"}], "error": "cut off"})
    events: list[ReplyEvent] = []
    with pytest.raises(AgentError, match="cut off"):  # noqa: PT012 - what came before is the point
        async for event in session.stream(UserMessage("hi")):
            events.append(event)  # noqa: PERF401 - a comprehension would keep nothing
    assert events == [ToolStarted("call_0", "f"), ToolFinished("call_0"), TextDelta("It is")]


async def test_timeout_never_answers_and_can_be_cancelled() -> None:
    session = await session_of({"error": "timeout"}, {"reply": "ok"})
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await session.send(UserMessage("hi"))
    assert session.lost is None
    assert (await session.send(UserMessage("hi"))).text == "ok"


async def test_another_attempt_takes_the_next_entry() -> None:
    session = await session_of({"error": "rate_limit"}, {"reply": "ok"})
    with pytest.raises(RateLimited):
        await session.send(UserMessage("hi"))
    assert (await session.send(UserMessage("hi"))).text == "ok"


async def test_after_lost_nothing_is_answered() -> None:
    session = await session_of({"error": "lost"}, {"reply": "ok"})
    for _ in range(2):
        with pytest.raises(SessionLost, match="the script ends the conversation here"):
            await session.send(UserMessage("hi"))
    assert session.lost is not None


@pytest.mark.parametrize(
    ("options", "place"),
    [
        pytest.param({}, ("replies",), id="no replies"),
        pytest.param({"replies": [{"replay": "x"}]}, ("replies", 0, "replay"), id="unknown key"),
        pytest.param({"replies": [{}], "file": "x"}, ("file",), id="a key of another backend"),
        pytest.param({"replies": [{"delay": -1}]}, ("replies", 0, "delay"), id="delay below zero"),
        pytest.param({"replies": [{"delay": True}]}, ("replies", 0, "delay"), id="delay is true"),
        pytest.param(
            {"replies": [{"retry_after": 2}]}, ("replies", 0, "retry_after"), id="retry_after alone"
        ),
        pytest.param(
            {"replies": [{"retry_after": 2, "error": "lost"}]},
            ("replies", 0, "retry_after"),
            id="retry_after beside another error",
        ),
        pytest.param(
            {"replies": [{"reply": "ab", "chunks": ["a", "b"]}]},
            ("replies", 0, "chunks"),
            id="reply and chunks",
        ),
        pytest.param(
            {"replies": [{"calls": [{"args": {}}]}]}, ("replies", 0, "calls", 0, "name"), id="nameless call"
        ),
        pytest.param(
            {"replies": [{"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total": 2}}]},
            ("replies", 0, "usage", "total"),
            id="unknown token count",
        ),
    ],
)
def test_a_mistake_in_a_script_is_refused_at_its_place(
    options: dict[str, Any], place: tuple[str | int, ...]
) -> None:
    with pytest.raises(ValidationError) as raised:
        ScriptedBackend.Options.model_validate(options)
    assert [error["loc"] for error in raised.value.errors()] == [place]
