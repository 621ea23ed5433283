"""An agent that ends the process ends the chat, which says so and leaves the terminal as it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Start: TypeAlias = Callable[..., Any]
Write: TypeAlias = Callable[..., Path]

AGENT = "import os\ndef make(): return answer\ndef answer(text):\n    print('bye', end='')\n    os._exit(0)\n"
TOLD = "error: the agent called os._exit(0): the chat ends here"


@pytest.fixture
def ending(tmp_path: Path, write_agent: Write) -> Path:
    """An agent that ends the process instead of a reply."""
    (tmp_path / "ending.py").write_text(AGENT)
    return write_agent(model={"provider": "python", "agent": "ending:make"})


def chat(folder: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "holodeck_cli", "chat"],
        cwd=folder,
        env=env,
        input="go\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.usefixtures("ending")
def test_in_a_pipe(tmp_path: Path, chat_env: Mapping[str, str]) -> None:
    done = chat(tmp_path, chat_env)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"bye\n{TOLD}\n")


@pytest.mark.usefixtures("ending")
def test_in_a_terminal(terminal: Start) -> None:
    chat = terminal()
    chat.prompt()
    chat.send("go\r")
    while chat.read(1.0):
        pass
    assert TOLD in chat.text
    assert chat.is_restored()
    assert chat.end() == 3


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "[t.cancel() for t in asyncio.all_tasks()]",
            "the agent cancelled every task, those of the chat too",
        ),
        ("raise GeneratorExit(key)", "the agent ended the chat: GeneratorExit: [redacted]"),
    ],
)
def test_what_is_no_failure_of_a_turn_ends_the_chat_in_a_line(
    tmp_path: Path, chat_env: Mapping[str, str], write_agent: Write, body: str, told: str
) -> None:
    (tmp_path / "ending.py").write_text(
        "import asyncio\ndef make(api_key):\n    key = api_key\n    async def answer(text):\n"
        f"        {body}\n        await asyncio.sleep(1)\n    return answer\n"
    )
    write_agent(model={"provider": "python", "agent": "ending:make", "api_key": "sk-0123456789"})
    done = chat(tmp_path, chat_env)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"error: {told}\n")


def test_while_it_is_loaded(tmp_path: Path, chat_env: Mapping[str, str], write_agent: Write) -> None:
    (tmp_path / "ending.py").write_text("import os\nos._exit(0)\n")
    write_agent(model={"provider": "python", "agent": "ending:make"})
    done = chat(tmp_path, chat_env)
    assert done.returncode == 3
    assert done.stderr == "error: os._exit(0) was called while the agent file was loaded\n"
