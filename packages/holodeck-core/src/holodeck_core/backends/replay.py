"""The backend ``replay``: conversations that an agent held earlier, one for each case."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

from holodeck_core.api.backend import Backend, CaseRef, Session
from holodeck_core.api.reply import Exchange, Reply, ReplyEvent, UserMessage
from holodeck_core.backends.conversations import Conversations
from holodeck_core.backends.recordings import RecordedTurn
from holodeck_core.backends.replies import reply_events
from holodeck_core.errors import AgentError
from holodeck_core.models.agent import Agent
from holodeck_core.models.base import StrictModel, Text
from holodeck_core.text import show_value

_SHOWN = 80
_BEFORE_DIFFERENCE = 20


class ReplayOptions(StrictModel):
    """`file`: JSON Lines of `{"id": …, "messages": […]}`, in the format of OpenAI's chat messages."""

    file: Text
    """The file of recordings, relative to this one. Example: `conversations.jsonl`"""


class ReplayBackend(Backend):
    """Answers each message with what a recording holds after it.

    A case takes the conversation whose id is its ``conversation``, else its name. The file is read and checked when
    the backend is built, and must not change afterwards.
    """

    Options = ReplayOptions

    def __init__(self, options: ReplayOptions, folder: Path) -> None:
        super().__init__(options, folder)
        self._file = folder / options.file
        self._conversations = Conversations(self._file, options.file)

    def check_case(self, case: CaseRef) -> str | None:
        conversation = _conversation_of(case)
        if conversation is None:
            return "needs `conversation` or a `name`: the id of a recorded conversation"
        return None if conversation in self._conversations else self._conversations.missing(conversation)

    def sources(self) -> Iterable[Path]:
        return (self._file,)

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        """The recording of a case; without a case, the only one of the file."""
        if case is not None and (problem := self.check_case(case)) is not None:
            raise AgentError(problem)
        conversation = self._conversations.only_id() if case is None else _conversation_of(case)
        if conversation is None:
            raise AgentError(
                f"which of the {len(self._conversations)} recorded conversations to replay is not said"
            )
        return ReplaySession(conversation, self._conversations.turns(conversation))


class ReplaySession(Session):
    """One recording, played from its first user message on.

    A message that is not the recorded one is answered by nothing, and moves nothing: afterwards, the recorded message
    may be sent in its place, or the one that follows the failed turn.
    """

    def __init__(self, conversation: str, turns: tuple[RecordedTurn, ...]) -> None:
        self._conversation = conversation
        self._turns = turns
        self._next = 0
        self._failed = 0

    async def send(self, message: UserMessage) -> Reply:
        return self._answer(message.text)

    async def stream(self, message: UserMessage) -> AsyncIterator[ReplyEvent]:
        for event in reply_events(self._answer(message.text)):
            yield event

    async def restore(self, exchanges: Sequence[Exchange]) -> bool:
        """Go on behind the messages that were sent then."""
        try:
            for exchange in exchanges:
                self._answer(exchange.message.text)
        except AgentError:
            self._next = self._failed = 0
            return False
        return True

    def _answer(self, text: str) -> Reply:
        sent = text.strip()
        for position in (self._next + self._failed, self._next):
            if position < len(self._turns) and self._turns[position].message.strip() == sent:
                self._next, self._failed = position + 1, 0
                return self._turns[position].reply
        position = self._next + self._failed
        self._failed += 1
        raise AgentError(self._why_not(sent, position))

    def _why_not(self, sent: str, position: int) -> str:
        where = f"the recording {show_value(self._conversation, _SHOWN)}"
        if position >= len(self._turns):
            count = f"{len(self._turns)} user message{'' if len(self._turns) == 1 else 's'}"
            return f"{where} has {count}, and no answer to {show_value(sent, _SHOWN)}"
        recorded = self._turns[position].message.strip()
        start = max(0, _first_difference(sent, recorded) - _BEFORE_DIFFERENCE)
        ours, theirs = _from(sent, start), _from(recorded, start)
        return f"user message {position + 1} of {where} is another one: sent {ours}, recorded {theirs}"


def _conversation_of(case: CaseRef) -> str | None:
    return case.name if case.conversation is None else case.conversation


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _from(text: str, start: int) -> str:
    return show_value(text if start == 0 else f"...{text[start:]}", _SHOWN)
