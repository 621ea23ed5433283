"""A user's own function as a tool: it is called with what a model sent, and gives an outcome in any case."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import attrs

from holodeck_core.api.faults import describe
from holodeck_core.api.values import JsonValue
from holodeck_core.backends.blocking import runs_on_loop
from holodeck_core.backends.functions.arguments import Arguments, WrongArguments
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.functions.results import NoJsonValue, as_json
from holodeck_core.engine.workers import Workers, passes_through


@attrs.frozen(eq=False)
class UserFunction:
    """A function tool. ``parameters`` is the JSON Schema of an object, ``timeout`` the seconds that a call may take."""

    name: str
    description: str
    timeout: float
    _function: Callable[..., Any]
    _arguments: Arguments
    _workers: Workers

    @property
    def parameters(self) -> dict[str, Any]:
        """What the function takes, as the JSON Schema of an object."""
        return self._arguments.schema

    async def call(self, args: Mapping[str, Any]) -> ToolOutcome:
        """Call the function. A coroutine function runs on the event loop, any other in a thread of its own.

        Arguments that do not fit, whatever the function raises (SystemExit too), a result that JSON cannot hold and a
        call that takes too long are failed outcomes. Only KeyboardInterrupt and cancellation from outside are raised.
        A thread that takes too long goes on by itself; of a function with many such threads no more calls are made.
        """
        started = perf_counter()
        try:
            async with asyncio.timeout(self.timeout) as timer:
                result = await self._result(args)
        except BaseException as error:  # boundary: a user's function may raise anything
            if passes_through(error):
                raise
            if isinstance(error, TimeoutError) and timer.expired():
                return self._late()
            return ToolOutcome(error=_told(error))
        # It may have swallowed the cancellation, or kept the event loop from it.
        if timer.expired() or perf_counter() - started > self.timeout:
            return self._late()
        return ToolOutcome(result)

    async def _result(self, args: Mapping[str, Any]) -> JsonValue:
        def returned() -> Any:
            by_position, by_name = self._arguments.read(args)  # types may bring code of the user's
            value = self._function(*by_position, **by_name)
            return value if inspect.isawaitable(value) else as_json(value)

        if runs_on_loop(self._function):
            value = returned()
        else:
            value = await self._workers.call(returned, key=f"the function {self.name}")
        return as_json(await value) if inspect.isawaitable(value) else value

    def _late(self) -> ToolOutcome:
        return ToolOutcome(error=f"no result within {self.timeout:g} s (timeout)")


def _told(error: BaseException) -> str:
    if isinstance(error, WrongArguments):
        return f"wrong arguments: {error}"
    return str(error) if isinstance(error, NoJsonValue) else describe(error)
