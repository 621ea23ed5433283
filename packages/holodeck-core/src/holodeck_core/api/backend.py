"""Backends: open conversations with one kind of agent."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import attrs
from pydantic import BaseModel

from holodeck_core.api.reply import Exchange, Reply, ReplyEvent, UserMessage, collect
from holodeck_core.models.agent import Agent
from holodeck_core.models.tool import Tool


class Fault(NamedTuple):
    """What a backend finds wrong with a part of the agent file: the keys that lead to it within that part, and why."""

    path: tuple[str | int, ...]
    message: str


@attrs.frozen
class CaseRef:
    """The test case that a session is opened for. ``name`` is None for a case without one."""

    index: int
    name: str | None = None
    conversation: str | None = None


class Session(ABC):
    """One conversation with the agent. It is used by one task at a time, and never for two test cases."""

    lost: str | None = None
    """Why the conversation cannot go on, set by the session itself after a failed turn; None while it can."""

    history: Any = None
    """The conversation as the backend itself keeps it: Semantic Kernel's ``ChatHistory``; None where it keeps none."""

    @abstractmethod
    def stream(self, message: UserMessage) -> AsyncIterator[ReplyEvent]:
        """Send a message; yield the events of the reply as they happen.

        Raise TransientError where trying again may help, and nothing has happened yet; SessionLost where the
        conversation cannot go on; anything else costs this turn. A failed or cancelled turn leaves the conversation
        as it was before it.
        """

    async def send(self, message: UserMessage) -> Reply:
        """The reply to a message, whole: the stream, collected."""
        return await collect(self.stream(message))

    async def restore(self, exchanges: Sequence[Exchange]) -> bool:
        """Go on from a conversation that was held earlier. Called before anything is sent, by a chat only.

        Return False where the agent cannot be given it, or not all of it: it then starts without a memory.
        """
        return False

    async def close(self) -> None:  # noqa: B027 - closing is optional
        """Release what the session holds. Called once, also after a failure or a cancellation."""


class Backend(ABC):
    """Opens sessions with the agent that ``model.provider`` names.

    Built while the file is loaded, from the keys of ``model`` that are its own and the folder that relative paths
    start from. Raise ValueError (or a pydantic ValidationError) for what is wrong in them: a message that begins with a
    key, in backticks, is shown where that stands. Raise ConfigError for what is wrong in a file that they name.
    """

    Options: ClassVar[type[BaseModel]]
    """The model of the backend's own keys under ``model``."""

    needs_instructions: ClassVar[bool] = False
    """Whether the agent cannot be run without ``instructions``."""

    runs_under_way: int = 0
    """How many runs have sessions with it; the engine counts them, and closes the backend after the last."""
    environ: Mapping[str, str] = os.environ
    """The environment, and the variables of the file that ``--env-file`` names. Set after the backend was built, and
    before anything else is asked of it."""

    def __init__(self, options: BaseModel, folder: Path) -> None:
        self.options = options
        self.folder = folder

    def check_case(self, case: CaseRef) -> str | None:
        """What makes this case impossible to run, found while the file is loaded; None where nothing does."""
        return None

    def sources(self) -> Iterable[Path]:
        """The files that replies come from, besides the agent file: a run is not resumed where one has changed."""
        return ()

    def check_tool(self, tool: Tool) -> Iterable[Fault]:
        """What makes this tool of the agent unusable, found while the file is loaded; paths start at the tool."""
        return ()

    def check_response_format(self, schema: Mapping[str, Any]) -> Iterable[Fault]:
        """What makes this ``response_format`` unusable, found while the file is loaded; paths start at the schema."""
        return ()

    def lacks(self) -> Iterable[Fault]:
        """What is missing on this machine to run the agent, such as a package or a key; paths start at ``model``.

        The file is none the worse for it: `holodeck validate` warns, and what is to run the agent refuses.
        """
        return ()

    async def warm_up(self) -> None:  # noqa: B027 - most have nothing that is slow
        """Do once, before the first session, what takes long: ``open`` does it otherwise, on the time of a turn."""

    @abstractmethod
    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        """A new conversation; ``case`` is None outside of a test run. What this raises costs the one case.

        ``agent.instructions``, where there are any, hold their text ``inline``, wherever the agent file has it.
        """

    async def close(self) -> None:  # noqa: B027 - closing is optional
        """Release what the backend holds, after its last session was closed. Others may be opened later."""
