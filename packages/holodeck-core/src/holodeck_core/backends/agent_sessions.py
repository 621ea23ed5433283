"""Sessions with a user's own agent, whatever form it has."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, NoReturn

from holodeck_core.api.backend import Session
from holodeck_core.api.faults import USER_FAULTS
from holodeck_core.api.reply import Exchange, Reply, ReplyEvent, ToolStarted, UserMessage, collect
from holodeck_core.api.values import text_of
from holodeck_core.backends.blocking import BlockingCalls, runs_on_loop, settled
from holodeck_core.backends.faults import after_tools, classify
from holodeck_core.backends.replies import as_event, as_reply, reply_events
from holodeck_core.errors import SessionLost


def session_with(agent: object, calls: BlockingCalls) -> AgentSession:
    """A session with what a factory made.

    That is an object with ``send(message)`` or an async generator ``stream(message)`` (which is used where it has
    both), or a plain function from text to reply. Raises TypeError for anything else.
    """
    if isinstance(agent, type):
        raise TypeError(f"the factory returned the class {agent.__name__}, not an instance of it")
    send, stream = method(agent, "send"), method(agent, "stream")
    if inspect.isasyncgenfunction(agent):
        stream = agent
    if stream is not None and (send is None or inspect.isasyncgenfunction(stream)):
        return StreamSession(agent, calls, stream)
    if send is not None and not inspect.isgenerator(agent):
        return LoopSession(agent, calls, send) if runs_on_loop(send) else ThreadSession(agent, calls, send)
    if not callable(agent):
        raise TypeError(
            "an agent is an object with send(message) or an async generator stream(message), or a function "
            f"from text to reply; got {type(agent).__name__}"
        )
    function: Callable[[str], Any] = agent
    kind = LoopSession if runs_on_loop(function) else ThreadSession
    return kind(agent, calls, lambda message: function(message.text))


def method(agent: object, name: str) -> Callable[..., Any] | None:
    """A method of the agent, None where it has none of that name."""
    found = getattr(agent, name, None)
    return found if callable(found) else None


class AgentSession(Session):
    """What all sessions with a user's own agent share: losing it, failing and closing.

    One that does not own its agent leaves it open for the next.
    """

    owns_agent = True

    def __init__(self, agent: object, calls: BlockingCalls, answer: Callable[[UserMessage], Any]) -> None:
        self._agent = agent
        self._calls = calls
        self._answer = answer

    async def stream(self, message: UserMessage) -> AsyncIterator[ReplyEvent]:
        for event in reply_events(await self.send(message)):
            yield event

    async def close(self) -> None:
        """Close the agent, unless a thread is still inside it: that thread then does so when it comes back.

        An asynchronous ``close`` cannot be called by the thread, and is not called then.
        """
        close = method(self._agent, "close") if self.owns_agent else None
        if close is None:
            return
        try:
            if not runs_on_loop(close):
                if not self._calls.leave(close):
                    await settled(await self._calls.call(close))
            elif not self._calls.running:
                await close()
        except USER_FAULTS as error:  # boundary: an agent may raise anything
            self._fail(error)

    async def restore(self, exchanges: Sequence[Exchange]) -> bool:
        """Hand an earlier conversation to the agent, where it has a method ``restore(exchanges)``."""
        restore = method(self._agent, "restore")
        if restore is None:
            return False
        try:
            if runs_on_loop(restore):
                await restore(tuple(exchanges))
            else:
                await settled(await self._blocking(partial(restore, tuple(exchanges))))
        except USER_FAULTS as error:  # boundary: an agent may raise anything
            self._fail(error)
        return True

    async def _blocking(self, function: Callable[[], Any]) -> Any:
        try:
            return await self._calls.call(function)
        except asyncio.CancelledError:
            self.lost = f"the agent {self._calls.key} was given up during a call, which may still be running"
            raise

    def _fail(self, error: BaseException, *, tool_started: bool = False) -> NoReturn:
        """Raise what the failure of the agent amounts to."""
        fault = classify(error)
        if tool_started:
            fault = after_tools(fault)
        if isinstance(fault, SessionLost):
            self.lost = text_of(fault) or "the agent gave no reason"
        if fault is error:
            raise error
        raise fault from error


class LoopSession(AgentSession):
    """The agent's ``send`` is a coroutine function: it runs on the loop."""

    async def send(self, message: UserMessage) -> Reply:
        if self.lost is not None:
            raise SessionLost(self.lost)
        try:
            reply = await self._answer(message)
        except USER_FAULTS as error:  # boundary: an agent may raise anything
            self._fail(error)
        return as_reply(reply)


class ThreadSession(AgentSession):
    """The agent's ``send`` may block: it runs in a worker thread. If it returns an awaitable, the loop awaits that."""

    async def send(self, message: UserMessage) -> Reply:
        if self.lost is not None:
            raise SessionLost(self.lost)
        try:
            reply = await settled(await self._blocking(partial(self._answer, message)))
        except USER_FAULTS as error:  # boundary: an agent may raise anything
            self._fail(error)
        return as_reply(reply)


class StreamSession(AgentSession):
    """The agent yields the events of its replies."""

    async def send(self, message: UserMessage) -> Reply:
        async with aclosing(self.stream(message)) as events:
            return await collect(events)

    async def stream(self, message: UserMessage) -> AsyncGenerator[ReplyEvent, None]:
        if self.lost is not None:
            raise SessionLost(self.lost)
        tool_started = False
        try:
            async with aclosing(await self._events(message)) as events:
                async for value in events:
                    event = as_event(value)
                    tool_started = tool_started or isinstance(event, ToolStarted)
                    yield event
        except USER_FAULTS as error:  # boundary: an agent may raise anything
            self._fail(error, tool_started=tool_started)

    async def _events(self, message: UserMessage) -> AsyncGenerator[object, None]:
        """What the agent's ``stream`` returns, which a wrapper may have made something else than a generator."""
        if inspect.isasyncgenfunction(self._answer) or runs_on_loop(self._answer):
            events = await settled(self._answer(message))
        else:
            events = await settled(await self._blocking(partial(self._answer, message)))
        if not isinstance(events, AsyncGenerator):
            raise TypeError(
                f"an agent's stream(message) is an async generator of reply events, got {type(events).__name__}"
            )
        return events
