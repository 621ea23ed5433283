"""The backend ``python``: a user's own agent, which a factory makes once for each session."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from holodeck_core.api.backend import Backend, CaseRef, Session
from holodeck_core.api.faults import USER_FAULTS
from holodeck_core.backends.agent_sessions import method, session_with
from holodeck_core.backends.blocking import BlockingCalls, runs_on_loop, settled
from holodeck_core.backends.factory import Factory, Misfit
from holodeck_core.backends.faults import classify
from holodeck_core.config.binding.used_files import module_files
from holodeck_core.config.binding.user_modules import import_object
from holodeck_core.engine.workers import Workers
from holodeck_core.models.agent import Agent
from holodeck_core.models.base import StrictModel, Text, gathered, problem

_DISPOSAL_S = 5.0


class PythonOptions(StrictModel):
    """`agent`: the factory, as `module:name`. All other keys are arguments of the factory, which checks them."""

    model_config = ConfigDict(extra="allow")

    agent: Text
    """The factory, as `module:name`; the agent file's folder is importable. Example: `desk:open_desk`"""


class PythonBackend(Backend):
    """Opens sessions with what a factory in Python makes.

    The factory is imported and its signature checked when the backend is built; the folder of the agent file is
    importable. Whatever is not asynchronous runs in a worker thread.
    """

    Options = PythonOptions

    def __init__(self, options: PythonOptions, folder: Path) -> None:
        super().__init__(options, folder)
        self._spec = options.agent
        try:
            self._factory = Factory(self._spec, import_object(self._spec, folder), options.model_extra or {})
        except Misfit as error:
            found = [problem((key or "agent",), message) for key, message in error.faults]
            raise gathered("model", found) from error
        except ValueError as error:
            raise gathered("model", [problem(("agent",), str(error))]) from error
        self._workers = Workers()

    def sources(self) -> Iterable[Path]:
        return module_files(self._spec)

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        """Call the factory. What it raises comes out as what it amounts to; a late agent is closed in its thread."""
        make = self._factory.call(None if case is None else case.name, agent.model)
        calls = BlockingCalls(self._workers, self._spec)
        try:
            made = await settled(
                make() if self._factory.is_async else await self._make_in_thread(make, calls)
            )
            return session_with(made, calls)
        except USER_FAULTS as error:  # boundary: a user's factory may raise anything
            fault = classify(error)
            if fault is error:
                raise
            raise fault from error

    async def close(self) -> None:
        self._workers.close()
        self._workers = Workers()

    async def _make_in_thread(self, make: Callable[[], Any], calls: BlockingCalls) -> Any:
        made: list[object] = []
        try:
            await calls.call(lambda: made.append(make()))
        except asyncio.CancelledError:
            if not calls.leave(lambda: _dispose(made)):
                with suppress(TimeoutError):
                    async with asyncio.timeout(_DISPOSAL_S):
                        await calls.call(lambda: _dispose(made))
            raise
        return made[0]


def _dispose(made: list[object]) -> None:
    """Close an agent that came too late to be used."""
    for agent in made:
        close = method(agent, "close")
        if inspect.iscoroutine(agent):
            agent.close()
        elif close is not None and not runs_on_loop(close):
            close()
