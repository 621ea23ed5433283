"""The tools of an agent as a model is told of them, and the calls that it makes. No Semantic Kernel in here."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final, Protocol

import attrs

from holodeck_core.api.faults import describe
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.semantic_kernel.completion import Completion, WantedCall
from holodeck_core.backends.tool_calls import decode_arguments
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.text import show_value

MOST_AT_ONCE: Final = 32
_LONGEST_NAME: Final = 64
_SHOWN: Final = 200
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]")


class ModelTool(Protocol):
    """What a model may call: a function of the user's, or a prompt."""

    @property
    def name(self) -> str:
        """The name as configured."""

    @property
    def description(self) -> str | None:
        """What it does, in words for the model."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON schema of its arguments: an object."""

    async def call(self, args: Mapping[str, Any]) -> ToolOutcome:
        """What comes of a call; never raises."""


class Toolset:
    """The tools of one agent, under the names that the model's interface allows: letters, digits, ``_`` and ``-``."""

    def __init__(self, tools: Iterable[ModelTool] = ()) -> None:
        self._by_wire_name: dict[str, ModelTool] = {}
        for tool in tools:
            self._by_wire_name[self._wire_name(tool.name)] = tool

    def definitions(self) -> list[dict[str, Any]]:
        """The tools as a request names them."""
        return [
            {"type": "function", "function": _definition(wire_name, tool)}
            for wire_name, tool in self._by_wire_name.items()
        ]

    def calls(self, completion: Completion, number: int, refusal: str | None = None) -> tuple[Call, ...]:
        """What is to be done about the calls of the turn's completion of that ``number``; with a ``refusal``, nothing
        but saying why."""
        ids = _distinct_ids(completion.calls, number)
        cut = "; the answer was cut off at max_tokens" if completion.finish == "length" else ""
        return tuple(
            self._call(call, ids[index], f"{number}.{index}", refusal, cut)
            for index, call in enumerate(completion.calls)
        )

    def _call(self, wanted: WantedCall, wire_id: str, event_id: str, refusal: str | None, cut: str) -> Call:
        args, raw_args = decode_arguments(wanted.arguments)
        tool = self._by_wire_name.get(wanted.name)
        if refusal is None and tool is None:
            refusal = self._unknown(wanted.name)
        if refusal is None and raw_args is not None:
            refusal = f"the arguments are no JSON object: {show_value(raw_args, _SHOWN)}{cut}"
        name = (wanted.name or "(no name)") if tool is None else tool.name
        return Call(
            event_id=event_id,
            wire_id=wire_id,
            wanted=wanted,
            name=name,
            runtime_name=None if wanted.name in (name, "") else wanted.name,
            args=args,
            raw_args=raw_args,
            tool=tool,
            refusal=refusal,
        )

    def _unknown(self, name: str) -> str:
        shown = show_value(name, _SHOWN)
        known = list(self._by_wire_name)
        if not known:
            return f"there is no tool {shown}; there are none"
        return f"there is no tool {shown}{did_you_mean(name, known) or '.'} The tools are {', '.join(known)}"

    def _wire_name(self, name: str) -> str:
        plain = _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME]
        found, number = plain, 1
        while found in self._by_wire_name:
            number += 1
            found = f"{plain[: _LONGEST_NAME - 4]}_{number}"
        return found


@attrs.frozen(kw_only=True)
class Call:
    """One call: what the model wants, which tool that is, and why it is not called where it is not.

    ``event_id`` is unique within the turn, ``wire_id`` is the provider's.
    """

    event_id: str
    wire_id: str
    wanted: WantedCall
    name: str
    runtime_name: str | None
    args: Mapping[str, Any]
    raw_args: str | None
    tool: ModelTool | None
    refusal: str | None

    async def made(self) -> tuple[ToolOutcome, float]:
        """What comes of it, and the milliseconds that took."""
        started = perf_counter()
        if self.tool is None or self.refusal is not None:
            return ToolOutcome(error=self.refusal), 0.0
        # Its own: what a tool does to them changes no evidence.
        args, _ = decode_arguments(self.wanted.arguments)
        outcome = await self.tool.call(args)
        return outcome, (perf_counter() - started) * 1000


async def side_by_side(calls: Sequence[Call]) -> AsyncGenerator[tuple[int, ToolOutcome, float], None]:
    """Make the calls at once, of very many ``MOST_AT_ONCE``; each with its place, what came of it and the milliseconds
    it took, as they end.

    Whatever ends this early ends those that are still under way.
    """
    # A model decides how many there are, and each may take a thread or a request.
    free = asyncio.Semaphore(MOST_AT_ONCE)

    async def made(call: Call) -> tuple[ToolOutcome, float]:
        async with free:
            return await call.made()

    places = {asyncio.create_task(made(call), name=f"tool {call.name}"): n for n, call in enumerate(calls)}
    pending = set(places)
    try:
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=places.__getitem__):
                yield places[task], *_result(task)
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


def _result(task: asyncio.Task[tuple[ToolOutcome, float]]) -> tuple[ToolOutcome, float]:
    if task.cancelled():
        return ToolOutcome(error="the tool cancelled the task that it ran in"), 0.0
    if isinstance(error := task.exception(), GeneratorExit):  # nobody closed the task: the tool raised it
        return ToolOutcome(error=describe(error)), 0.0
    return task.result()


def _definition(wire_name: str, tool: ModelTool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": wire_name, **described, "parameters": dict(tool.parameters)}


def _distinct_ids(wanted: Sequence[WantedCall], number: int) -> list[str]:
    """The provider's ids, and others in place of those that are missing or there twice."""
    given = {call.id for call in wanted}
    ids: dict[str, None] = {}
    for index, call in enumerate(wanted):
        wire_id = call.id
        if wire_id is None or wire_id in ids:
            wire_id = f"call_{number}_{index}"
            while wire_id in given:
                wire_id += "_"
        ids[wire_id] = None
    return list(ids)
