"""Agents that a file describes, talking to the scripted server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from openai_server.fixture import OpenAIServer, openai_process, openai_server  # noqa: F401 - fixtures

from holodeck_core import Reply, Session, Suite, UserMessage, load_suite

Play: TypeAlias = Callable[[dict[str, Any]], OpenAIServer]
Load: TypeAlias = Callable[..., Suite]
Talk: TypeAlias = Callable[..., Any]

TOOLS = '''
import asyncio, time

def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b

async def slowly(name: str, seconds: float) -> str:
    """Answer with the name, later."""
    await asyncio.sleep(seconds)
    return name

under_way = most = 0

async def count() -> int:
    """How many of these calls were under way at most."""
    global under_way, most
    under_way += 1
    most = max(most, under_way)
    await asyncio.sleep(0.01)
    under_way -= 1
    return most

def fail(why: str) -> str:
    """Fail."""
    raise LookupError(why)

async def cancel() -> None:
    """Cancel itself."""
    asyncio.current_task().cancel()
    await asyncio.sleep(1)

async def leave() -> None:
    """End the generator that it is not."""
    raise GeneratorExit("gone")

def now() -> dict:
    """The time, as a structure with braces."""
    return {"hour": 12, "zone": "{{$zone}}"}
'''


def functions(*names: str) -> list[dict[str, Any]]:
    """Function tools of the module above."""
    return [{"type": "function", "name": name, "file": "own_tools.py", "function": name} for name in names]


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    """Whether replies are asked for as a stream."""
    return bool(request.param)


@pytest.fixture
def load(tmp_path: Path, openai_process: OpenAIServer) -> Iterator[Load]:  # noqa: F811
    """Loads an agent that talks to the scripted server; keys of ``model`` may be changed."""

    def load(model: dict[str, Any] | None = None, **agent: Any) -> Suite:
        import json

        (tmp_path / "own_tools.py").write_text(TOOLS, encoding="utf-8")
        whole = {
            "name": "clerk",
            "model": {
                "provider": "openai",
                "name": "small",
                "endpoint": openai_process.endpoint,
                **(model or {}),
            },
            "instructions": {"inline": "You are a clerk."},
            **agent,
        }
        (tmp_path / "agent.yaml").write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
        return load_suite(tmp_path / "agent.yaml", environ={})

    yield load
    sys.modules.pop("own_tools", None)


@pytest.fixture
def talk(load: Load) -> Talk:
    """Loads an agent, opens a session and hands it to an async function; what that returns."""

    def talk(
        hold: Callable[[Session], Awaitable[Any]], model: dict[str, Any] | None = None, **agent: Any
    ) -> Any:
        suite = load(model, **agent)

        async def main() -> Any:
            session = await suite.backend.open(suite.agent)
            try:
                return await hold(session)
            finally:
                await session.close()
                await suite.backend.close()

        return asyncio.run(main())

    return talk


@pytest.fixture
def say(talk: Talk) -> Callable[..., list[Reply]]:
    """Loads an agent and says the texts to it, one after another; its replies."""

    def say(*texts: str, model: dict[str, Any] | None = None, **agent: Any) -> list[Reply]:
        async def hold(session: Session) -> list[Reply]:
            return [await session.send(UserMessage(text)) for text in texts]

        replies: list[Reply] = talk(hold, model, **agent)
        return replies

    return say


def text_of(message: Any) -> tuple[str, str]:
    """Role and text of a message of Semantic Kernel's history."""
    results = [getattr(item, "result", None) for item in message.items]
    return message.role.value, message.content or "".join(str(r) for r in results if r is not None)
