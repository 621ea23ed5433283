"""A conversation without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from holodeck_cli.chat.events import ChatEvent, TryingAgain, TurnDone, TurnFailed
from holodeck_cli.chat.session_manager import ChatSessionManager, StartFailed
from holodeck_core import (
    Agent,
    Backend,
    CaseRef,
    ChatHistory,
    Exchange,
    MessageRole,
    NoOptions,
    ReplyDone,
    ReplyEvent,
    Session,
    SessionLost,
    SessionState,
    Suite,
    TextDelta,
    TokenUsage,
    ToolFinished,
    ToolStarted,
    ToolStatus,
    TransientError,
    UsageReported,
    UserMessage,
)

USAGE = TokenUsage(prompt_tokens=10, completion_tokens=5, total_tokens=15)


class Scene(Session):
    """Plays what a test wrote: for each message a list of events, exceptions and seconds to wait."""

    def __init__(self, acts: list[list[Any]]) -> None:
        self.acts = acts
        self.closed = 0
        self.sent: list[str] = []
        self.restored: Sequence[Exchange] | None = None

    async def stream(self, message: UserMessage) -> AsyncIterator[ReplyEvent]:
        self.sent.append(message.text)
        for step in self.acts.pop(0):
            if isinstance(step, BaseException):
                raise step
            if isinstance(step, float):
                await asyncio.sleep(step)
            else:
                yield step

    async def restore(self, exchanges: Sequence[Exchange]) -> bool:
        self.restored = exchanges
        return True

    async def close(self) -> None:
        self.closed += 1


class Stage(Backend):
    Options = NoOptions

    def __init__(self, *acts: list[Any], fails: BaseException | None = None) -> None:
        super().__init__(NoOptions(), Path())
        self.acts = list(acts)
        self.fails = fails
        self.sessions: list[Scene] = []
        self.closed = False

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        if self.fails is not None:
            raise self.fails
        self.sessions.append(Scene(self.acts))
        return self.sessions[-1]

    async def close(self) -> None:
        self.closed = True


def a_suite(backend: Backend, **keys: Any) -> Suite:
    timeout = keys.pop("llm_timeout", 5.0)
    agent = Agent.model_validate({"name": "desk", "model": {"provider": "openai", "name": "m"}, **keys})
    return Suite(agent=agent, backend=backend, cases=(), llm_timeout=timeout, retries=1)


async def started(*acts: list[Any], max_messages: int = 50, **keys: Any) -> tuple[ChatSessionManager, Stage]:
    stage = Stage(*acts)
    manager = ChatSessionManager(a_suite(stage, **keys), max_messages)
    await manager.start()
    return manager, stage


async def said(manager: ChatSessionManager, text: str) -> list[ChatEvent]:
    return [event async for event in manager.process_message(text)]


async def failure(manager: ChatSessionManager, text: str) -> str:
    last = (await said(manager, text))[-1]
    assert isinstance(last, TurnFailed)
    return last.reason


def text_of(*texts: str) -> list[Any]:
    return [*map(TextDelta, texts), ReplyDone()]


class TestStates:
    async def test_from_the_beginning_to_the_end(self) -> None:
        stage = Stage(text_of("a"))
        manager = ChatSessionManager(a_suite(stage))
        assert manager.chat.state is SessionState.INITIALIZING
        assert await failure(manager, "too early") == "the agent has not been started"
        await manager.start()
        assert manager.chat.state is SessionState.ACTIVE
        await said(manager, "hi")
        assert await manager.shut_down() is None
        assert manager.chat.state is SessionState.TERMINATED
        assert (stage.sessions[0].closed, stage.closed) == (1, True)
        assert await failure(manager, "too late") == "the chat is over"

    @pytest.mark.parametrize("error", [OSError("no desk"), SystemExit(3), SessionLost("gone")], ids=repr)
    async def test_a_failed_start_ends_it(self, error: BaseException) -> None:
        manager = ChatSessionManager(a_suite(Stage(fails=error)))
        with pytest.raises(StartFailed, match=f"the agent could not be started: {type(error).__name__}"):
            await manager.start()
        assert manager.chat.state is SessionState.TERMINATED
        assert await manager.shut_down() is None

    @pytest.mark.parametrize(
        "act", [[SessionLost("gone")], [TextDelta("a"), SessionLost("gone")]], ids=["at once", "in the reply"]
    )
    async def test_a_lost_session_ends_it(self, act: list[Any]) -> None:
        manager, _ = await started(text_of("a"), act)
        await said(manager, "one")
        assert await failure(manager, "two") == "the conversation cannot go on: gone"
        assert manager.chat.state is SessionState.TERMINATED
        assert manager.ended == "the conversation cannot go on: gone"
        assert (len(manager.turns), manager.chat.message_count) == (1, 2)

    @pytest.mark.parametrize("error", [ValueError("x"), TransientError("x"), SystemExit(1)], ids=repr)
    async def test_any_other_failure_does_not(self, error: BaseException) -> None:
        manager, _ = await started([TextDelta("half"), error], text_of("b"))
        assert (await failure(manager, "one")).startswith(type(error).__name__)
        assert manager.chat.state is SessionState.ACTIVE
        assert isinstance((await said(manager, "two"))[-1], TurnDone)

    async def test_clear_begins_another_session(self) -> None:
        manager, stage = await started(text_of("a"), [SessionLost("gone")], text_of("c"))
        first = manager.chat
        await said(manager, "one")
        await said(manager, "two")
        await manager.clear()
        assert manager.chat.session_id != first.session_id
        assert (manager.chat.state, manager.chat.message_count, manager.turns) == (SessionState.ACTIVE, 0, [])
        assert [session.closed for session in stage.sessions] == [1, 0]
        assert isinstance((await said(manager, "three"))[-1], TurnDone)


class TestTurns:
    async def test_events_come_as_they_are_received_and_the_turn_last(self) -> None:
        act = [
            TextDelta("Let me see."),
            ToolStarted("1", "add", {"a": (1, 2)}),
            ToolFinished("1", {3: None}, None, 12.5),
            UsageReported(USAGE),
            TextDelta("It is 3."),
            UsageReported(USAGE),
            ReplyDone("It is 3."),
        ]
        manager, _ = await started(act)
        events = await said(manager, " how much? ")
        assert [type(event).__name__ for event in events] == [
            *("TextDelta", "ToolStarted", "ToolFinished", "UsageReported", "TextDelta", "UsageReported"),
            *("ReplyDone", "TurnDone"),
        ]
        [turn] = manager.turns
        assert (turn.message, turn.reply.text, turn.usage) == ("how much?", "It is 3.", USAGE + USAGE)
        [call] = turn.reply.tool_calls
        assert (call.name, call.args, call.result, call.duration_ms) == (
            "add",
            {"a": [1, 2]},
            {"3": None},
            12.5,
        )
        assert turn.seconds >= 0
        assert datetime.now(UTC) >= turn.at

    async def test_the_history_holds_what_was_said(self) -> None:
        act = [ToolStarted("1", "add", {"a": 1}), ToolFinished("1", 2), *text_of("two")]
        manager, _ = await started(act)
        await said(manager, "one")
        history = manager.chat.history
        assert isinstance(history, ChatHistory)
        assert [(message.role, message.content) for message in history] == [
            (MessageRole.USER, "one"),
            (MessageRole.ASSISTANT, "two"),
        ]
        assert [call.result for call in history[1].tool_calls] == ["2"]
        assert manager.chat.message_count == 2

    async def test_an_empty_reply_is_a_turn_and_no_message(self) -> None:
        manager, _ = await started(text_of("", " \n"))
        assert isinstance((await said(manager, "one"))[-1], TurnDone)
        assert (manager.chat.message_count, len(manager.chat.history), len(manager.turns)) == (1, 1, 1)

    @pytest.mark.parametrize("text", ["", " \n", "x" * 10_001], ids=["empty", "blank", "too long"])
    async def test_what_is_no_message_is_not_sent(self, text: str) -> None:
        manager, stage = await started()
        assert "is not blank and has at most 10,000 characters" in await failure(manager, text)
        assert stage.sessions[0].sent == []

    @pytest.mark.parametrize(
        ("step", "reason"),
        [
            ("text", "a reply is made of reply events, not of str"),
            (TextDelta(3), "a piece of a reply is a string, got int"),  # type: ignore[arg-type]
            (ReplyDone(3), "the text of a reply is a string, got int"),  # type: ignore[arg-type]
            (UsageReported(7), "the usage of a reply is a TokenUsage or a mapping, got int"),  # type: ignore[arg-type]
            (ToolFinished("9"), "the tool call '9' finished without having been started"),
        ],
        ids=lambda value: repr(value)[:40],
    )
    async def test_what_is_no_reply_is_a_failure(self, step: Any, reason: str) -> None:
        manager, _ = await started([step])
        assert reason in await failure(manager, "hi")
        assert (manager.turns, manager.chat.message_count) == ([], 0)

    async def test_what_an_agent_changes_later_changes_nothing(self) -> None:
        args = {"a": [1]}
        manager, _ = await started([ToolStarted("1", "f", args), ToolFinished("1"), *text_of("x")])
        async for event in manager.process_message("hi"):
            if isinstance(event, ToolStarted):
                args["a"].append(2)
        assert manager.turns[0].reply.tool_calls[0].args == {"a": [1]}

    async def test_a_call_without_an_end_is_a_failed_call(self) -> None:
        manager, _ = await started([ToolStarted("1", "f"), *text_of("x")])
        await said(manager, "hi")
        [call] = manager.chat.history[1].tool_calls
        assert call.error_message == "the reply ended before this call finished"

    async def test_a_tool_that_the_agent_does_not_have_is_a_failed_call(self) -> None:
        tools = [{"type": "function", "name": "add", "file": "t.py", "function": "add"}]
        calls = [ToolStarted("1", "add"), ToolFinished("1", 1), ToolStarted("2", "sub"), ToolFinished("2", 1)]
        manager, _ = await started([*calls, *text_of("x")], tools=tools)
        await said(manager, "hi")
        add, sub = manager.chat.history[1].tool_calls
        assert (add.status, sub.status) == (ToolStatus.SUCCESS, ToolStatus.FAILED)
        assert sub.error_message == "the agent file has no tool of this name"


class TestTime:
    async def test_a_reply_that_takes_too_long_fails(self) -> None:
        manager, _ = await started([TextDelta("a"), 5.0], text_of("b"), llm_timeout=0.05)
        assert "TimeoutError: no whole reply within 0.05 s (llm_timeout)" in await failure(manager, "hi")
        assert isinstance((await said(manager, "again"))[-1], TurnDone)

    async def test_the_time_of_whoever_looks_on_does_not_count(self) -> None:
        manager, _ = await started(text_of("a", "b", "c"), llm_timeout=0.3)
        last = None
        async for event in manager.process_message("hi"):
            await asyncio.sleep(0.15)
            last = event
        assert isinstance(last, TurnDone)

    async def test_a_time_out_of_the_agents_own_is_its_failure(self) -> None:
        manager, _ = await started([TimeoutError("database")])
        assert (await failure(manager, "hi")).startswith("TimeoutError: database")


class TestTryingAgain:
    async def test_a_transient_failure_before_anything_came(self) -> None:
        manager, stage = await started([TransientError("busy", retry_after=0)], text_of("ok"))
        first, *_, last = await said(manager, "hi")
        assert first == TryingAgain("TransientError: busy")
        assert isinstance(last, TurnDone)
        assert stage.sessions[0].sent == ["hi", "hi"]

    async def test_no_more_often_than_the_settings_say(self) -> None:
        busy = [TransientError("busy", retry_after=0)]
        manager, stage = await started(list(busy), list(busy))
        assert await failure(manager, "hi") == "TransientError: busy (given up after 2 attempts)"
        assert stage.sessions[0].sent == ["hi", "hi"]

    @pytest.mark.parametrize(
        "act",
        [
            [TextDelta("a"), TransientError("busy", retry_after=0)],
            [ToolStarted("1", "pay"), TransientError("busy", retry_after=0)],
            [TransientError("busy", retry_after=61)],
        ],
        ids=["after text", "after a tool", "too long a wait"],
    )
    async def test_not_after(self, act: list[Any]) -> None:
        manager, stage = await started(act)
        assert (await failure(manager, "hi")).startswith("TransientError: busy")
        assert stage.sessions[0].sent == ["hi"]


class TestCancelling:
    @pytest.mark.parametrize(
        "act",
        [[5.0], [TextDelta("half"), 5.0], [ToolStarted("1", "f"), 5.0]],
        ids=["before", "in the text", "in a call"],
    )
    async def test_it_is_as_before_the_turn(self, act: list[Any]) -> None:
        manager, stage = await started(text_of("a"), act, text_of("c"))
        await said(manager, "one")
        task = asyncio.create_task(said(manager, "two"))
        await asyncio.sleep(0.05)
        assert stage.sessions[0].sent == ["one", "two"]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (len(manager.turns), len(manager.chat.history), manager.chat.message_count) == (1, 2, 2)
        assert manager.chat.state is SessionState.ACTIVE
        await said(manager, "three")
        assert [message.content for message in manager.chat.history] == ["one", "a", "three", "c"]

    async def test_a_session_that_is_lost_by_it_ends(self) -> None:
        manager, stage = await started([5.0])
        task = asyncio.create_task(said(manager, "one"))
        await asyncio.sleep(0.05)
        stage.sessions[0].lost = "given up"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert manager.ended == "the conversation cannot go on: given up"


class TestUsage:
    async def test_the_sum_of_the_turns(self) -> None:
        reported = [UsageReported(USAGE), *text_of("x")]
        manager, _ = await started(list(reported), list(reported), text_of("x"))
        assert manager.usage is None
        await said(manager, "1")
        await said(manager, "2")
        assert manager.usage == USAGE + USAGE
        await said(manager, "3")
        assert manager.usage == (USAGE + USAGE).model_copy(update={"partial": True})


class TestLimit:
    async def test_at_the_limit_nothing_is_sent(self) -> None:
        manager, stage = await started(text_of("a"), text_of("b"), text_of("c"), max_messages=4)
        await said(manager, "1")
        assert manager.refusal() is None
        await said(manager, "2")
        assert await failure(manager, "3") == "this conversation has reached its limit of 4 messages"
        await manager.clear()
        assert isinstance((await said(manager, "3"))[-1], TurnDone)
        assert stage.sessions[0].sent == ["1", "2"]

    @pytest.mark.parametrize(
        ("most", "warned"),
        [(50, [40]), (10, [8]), (4, []), (5, [4]), (100, [80])],
    )
    async def test_the_warning_comes_once(self, most: int, warned: list[int]) -> None:
        manager = ChatSessionManager(a_suite(Stage()), most)
        counts = [
            count for count in range(2, most + 2, 2) if manager.limit.warning(count - 2, count) is not None
        ]
        assert counts == warned


class TestResuming:
    async def test_the_session_is_given_the_conversation_as_it_was_received(self) -> None:
        call = [ToolStarted("1", "f\x1b[2J", {"a": "\x07"}), ToolFinished("1", "\x1b[31m")]
        manager, _ = await started([*call, *text_of("a\x1b[0m")])
        await said(manager, "one")
        other, stage = await started(text_of("b"))
        assert await other.resume(manager.turns)
        [exchange] = stage.sessions[1].restored or ()
        assert exchange == Exchange(UserMessage("one"), manager.turns[0].reply)
        assert exchange.reply.text == "a\x1b[0m"
        assert (other.turns, other.chat.message_count, len(other.chat.history)) == (manager.turns, 2, 2)
        await said(other, "two")
        assert other.chat.message_count == 4

    async def test_a_session_that_fails_to_take_it_over_ends(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def fails(self: Scene, exchanges: Sequence[Exchange]) -> bool:
            raise ValueError("too long")

        monkeypatch.setattr(Scene, "restore", fails)
        manager, _ = await started()
        with pytest.raises(StartFailed, match="could not take the conversation over: ValueError: too long"):
            await manager.resume([])
        assert manager.chat.state is SessionState.TERMINATED


class TestClosing:
    async def test_what_goes_wrong_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def fails(self: Any) -> None:
            raise OSError("stuck")

        manager, _ = await started()
        monkeypatch.setattr(Stage, "close", fails)
        assert (await manager.shut_down() or "").startswith("OSError: stuck")

    async def test_a_history_that_the_session_keeps_is_the_sessions(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Theirs:
            messages: list[str] = []  # noqa: RUF012

        monkeypatch.setattr(Scene, "history", Theirs())
        manager, _ = await started(text_of("a"))
        assert manager.chat.history is Scene.history
        await said(manager, "hi")
        assert (Theirs.messages, manager.chat.message_count) == ([], 2)
