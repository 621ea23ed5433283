"""The backend `python`: the forms an agent may have, what it may say, and what may go wrong in it."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import pytest

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
)
from holodeck_core.backends.python import PythonBackend
from holodeck_core.errors import AgentError, RateLimited, SessionLost, TransientError
from holodeck_core.models.agent import Agent
from holodeck_core.models.test_case import FileInput
from holodeck_core.models.token_usage import TokenUsage

Module: TypeAlias = Callable[[str], str]
Open: TypeAlias = Callable[..., Awaitable[Session]]

HELLO = UserMessage("hello")
USAGE = TokenUsage(prompt_tokens=1, completion_tokens=2, total_tokens=3)


@pytest.fixture
def open_agent(module: Module, tmp_path: Path, agent: Agent) -> Open:
    """A session with what `make` of this source returns; the module is `session.module` then."""

    async def open_agent(source: str, factory: str = "make") -> Session:
        name = module(source)
        backend = PythonBackend(PythonBackend.Options(agent=f"{name}:{factory}"), tmp_path)
        session = await backend.open(agent)
        session.module = sys.modules[name]  # type: ignore[attr-defined]
        return session

    return open_agent


def module_of(session: Session) -> ModuleType:
    module: ModuleType = session.module  # type: ignore[attr-defined]
    return module


async def events_of(session: Session) -> list[ReplyEvent]:
    return [event async for event in session.stream(HELLO)]


FORMS = """
    import functools
    from holodeck_core.api.reply import Reply, ReplyDone, TextDelta

    class Sync:
        def send(self, message):
            return message.text.upper()

    class Async:
        async def send(self, message):
            return message.text.upper()

    class Stream:
        async def stream(self, message):
            yield TextDelta(message.text[:2].upper())
            yield TextDelta(message.text[2:].upper())
            yield ReplyDone()

    class Both(Stream):
        def send(self, message):
            raise AssertionError("a stream goes before send")

    class SendBesideAnotherStream(Async):
        stream = staticmethod(print)

    class StreamBehindCoroutine:
        async def stream(self, message):
            return Stream().stream(message)

    class StreamBehindFunction:
        def stream(self, message):
            return Stream().stream(message)

    class CoroutineBehindFunction:
        def send(self, message):
            return Async().send(message)

    def logged(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)
        return wrapper

    class Decorated:
        @logged
        async def send(self, message):
            return message.text.upper()

    class Callable:
        def __call__(self, text):
            return text.upper()

    class AsyncCallable:
        async def __call__(self, text):
            return text.upper()

    class SaysReply:
        async def send(self, message):
            return Reply(message.text.upper())

    def function():
        return str.upper

    def coroutine_function():
        async def answer(text):
            return text.upper()
        return answer

    def generator_function():
        return Stream().stream

    def partial():
        return functools.partial(lambda suffix, text: text.upper() + suffix, "")
