"""Backends for agents that are Python objects: made by a factory for each session, or one object for all of them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel

from holodeck_core.api.backend import Backend, CaseRef, Session
from holodeck_core.api.faults import USER_FAULTS
from holodeck_core.api.reporter import NoOptions
from holodeck_core.backends.agent_sessions import method, session_with
from holodeck_core.backends.blocking import BlockingCalls, runs_on_loop, settled
from holodeck_core.backends.factory import Factory
from holodeck_core.backends.faults import classify
from holodeck_core.config.binding.used_files import module_files
from holodeck_core.engine.workers import Workers
from holodeck_core.models.agent import Agent

_DISPOSAL_S = 5.0


class FactoryBackend(Backend):
    """Opens sessions with what a factory makes, once for each. ``spec`` is the factory's name, as ``module:name``.

    Whatever is not asynchronous runs in a worker thread.
    """

    Options: ClassVar[type[BaseModel]] = NoOptions

    def __init__(self, options: BaseModel, folder: Path, spec: str, factory: Factory) -> None:
        super().__init__(options, folder)
        self._spec = spec
        self._factory = factory
        self._workers = Workers()

    @classmethod
    def of(cls, folder: Path, spec: str, factory: Factory) -> FactoryBackend:
        """One without options."""
        return FactoryBackend(NoOptions(), folder, spec, factory)

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
            loop = asyncio.get_running_loop()
            if not calls.leave(lambda: _dispose_from_afar(made, loop)):
                # boundary: an agent may raise anything, and nobody is to use this one
                with suppress(Exception):
                    async with asyncio.timeout(_DISPOSAL_S):
                        await calls.call(lambda: _dispose(made))
                        await _close_on_loop(made)
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


def _dispose_from_afar(made: list[object], loop: asyncio.AbstractEventLoop) -> None:
    """In the thread that made it, after the loop has gone on, and perhaps ended."""
    _dispose(made)
    if not loop.is_closed():
        asyncio.run_coroutine_threadsafe(_close_on_loop(made), loop)


async def _close_on_loop(made: list[object]) -> None:
    for agent in made:
        close = method(agent, "close")
        if close is not None and runs_on_loop(close):
            await close()


class SharedAgent(Backend):
    """One agent that answers in every session. Closing it is left to whoever made it.

    Raises TypeError where it is nothing that answers.
    """

    Options: ClassVar[type[BaseModel]] = NoOptions

    def __init__(self, folder: Path, spec: str, agent: object) -> None:
        super().__init__(NoOptions(), folder)
        self._spec = spec
        self._agent = agent
        self._workers = Workers()
        self._session()

    def sources(self) -> Iterable[Path]:
        return module_files(self._spec)

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        return self._session()

    async def close(self) -> None:
        self._workers.close()
        self._workers = Workers()

    def _session(self) -> Session:
        session = session_with(self._agent, BlockingCalls(self._workers, self._spec))
        session.owns_agent = False
        return session
