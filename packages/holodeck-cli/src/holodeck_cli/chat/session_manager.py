"""A conversation with an agent, without a terminal: start, send, clear, resume, shut down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext
from datetime import UTC, datetime
from time import perf_counter
from typing import Protocol

from pydantic import ValidationError

from holodeck_cli.chat.events import ChatEvent, ChatTurn, TryingAgain, TurnDone, TurnFailed
from holodeck_cli.chat.limits import MessageLimit
from holodeck_cli.chat.reply_stream import reply_stream
from holodeck_cli.chat.saved import SavedConversation, to_saved, without_secrets
from holodeck_cli.chat.tool_executions import KnownTools, add_turn
from holodeck_core import (
    ChatHistory,
    ChatSession,
    Exchange,
    HoloDeckError,
    Message,
    MessageRole,
    Reply,
    ReplyEvent,
    Session,
    SessionLost,
    SessionState,
    Suite,
    TokenUsage,
    TransientError,
    UserMessage,
)
from holodeck_core.api.faults import describe
from holodeck_core.api.reply import collect
from holodeck_core.engine.evidence import receive
from holodeck_core.engine.pace import LONGEST_REQUESTED_WAIT_S, Pace
from holodeck_core.engine.workers import passes_through
from holodeck_core.models.chat import MAX_USER_CHARACTERS

CLOSE_TIMEOUT_S = 5.0


class StartFailed(HoloDeckError):
    """The agent could not be opened; the message says why."""


class Observer(Protocol):
    """Is told what happens, for tracing."""

    def session(self, chat: ChatSession) -> None:
        """A conversation begins; the one before it is over."""

    def turn(self, message: str) -> AbstractContextManager[TurnObserver]:
        """A message is sent; the block ends with its turn."""


class TurnObserver(Protocol):
    """Is told the events of one turn."""

    def event(self, event: ChatEvent) -> None:
        """Something happened."""


class _Nobody:
    def session(self, chat: ChatSession) -> None: ...

    def turn(self, message: str) -> AbstractContextManager[TurnObserver]:
        return nullcontext(self)

    def event(self, event: ChatEvent) -> None: ...


class ChatSessionManager:
    """One conversation at a time with the agent of a suite. It is used by one task at a time.

    ``chat`` is the session as the models describe it; ``turns`` is what was said, as it was received. A turn that
    fails or is cancelled leaves both as they were. Only a lost session or a failed start ends a session; ``clear`` and
    ``resume`` then begin another.
    """

    def __init__(self, suite: Suite, max_messages: int = 50, observer: Observer | None = None) -> None:
        self.suite = suite
        self.limit = MessageLimit(max_messages)
        self._observer: Observer = observer or _Nobody()
        self._known_tools = KnownTools(suite.agent)
        self._pace = Pace(suite.retries)
        self._session: Session | None = None
        self._begin()

    def _begin(self) -> None:
        self.chat = ChatSession(agent_config=self.suite.agent, history=ChatHistory())
        self.turns: list[ChatTurn] = []
        self.ended: str | None = None
        """Why nothing can be said in this session any more; None while something can."""

    @property
    def usage(self) -> TokenUsage | None:
        """The tokens of the conversation; partial where a turn reported none, None where none did."""
        reported = [turn.usage for turn in self.turns if turn.usage is not None]
        if not reported:
            return None
        total = sum(reported, TokenUsage.zero())
        missing = len(reported) < len(self.turns)
        return total.model_copy(update={"partial": True}) if missing else total

    async def start(self) -> None:
        """Open the agent. Raises StartFailed where that cannot be done."""
        try:
            self._session = await self.suite.backend.open(self.suite.agent)
        except BaseException as error:  # boundary: an agent may raise anything
            if passes_through(error):
                raise
            self._end(f"the agent could not be started: {describe(error, with_place=True)}")
            raise StartFailed(self.ended) from error
        if self._session.history is not None:
            self.chat.history = self._session.history
        self.chat.move_to(SessionState.ACTIVE)
        self._observer.session(self.chat)

    def refusal(self) -> str | None:
        """Why nothing can be sent; None where something can."""
        if self.chat.state is SessionState.ACTIVE:
            return self.limit.refusal(self.chat.message_count)
        return self.ended or "the agent has not been started"

    async def process_message(self, text: str) -> AsyncGenerator[ChatEvent, None]:
        """Send a message; yields what happens, at last TurnDone or TurnFailed. Raises nothing but cancellation."""
        try:
            message = Message(role=MessageRole.USER, content=text).content
            refusal = self.refusal()
        except ValidationError:
            message = ""
            refusal = f"a message is not blank and has at most {MAX_USER_CHARACTERS:,} characters"
        if refusal is not None:
            yield TurnFailed(refusal)
            return
        with self._observer.turn(message) as observer:
            try:
                async with aclosing(self._turn(message)) as events:
                    async for event in events:
                        observer.event(event)
                        yield event
            finally:
                if self._session is not None and self._session.lost is not None:
                    self._end(f"the conversation cannot go on: {self._session.lost}")

    async def clear(self) -> None:
        """Begin a new conversation, with a new session. Raises StartFailed."""
        await self._close_session()
        self._begin()
        await self.start()

    async def resume(self, turns: Sequence[ChatTurn]) -> bool:
        """Go on from a conversation that was held earlier, in a new session; False where the agent does not
        remember it. Raises StartFailed."""
        await self.clear()
        assert self._session is not None
        exchanges = [Exchange(UserMessage(turn.message), turn.reply) for turn in turns]
        try:
            remembered = await self._session.restore(exchanges)
        except BaseException as error:  # boundary: an agent may raise anything
            if passes_through(error):
                raise
            self._end(f"the agent could not take the conversation over: {describe(error, with_place=True)}")
            raise StartFailed(self.ended) from error
        for turn in turns:
            self._add(turn)
        return remembered

    def saved(self, conversation_id: str) -> SavedConversation:
        """The conversation as it may be kept, without the secrets of the agent file."""
        path = self.suite.path
        return SavedConversation(
            id=conversation_id,
            agent_name=self.chat.agent_config.name,
            agent_path=None if path is None else str(path.absolute()),
            started_at=self.turns[0].at if self.turns else self.chat.started_at,
            saved_at=datetime.now(UTC),
            turns=to_saved(without_secrets(self.turns, self.suite.secrets)),
        )

    async def shut_down(self) -> str | None:
        """End the session and release what the agent holds; says what went wrong, None where nothing did."""
        self._end("the chat is over")
        trouble = await self._close_session()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.suite.backend.close()
        except BaseException as error:  # boundary: an agent may raise anything
            if passes_through(error):
                raise
            trouble = describe(error, with_place=True)
        return trouble

    async def _close_session(self) -> str | None:
        session, self._session = self._session, None
        if session is None:
            return None
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await session.close()
        except BaseException as error:  # boundary: an agent may raise anything
            if passes_through(error):
                raise
            return describe(error, with_place=True)
        return None

    def _end(self, why: str) -> None:
        if self.chat.state is not SessionState.TERMINATED:
            self.chat.move_to(SessionState.TERMINATED)
            self.ended = why

    async def _turn(self, message: str) -> AsyncGenerator[ChatEvent, None]:
        assert self._session is not None
        at, started, attempt = datetime.now(UTC), perf_counter(), 0
        while True:
            received: list[ReplyEvent] = []
            try:
                await self._pace.ready()
                async with aclosing(reply_stream(self._session, message, self.suite.llm_timeout)) as events:
                    async for event in events:
                        received.append(event)
                        yield event
                reply = await collect(_again(received))
                text, calls, _ = receive(reply)
                turn = ChatTurn(message, Reply(text, calls, reply.usage), at, perf_counter() - started)
                self._add(turn)
                yield TurnDone(turn)
                return
            except TransientError as error:
                attempt += 1
                refused: str | None = ""
                if not received and self._session.lost is None:
                    if attempt <= self._pace.retries and (error.retry_after or 0) <= LONGEST_REQUESTED_WAIT_S:
                        yield TryingAgain(describe(error))
                    refused = await self._pace.again(attempt, error)
                if refused is not None:
                    yield TurnFailed(f"{describe(error)} ({refused})" if refused else describe(error))
                    return
            except SessionLost as error:
                self._end(f"the conversation cannot go on: {str(error) or 'no reason given'}")
                yield TurnFailed(self.ended or "")
                return
            except BaseException as error:  # boundary: an agent may raise anything
                if passes_through(error):
                    raise
                yield TurnFailed(describe(error, with_place=True))
                return

    def _add(self, turn: ChatTurn) -> None:
        self.turns.append(turn)
        if isinstance(self.chat.history, ChatHistory):
            add_turn(self.chat.history, turn, self._known_tools)
        self.chat.message_count += 2 if turn.reply.text.strip() else 1


async def _again(events: Sequence[ReplyEvent]) -> AsyncIterator[ReplyEvent]:
    for event in events:
        yield event