"""


@pytest.mark.parametrize(
    "factory",
    [
        "Sync",
        "Async",
        "Stream",
        "Both",
        "SendBesideAnotherStream",
        "StreamBehindCoroutine",
        "StreamBehindFunction",
        "CoroutineBehindFunction",
        "Decorated",
        "Callable",
        "AsyncCallable",
        "SaysReply",
        "function",
        "coroutine_function",
        "generator_function",
        "partial",
    ],
)
async def test_every_form_of_agent_answers_and_streams(open_agent: Open, factory: str) -> None:
    session = await open_agent(FORMS, factory)
    assert await session.send(HELLO) == Reply("HELLO")
    events = await events_of(session)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "HELLO"
    assert events[-1] == ReplyDone()
    await session.close()


async def test_an_agent_is_given_the_whole_message(open_agent: Open) -> None:
    session = await open_agent("""
        class make:
            async def send(self, message):
                return f"{message.text} {[file.path for file in message.files]}"
    """)
    message = UserMessage("look", (FileInput(path="a.png", type="image"),))
    assert (await session.send(message)).text == "look ['a.png']"


async def test_one_session_is_one_conversation(open_agent: Open) -> None:
    session = await open_agent("""
        class make:
            def __init__(self):
                self.heard = []

            def send(self, message):
                self.heard.append(message.text)
                return " ".join(self.heard)
    """)
    assert [(await session.send(UserMessage(text))).text for text in "abc"] == ["a", "a b", "a b c"]


@pytest.mark.parametrize("kind", ["Sync", "Async"])
async def test_blocking_code_runs_in_a_thread_and_coroutines_on_the_loop(open_agent: Open, kind: str) -> None:
    session = await open_agent(
        """
        import threading

        class Sync:
            def send(self, message):
                return str(threading.get_ident())

        class Async:
            async def send(self, message):
                return str(threading.get_ident())
        """,
        kind,
    )
    on_loop = (await session.send(HELLO)).text == str(threading.get_ident())
    assert on_loop == (kind == "Async")


async def test_calls_and_usage_of_a_reply_come_in_one_shape(open_agent: Open) -> None:
    session = await open_agent("""
        from holodeck_core.api.reply import Reply, ToolCall

        class make:
            async def send(self, message):
                calls = [
                    ToolCall("a", {"x": 1}, 2, duration_ms=3.5),
                    {"name": "b", "args": {"x": 1}},
                    {"function": {"name": "c", "arguments": ""}},
                    {"function": {"name": "d", "arguments": "{"}},
                ]
                return Reply("done", calls, {"prompt_tokens": 1, "completion_tokens": 2})
    """)
    calls = (
        ToolCall("a", {"x": 1}, 2, duration_ms=3.5),
        ToolCall("b", {"x": 1}),
        ToolCall("c"),
        ToolCall("d", raw_args="{"),
    )
    assert await session.send(HELLO) == Reply("done", calls, USAGE)
    assert await events_of(session) == [
        ToolStarted("call_0", "a", {"x": 1}),
        ToolFinished("call_0", 2, duration_ms=3.5),
        ToolStarted("call_1", "b", {"x": 1}),
        ToolFinished("call_1"),
        ToolStarted("call_2", "c"),
        ToolFinished("call_2"),
        ToolStarted("call_3", "d", raw_args="{"),
        ToolFinished("call_3"),
        TextDelta("done"),
        UsageReported(USAGE),
        ReplyDone(),
    ]


async def test_events_of_a_stream_pass_as_they_happen(open_agent: Open) -> None:
    session = await open_agent("""
        import asyncio
        from holodeck_core.api.reply import TextDelta

        go_on = asyncio.Event()

        class make:
            async def stream(self, message):
                yield TextDelta("first")
                await go_on.wait()
                yield TextDelta("second")
    """)
    events = session.stream(HELLO)
    assert await anext(events) == TextDelta("first")
    module_of(session).go_on.set()
    assert await anext(events) == TextDelta("second")


WRONG_REPLIES = """
    from holodeck_core.api.reply import Reply

    def make(reply):
        async def answer(text):
            return reply
        return answer

    def number(): return make(7)
    def none(): return make(None)
    def nested(): return make(Reply(Reply("x")))
    def sync_number(): return len

    def sync_generator():
        def answer(text):
            yield "hi"
        return answer

    class AsyncGeneratorSend:
        async def send(self, message):
            yield "hi"

    class SyncStream:
        def stream(self, message):
            yield "hi"

    class NoStream:
        async def stream(self, message):
            return "hi"

    class TextStream:
        async def stream(self, message):
            yield "hi"
"""


@pytest.mark.parametrize(
    ("factory", "problem"),
    [
        ("number", "an agent replies with str or holodeck_core.Reply, got int"),
        ("none", "an agent replies with str or holodeck_core.Reply, got NoneType"),
        ("sync_number", "an agent replies with str or holodeck_core.Reply, got int"),
        ("nested", "the text of a Reply is a str, got Reply"),
        ("sync_generator", "an agent replies with str or holodeck_core.Reply, got generator"),
        ("AsyncGeneratorSend", "an agent replies with str or holodeck_core.Reply, got async_generator"),
        ("SyncStream", r"stream\(message\) is an async generator of reply events, got generator"),
        ("NoStream", r"stream\(message\) is an async generator of reply events, got str"),
        ("TextStream", "a stream yields reply events .*, got str"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_what_is_no_reply_costs_the_turn_and_is_named(
    open_agent: Open, factory: str, problem: str, streamed: bool
) -> None:
    session = await open_agent(WRONG_REPLIES, factory)
    for _ in range(2):
        with pytest.raises(TypeError, match=problem):
            await (events_of(session) if streamed else session.send(HELLO))


FAILURES = """
    from holodeck_core.api.reply import TextDelta, ToolStarted
    from holodeck_core.errors import RateLimited, SessionLost, TransientError

    class ReadTimeout(Exception):
        pass

    class HTTPStatusError(Exception):
        def __init__(self, status, **headers):
            super().__init__(f"HTTP {status}")
            self.status_code = status
            self.headers = headers

    FAILURES = {
        "own": KeyError("nothing there"),
        "transient": TransientError("later", 2),
        "rate limited": RateLimited("slow down", 3),
        "lost": SessionLost("gone"),
        "connection": ConnectionResetError(104, "reset"),
        "read time-out": ReadTimeout("read timed out"),
        "429": HTTPStatusError(429, **{"Retry-After": "7"}),
        "503": HTTPStatusError(503),
        "400": HTTPStatusError(400),
        "exit": SystemExit(0),
    }

    class Async:
        async def send(self, message):
            raise FAILURES[message.text]

    class Sync:
        def send(self, message):
            raise FAILURES[message.text]

    class AwaitedLater:
        def send(self, message):
            return Async().send(message)

    class Stream:
        async def stream(self, message):
            yield TextDelta("hm")
            raise FAILURES[message.text]

    class StreamAfterTool:
        async def stream(self, message):
            yield ToolStarted("1", "pay")
            raise FAILURES[message.text]
