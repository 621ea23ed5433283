"""A session that goes on from a conversation held earlier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import Exchange, Reply, Session, SessionLost, UserMessage, load_suite

AGENT = """
from holodeck_core import SessionLost

class Remembers:
    def __init__(self):
        self.said = []
    {kind} restore(self, exchanges):
        self.said += [(each.message.text, each.reply.text) for each in exchanges]
    def send(self, message):
        return str(self.said)

class Forgets:
    def send(self, message):
        return "new here"

class Fails(Forgets):
    def restore(self, exchanges):
        raise {error}
"""


def exchanges(*said: str) -> list[Exchange]:
    return [Exchange(UserMessage(text), Reply(f"re {text}")) for text in said]


async def opened(folder: Path, **model: Any) -> Session:
    (folder / "agent.yaml").write_text(json.dumps({"name": "a", "model": model}))
    suite = load_suite(folder / "agent.yaml")
    return await suite.backend.open(suite.agent)


@pytest.fixture
def module(tmp_path: Path) -> Any:
    def write(kind: str = "def", error: str = "ValueError('no')") -> str:
        name = f"agent_{abs(hash((tmp_path, kind, error)))}"
        (tmp_path / f"{name}.py").write_text(AGENT.format(kind=kind, error=error))
        return name

    return write


async def test_a_script_goes_on_behind_what_was_used(tmp_path: Path) -> None:
    replies = [{"reply": "1"}, {"input": "two", "reply": "2"}, {"reply": "3"}]
    session = await opened(tmp_path, provider="scripted", replies=replies)
    assert await session.restore(exchanges("one", "two"))
    assert (await session.send(UserMessage("three"))).text == "3"


async def test_a_script_that_is_too_short_starts_anew(tmp_path: Path) -> None:
    session = await opened(tmp_path, provider="scripted", replies=[{"reply": "1"}])
    assert not await session.restore(exchanges("one", "two"))
    assert (await session.send(UserMessage("one"))).text == "1"


async def test_a_recording_goes_on_behind_what_was_sent(tmp_path: Path) -> None:
    messages = [{"role": role, "content": text} for text in ("a", "b", "c") for role in ("user", "assistant")]
    (tmp_path / "r.jsonl").write_text(json.dumps({"id": "x", "messages": messages}) + "\n")
    session = await opened(tmp_path, provider="replay", file="r.jsonl")
    assert await session.restore(exchanges("a", "b"))
    assert (await session.send(UserMessage("c"))).text == "c"
    other = await opened(tmp_path, provider="replay", file="r.jsonl")
    assert not await other.restore(exchanges("a", "other"))
    assert (await other.send(UserMessage("a"))).text == "a"


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_an_agent_that_can_is_given_it(tmp_path: Path, module: Any, kind: str) -> None:
    session = await opened(tmp_path, provider="python", agent=f"{module(kind)}:Remembers")
    assert await session.restore(exchanges("one"))
    assert (await session.send(UserMessage("?"))).text == "[('one', 're one')]"


async def test_an_agent_that_cannot_starts_without_a_memory(tmp_path: Path, module: Any) -> None:
    session = await opened(tmp_path, provider="python", agent=f"{module()}:Forgets")
    assert not await session.restore(exchanges("one"))


@pytest.mark.parametrize(
    ("error", "raised"),
    [("ValueError('no')", ValueError), ("SystemExit(3)", Exception), ("SessionLost('gone')", SessionLost)],
)
async def test_an_agent_that_fails_says_so(
    tmp_path: Path, module: Any, error: str, raised: type[Exception]
) -> None:
    session = await opened(tmp_path, provider="python", agent=f"{module(error=error)}:Fails")
    with pytest.raises(raised):
        await session.restore(exchanges("one"))
