"""The backend ``scripted``: replies and tool calls that are written in the agent file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import attrs
from pydantic import BeforeValidator, ConfigDict, Field, JsonValue
from pydantic_core import InitErrorDetails

from holodeck_core.api.backend import Backend, CaseRef, Session
from holodeck_core.api.reply import Exchange, Reply, ReplyEvent, TextDelta, ToolCall, UserMessage, collect
from holodeck_core.api.values import to_json
from holodeck_core.backends.faults import after_tools
from holodeck_core.backends.replies import reply_events, with_total
from holodeck_core.errors import AgentError, RateLimited, SessionLost
from holodeck_core.models.agent import Agent
from holodeck_core.models.base import (
    GatheringModel,
    JsonObject,
    Number,
    StrictModel,
    Text,
    Whole,
    problem,
)
from holodeck_core.models.token_usage import TokenUsage
from holodeck_core.text import show_value

_SHOWN = 80


def _usage(value: Any) -> Any:
    return with_total(value) if isinstance(value, Mapping) else value


_Seconds: TypeAlias = Annotated[Number, Field(ge=0)]


class ScriptedCall(StrictModel):
    """A tool call: what it is called with, and what comes of it."""

    name: Text
    """The tool that is called. Example: `add`"""
    args: JsonObject = Field(default_factory=dict)
    """The arguments of the call. Example: `{a: 3, b: 4}`"""
    result: Any = None
    """What the call returns. Example: `7`"""
    error: str | None = None
    """What the call fails with. Example: `no such order`"""


# What `structure` checks, as JSON Schema.
_RULES: JsonValue = [
    {
        "if": {"required": ["retry_after"], "properties": {"retry_after": {"not": {"type": "null"}}}},
        "then": {
            "required": ["error"],
            "properties": {"error": {"type": "string", "pattern": r"^rate_limit$|\$\{"}},
        },
    },
    {
        "if": {"required": ["chunks"], "properties": {"chunks": {"type": "array"}}},
        "then": {"properties": {"reply": {"type": "null"}}},
    },
]


class ScriptedReply(GatheringModel):
    """What a session does with one message.

    It waits for `delay` seconds, makes its `calls`, then says `reply`, in one piece or in `chunks`: a number of pieces
    of nearly equal length, or their texts, which then are the reply. With `error` the turn fails after all of that:
    `timeout` never answers, `rate_limit` asks to slow down (for `retry_after` seconds), `lost` ends the conversation,
    any other text is the error's. `usage` may leave `total_tokens` out.
    """

    model_config = ConfigDict(json_schema_extra={"allOf": _RULES})

    input: Text | None = None
    """The message to answer; left out, any message that no other entry answers. Example: `What is 3 + 4?`"""
    reply: str | None = None
    """The text of the reply. Example: `It is 7.`"""
    calls: list[ScriptedCall] = Field(default_factory=list)
    """The tools that are called before the text. Example: `[{name: add, args: {a: 3, b: 4}, result: 7}]`"""
    usage: Annotated[TokenUsage, BeforeValidator(_usage, json_schema_input_type=dict[str, Any])] | None = None
    """The tokens that are reported: `prompt_tokens`, `completion_tokens`, and optionally `total_tokens`,
    `cache_creation_tokens`, `cache_read_tokens` and `partial`.
    Example: `{prompt_tokens: 120, completion_tokens: 30}`
    """
    delay: _Seconds = 0.0
    """How long the reply takes, in seconds. Example: `0.5`"""
    error: Text | None = None
    """What the turn fails with: `timeout`, `rate_limit`, `lost` (the conversation ends), or a text.
    Example: `timeout`
    """
    retry_after: _Seconds | None = None
    """How long a `rate_limit` asks to wait, in seconds. Example: `2`"""
    chunks: Annotated[Whole, Field(ge=1)] | list[str] | None = None
    """The pieces in which the text comes: how many, or their texts in place of `reply`.
    Example: `[It, " is 7."]`
    """

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        if data.get("retry_after") is not None and data.get("error") != "rate_limit":
            yield problem(("retry_after",), "`retry_after` belongs to `error: rate_limit`")
        if isinstance(data.get("chunks"), list) and data.get("reply") is not None:
            yield problem(("chunks",), "`reply` and a list of `chunks` exclude each other: keep one")


class ScriptedOptions(StrictModel):
    """`replies`: the script, played from its start in every session."""

    replies: list[ScriptedReply]
    """The script, played from its start in every conversation. Example: `[{reply: Hello!}]`"""


class ScriptedBackend(Backend):
    """Plays a script. Nothing is sent anywhere; needs no key."""

    Options = ScriptedOptions

    def __init__(self, options: ScriptedOptions, folder: Path) -> None:
        super().__init__(options, folder)
        self._script = Script(options.replies)

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        return ScriptedSession(self._script)


@attrs.frozen
class Step:
    """One entry of a script, ready to be played. ``reply`` is what its events amount to."""

    reply: Reply
    events: tuple[ReplyEvent, ...]
    delay: float
    error: str | None
    retry_after: float | None

    @property
    def plain(self) -> bool:
        """Whether it answers at once."""
        return self.error is None and not self.delay

    @classmethod
    def of(cls, entry: ScriptedReply) -> Step:
        pieces = _pieces(entry)
        calls = tuple(ToolCall(c.name, to_json(c.args), to_json(c.result), c.error) for c in entry.calls)
        reply = Reply("".join(pieces), calls, entry.usage)
        events = list(reply_events(attrs.evolve(reply, text="")))
        after_calls = 2 * len(calls)
        events[after_calls:after_calls] = map(TextDelta, pieces)
        return cls(reply, tuple(events), entry.delay, entry.error, entry.retry_after)

    def fault(self) -> Exception:
        """What the entry fails with, where it does."""
        match self.error:
            case "rate_limit":
                fault: Exception = RateLimited("the script asks to slow down", self.retry_after)
            case "lost":
                fault = SessionLost("the script ends the conversation here")
            case _:
                fault = AgentError(self.error or "")
        return after_tools(fault) if self.reply.tool_calls else fault


def _pieces(entry: ScriptedReply) -> Sequence[str]:
    text, chunks = entry.reply or "", entry.chunks
    if isinstance(chunks, list):
        return chunks
    count = min(chunks or 1, len(text))
    return [text[len(text) * index // count : len(text) * (index + 1) // count] for index in range(count)]


class Script:
    """The entries of a script: by the message they answer, and those that answer any."""

    def __init__(self, replies: Sequence[ScriptedReply]) -> None:
        self.for_any: list[Step] = []
        self.by_input: dict[str, list[Step]] = {}
        for entry in replies:
            steps = self.for_any if entry.input is None else self.by_input.setdefault(entry.input, [])
            steps.append(Step.of(entry))


class ScriptedSession(Session):
    """One conversation along a script.

    A message is answered by the first entry not used yet whose ``input`` equals it (compared trimmed), else by the
    next one without ``input``. An entry is used up by the attempt it was taken for, also by one that fails or is
    cancelled: another attempt takes the next.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._used = 0
        self._used_by_input: dict[str, int] = {}

    async def send(self, message: UserMessage) -> Reply:
        step = self._take(message.text.strip())
        return step.reply if step.plain else await collect(self._play(step))

    async def stream(self, message: UserMessage) -> AsyncIterator[ReplyEvent]:
        async for event in self._play(self._take(message.text.strip())):
            yield event

    async def restore(self, exchanges: Sequence[Exchange]) -> bool:
        """The entries that answered then are used up."""
        try:
            for exchange in exchanges:
                self._take(exchange.message.text.strip())
        except AgentError:
            self._used, self._used_by_input = 0, {}
            return False
        return True

    def _take(self, text: str) -> Step:
        if self.lost is not None:
            raise SessionLost(self.lost)
        steps = self._script.by_input.get(text)
        if steps is not None:
            used = self._used_by_input.get(text, 0)
            if used < len(steps):
                self._used_by_input[text] = used + 1
                return steps[used]
        if self._used < len(self._script.for_any):
            self._used += 1
            return self._script.for_any[self._used - 1]
        raise AgentError(f"the script has no reply left for {show_value(text, _SHOWN)}")

    async def _play(self, step: Step) -> AsyncIterator[ReplyEvent]:
        if step.delay:
            await asyncio.sleep(step.delay)
        if step.error is None:
            for event in step.events:
                yield event
            return
        for event in step.events[:-1]:  # a failed turn comes to no end
            yield event
        if step.error == "timeout":
            await asyncio.get_running_loop().create_future()
        fault = step.fault()
        if isinstance(fault, SessionLost):
            self.lost = str(fault)
        raise fault