"""


@pytest.mark.parametrize(
    ("failure", "kind", "text"),
    [
        ("own", KeyError, "'nothing there'"),
        ("transient", TransientError, "later"),
        ("rate limited", RateLimited, "slow down"),
        ("lost", SessionLost, "gone"),
        ("connection", TransientError, "ConnectionResetError: [Errno 104] reset"),
        ("read time-out", TransientError, "ReadTimeout: read timed out"),
        ("429", RateLimited, "HTTPStatusError: HTTP 429"),
        ("503", TransientError, "HTTPStatusError: HTTP 503"),
        ("400", None, "HTTP 400"),
        ("exit", None, "SystemExit: 0"),
    ],
)
@pytest.mark.parametrize("factory", ["Async", "Sync", "AwaitedLater", "Stream"])
async def test_failures_come_out_as_what_they_amount_to(
    open_agent: Open, factory: str, failure: str, kind: type[Exception] | None, text: str
) -> None:
    session = await open_agent(FAILURES, factory)
    with pytest.raises(Exception, match=f"^{re.escape(text)}$") as raised:
        await session.send(UserMessage(failure))
    if kind is None:
        assert not isinstance(raised.value, TransientError | SessionLost)
    else:
        assert type(raised.value) is kind


async def test_the_original_exception_is_kept_as_the_cause(open_agent: Open) -> None:
    session = await open_agent(FAILURES, "Async")
    with pytest.raises(RateLimited) as raised:
        await session.send(UserMessage("429"))
    assert raised.value.retry_after == 7.0
    assert type(raised.value.__cause__).__name__ == "HTTPStatusError"


@pytest.mark.parametrize("failure", ["connection", "429", "503", "transient", "rate limited"])
async def test_nothing_is_transient_after_a_tool_has_started(open_agent: Open, failure: str) -> None:
    session = await open_agent(FAILURES, "StreamAfterTool")
    with pytest.raises(AgentError, match="a tool had already been called in this turn") as raised:
        await session.send(UserMessage(failure))
    assert not isinstance(raised.value, TransientError)


@pytest.mark.parametrize("factory", ["Async", "Sync", "Stream"])
async def test_after_a_failed_turn_the_next_is_sent(open_agent: Open, factory: str) -> None:
    session = await open_agent(FAILURES, factory)
    for failure, text in [
        ("own", "nothing there"),
        ("exit", "SystemExit"),
        ("503", "503"),
        ("own", "nothing there"),
    ]:
        with pytest.raises(Exception, match=text):
            await session.send(UserMessage(failure))
        assert session.lost is None


@pytest.mark.parametrize("factory", ["Async", "Sync", "Stream"])
async def test_after_the_session_was_lost_nothing_is_sent(open_agent: Open, factory: str) -> None:
    session = await open_agent(FAILURES, factory)
    for failure in ("lost", "own", "own"):
        with pytest.raises(SessionLost, match="gone"):
            await session.send(UserMessage(failure))
    assert session.lost == "gone"


SLOW = """
    import asyncio
    import threading
    from holodeck_core.api.reply import TextDelta

    go_on, entered, back, closed = (threading.Event() for _ in range(4))
    log = []

    class Sync:
        def send(self, message):
            log.append(message.text)
            entered.set()
            go_on.wait(5)
            back.set()
            return "late"

        def close(self):
            log.append("close")
            closed.set()

    class SyncWithAsyncClose(Sync):
        async def close(self):
            log.append("close")

    class Async:
        async def send(self, message):
            log.append(message.text)
            if message.text == "slow":
                await asyncio.sleep(5)
            return "quick"

        async def close(self):
            log.append("close")

    class Stream:
        async def stream(self, message):
            log.append(message.text)
            try:
                yield TextDelta("a")
                await asyncio.sleep(5)
            finally:
                log.append("ended")
