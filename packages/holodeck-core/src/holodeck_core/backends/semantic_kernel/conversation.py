"""One conversation: a history of Semantic Kernel's, and the turns that are added to it. Imports it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final

from semantic_kernel.contents import (
    AuthorRole,
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)

from holodeck_core.api.backend import Session
from holodeck_core.api.reply import (
    Exchange,
    ReplyDone,
    ReplyEvent,
    TextDelta,
    ToolFinished,
    ToolStarted,
    UsageReported,
    UserMessage,
)
from holodeck_core.api.values import well_formed
from holodeck_core.backends.faults import after_tools
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.semantic_kernel.chat_model import ChatModel
from holodeck_core.backends.semantic_kernel.completion import Completion
from holodeck_core.backends.semantic_kernel.messages import earlier_messages, said
from holodeck_core.backends.semantic_kernel.prompt_tool import PromptOutcome
from holodeck_core.backends.semantic_kernel.prompts import text_of_value
from holodeck_core.backends.semantic_kernel.schemas import reply_fault
from holodeck_core.backends.semantic_kernel.tools import Call, Toolset, side_by_side
from holodeck_core.backends.semantic_kernel.usage import MISSING, TurnUsage
from holodeck_core.engine.workers import Workers
from holodeck_core.errors import AgentError
from holodeck_core.text import show_value

_SHOWN: Final = 200


class Conversation(Session):
    """A conversation with a model and its tools.

    ``history`` grows by a whole turn or not at all: what was said, called and answered is put into it when the reply
    is complete.
    """

    def __init__(
        self,
        model: ChatModel,
        tools: Toolset,
        instructions: str | None,
        max_tool_rounds: int,
        workers: Workers,
        response_format: Mapping[str, Any] | None = None,
    ) -> None:
        self.history = ChatHistory()
        if instructions:
            self.history.add_message(said(AuthorRole.SYSTEM, instructions))
        self._model = model
        self._tools = tools
        self._max_tool_rounds = max_tool_rounds
        self._workers = workers
        self._response_format = response_format

    async def restore(self, exchanges: Sequence[Exchange]) -> bool:
        """The model is sent an earlier conversation with every message, as if it had been held in this session."""
        for number, exchange in enumerate(exchanges):
            self.history.messages.extend(earlier_messages(exchange, number))
        return True

    async def stream(self, message: UserMessage) -> AsyncGenerator[ReplyEvent, None]:
        """The events of one turn. Calls of one completion run side by side, and start in the model's order."""
        if message.files:
            raise AgentError("this provider cannot be sent files in this version: leave `files` out")
        turn = Turn(message.text)
        while True:
            async with aclosing(self._complete(turn)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, TextDelta):
                        yield piece
                    else:
                        completion = piece
            turn.usage.add(completion.usage)
            if completion.usage is not None:
                yield UsageReported(completion.usage)
            if not completion.calls:
                break
            refusal = self._refusal(turn)
            calls = self._tools.calls(completion, turn.rounds, refusal)
            for call in calls:
                yield ToolStarted(call.event_id, call.name, call.args, call.raw_args, call.runtime_name)
            outcomes: dict[int, ToolOutcome] = {}
            async with aclosing(side_by_side(calls)) as finished:
                async for place, outcome, duration_ms in finished:
                    outcomes[place] = outcome
                    yield ToolFinished(calls[place].event_id, outcome.result, outcome.error, duration_ms)
            for outcome in outcomes.values():
                if isinstance(outcome, PromptOutcome):
                    turn.usage.add(outcome.usage)
                    if outcome.usage is not None:
                        yield UsageReported(outcome.usage)
            turn.called(completion, calls, [outcomes[place] for place in range(len(calls))])
            if turn.rounds > self._max_tool_rounds + 1:  # it was told to answer, and calls on
                break
        if turn.usage.lacks_a_part:
            yield UsageReported(MISSING)
        text = "" if completion.calls else completion.text  # beside calls it is no reply
        await self._check(text, completion)
        turn.answered(completion)
        self.history.messages.extend(turn.messages)
        yield ReplyDone(text)

    async def _complete(self, turn: Turn) -> AsyncGenerator[TextDelta | Completion, None]:
        may_call = turn.rounds <= self._max_tool_rounds
        messages = [*self.history.messages, *turn.messages]
        try:
            async with aclosing(self._model.complete(messages, may_call=may_call)) as pieces:
                async for piece in pieces:
                    yield piece
        except AgentError as error:
            raise (after_tools(error) if turn.rounds else error) from None

    def _refusal(self, turn: Turn) -> str | None:
        """Why tools are not called any more; None while they are."""
        if turn.rounds < self._max_tool_rounds:
            return None
        return (
            f"not called: the model has called tools {self._max_tool_rounds} times in this turn, which is the limit "
            "(max_tool_rounds); it must answer now"
        )

    async def _check(self, text: str, completion: Completion) -> None:
        """Raise AgentError for what is no reply."""
        if completion.finish == "content_filter":
            raise AgentError(
                "the provider's content filter cut the reply off: change the message or the filter"
            )
        schema = self._response_format
        if schema is None:
            return
        if completion.refused:
            raise AgentError(
                f"the model refused to answer in the form of `response_format`: {show_value(text, _SHOWN)}"
            )
        if why := await self._workers.call(lambda: reply_fault(text, schema), key="checks of replies"):
            cut = "; it was cut off at max_tokens" if completion.finish == "length" else ""
            raise AgentError(f"{why}{cut}")


class Turn:
    """The messages of one turn, which are not yet part of the history. ``rounds`` counts those of tool calls."""

    def __init__(self, text: str) -> None:
        self.messages = [said(AuthorRole.USER, text)]
        self.usage = TurnUsage()
        self.rounds = 0

    def called(self, completion: Completion, calls: Sequence[Call], outcomes: Sequence[ToolOutcome]) -> None:
        """Add a completion with calls, and what came of them."""
        wanted = [
            FunctionCallContent(
                id=call.wire_id, name=_name(call), arguments=well_formed(call.wanted.arguments)
            )
            for call in calls
        ]
        text = [TextContent(text=well_formed(completion.text))] if completion.text else []
        self.messages.append(ChatMessageContent(role=AuthorRole.ASSISTANT, items=[*text, *wanted]))
        for call, outcome in zip(calls, outcomes, strict=True):
            result = FunctionResultContent(id=call.wire_id, name=_name(call), result=_told(outcome))
            self.messages.append(ChatMessageContent(role=AuthorRole.TOOL, items=[result]))
        self.rounds += 1

    def answered(self, completion: Completion) -> None:
        """Add the reply, unless it is one more wish for calls."""
        if not completion.calls:
            self.messages.append(said(AuthorRole.ASSISTANT, completion.text))


def _name(call: Call) -> str:
    return well_formed(call.wanted.name) or "unnamed"


def _told(outcome: ToolOutcome) -> str:
    """What the model is told of a call."""
    if outcome.error is not None:
        return well_formed(f"Error: {outcome.error}")
    return well_formed(text_of_value(outcome.result))