"""


async def give_up(session: Session, text: str) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.03):
            await session.send(UserMessage(text))


async def test_a_session_is_lost_when_its_thread_outlives_the_turn(open_agent: Open) -> None:
    session = await open_agent(SLOW, "Sync")
    await give_up(session, "slow")
    assert session.lost is not None
    with pytest.raises(SessionLost, match="given up during a call, which may still be running"):
        await session.send(UserMessage("next"))
    assert module_of(session).log == ["slow"]
    module_of(session).go_on.set()


async def test_closing_leaves_an_agent_alone_until_its_thread_is_back(open_agent: Open) -> None:
    session = await open_agent(SLOW, "Sync")
    await give_up(session, "slow")
    own = module_of(session)
    await session.close()
    assert own.log == ["slow"]
    own.go_on.set()
    assert await asyncio.to_thread(own.closed.wait, 5)
    assert own.log == ["slow", "close"]


async def test_closing_an_agent_whose_thread_is_back_closes_it(open_agent: Open) -> None:
    session = await open_agent(SLOW, "Sync")
    await give_up(session, "slow")
    own = module_of(session)
    own.go_on.set()
    assert await asyncio.to_thread(own.back.wait, 5)
    await session.close()
    assert await asyncio.to_thread(own.closed.wait, 5)
    assert own.log == ["slow", "close"]


async def test_an_asynchronous_close_is_not_called_while_a_thread_is_inside(open_agent: Open) -> None:
    session = await open_agent(SLOW, "SyncWithAsyncClose")
    await give_up(session, "slow")
    await session.close()
    assert module_of(session).log == ["slow"]
    module_of(session).go_on.set()


async def test_a_cancelled_coroutine_costs_only_its_turn(open_agent: Open) -> None:
    session = await open_agent(SLOW, "Async")
    await give_up(session, "slow")
    assert session.lost is None
    assert (await session.send(UserMessage("next"))).text == "quick"
    await session.close()
    assert module_of(session).log == ["slow", "next", "close"]


async def test_a_cancelled_stream_is_ended_at_once(open_agent: Open) -> None:
    session = await open_agent(SLOW, "Stream")
    await give_up(session, "slow")
    assert module_of(session).log == ["slow", "ended"]


async def test_a_stream_that_is_left_half_way_is_ended_with_it(open_agent: Open) -> None:
    session = await open_agent(SLOW, "Stream")
    events: Any = session.stream(HELLO)
    await anext(events)
    await events.aclose()
    assert module_of(session).log == ["hello", "ended"]


CLOSERS = """
    log = []

    class Agent:
        async def send(self, message):
            return "hi"

    class Sync(Agent):
        def close(self):
            log.append("closed")

    class Async(Agent):
        async def close(self):
            log.append("closed")

    class Later(Agent):
        def close(self):
            return Async().close()

    class Attribute(Agent):
        close = "not callable"

    class Raises(Agent):
        def close(self):
            raise ValueError("still open")

    class AsyncRaises(Agent):
        async def close(self):
            raise ValueError("still open")

    class Exits(Agent):
        def close(self):
            raise SystemExit(1)

    class AsyncExits(Agent):
        async def close(self):
            raise SystemExit(1)
"""


@pytest.mark.parametrize(
    ("factory", "log"),
    [("Agent", []), ("Sync", ["closed"]), ("Async", ["closed"]), ("Later", ["closed"]), ("Attribute", [])],
)
async def test_close_is_called_where_there_is_one(open_agent: Open, factory: str, log: list[str]) -> None:
    session = await open_agent(CLOSERS, factory)
    await session.close()
    assert module_of(session).log == log


@pytest.mark.parametrize(
    ("factory", "text"),
    [
        ("Raises", "still open"),
        ("AsyncRaises", "still open"),
        ("Exits", "SystemExit: 1"),
        ("AsyncExits", "SystemExit: 1"),
    ],
)
async def test_what_close_raises_is_an_exception(open_agent: Open, factory: str, text: str) -> None:
    session = await open_agent(CLOSERS, factory)
    with pytest.raises(Exception, match=text):
        await session.close()


@pytest.mark.parametrize("ending", ["KeyboardInterrupt()", "StopIteration(3)", "GeneratorExit()"])
async def test_whatever_ends_blocking_code_is_an_exception(open_agent: Open, ending: str) -> None:
    session = await open_agent(f"""
        def make():
            def answer(text):
                raise {ending}
            return answer
    """)
    with pytest.raises(Exception, match=ending.partition("(")[0]):
        await session.send(HELLO)


async def test_a_stream_that_will_not_end_costs_its_turn(open_agent: Open) -> None:
    session = await open_agent("""
        from holodeck_core.api.reply import TextDelta

        class make:
            async def stream(self, message):
                try:
                    yield TextDelta("a")
                    yield 7
                finally:
                    yield TextDelta("b")
    """)
    with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
        await session.send(HELLO)


async def test_an_agent_whose_threads_never_come_back_is_not_called_for_ever(
    module: Module, tmp_path: Path, agent: Agent
) -> None:
    name = module(SLOW)
    backend = PythonBackend(PythonBackend.Options(agent=f"{name}:Sync"), tmp_path)
    own = sys.modules[name]
    for _ in range(16):
        session = await backend.open(agent)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.005):
                await session.send(HELLO)
    calls = len(own.log)
    with pytest.raises(Exception, match="still running"):
        await backend.open(agent)
    own.go_on.set()
    assert calls == 16
