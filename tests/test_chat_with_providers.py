"""``holodeck chat`` with an agent that the file describes, against the scripted server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pexpect  # type: ignore[import-untyped]
import pytest
from openai_server.fixture import OpenAIServer, openai_process, openai_server  # noqa: F401 - fixtures

pytest.importorskip("semantic_kernel")

Play: TypeAlias = Callable[[dict[str, Any]], OpenAIServer]

TURNS = [
    {
        "user": "What is 2 + 3?",
        "steps": [
            {"text": "Let me see.", "calls": [{"name": "add", "args": {"a": 2, "b": 3}}]},
            {"text": "It is {{results}}."},
        ],
    },
    {"user": "Again?", "text": "Still 5. You said: {{users}}"},
    {"user": "Slowly", "pieces": ["one ", "two ", "three"], "piece_delay": 1},
]
KEY = "sk-a-key-of-some-length"


@pytest.fixture
def agent(tmp_path: Path, openai_server: Play) -> OpenAIServer:  # noqa: F811
    server = openai_server({"turns": TURNS})
    (tmp_path / "own.py").write_text('def add(a: int, b: int) -> int:\n    """Add."""\n    return a + b\n')
    (tmp_path / "agent.yaml").write_text(
        json.dumps(
            {
                "name": "adder",
                "instructions": {"inline": "Add."},
                "model": {
                    "provider": "openai",
                    "name": "m",
                    "endpoint": server.endpoint,
                    "api_key": KEY,
                    "stream": True,
                },
                "tools": [{"type": "function", "name": "add", "file": "own.py", "function": "add"}],
            }
        )
    )
    return server


def environment(folder: Path) -> dict[str, str]:
    hidden = ("HOLODECK_", "NO_COLOR", "OPENAI_", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "XDG_DATA_HOME": str(folder / "data")}


def piped(folder: Path, text: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "holodeck_cli", "chat", *args],
        cwd=folder,
        env=environment(folder),
        input=text,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_a_conversation_that_is_resumed_is_sent_to_the_model(tmp_path: Path, agent: OpenAIServer) -> None:
    first = piped(tmp_path, "What is 2 + 3?\n/history\n/save sum\n/export again.jsonl\n")
    assert first.returncode == 0, first.stderr
    assert "It is 5.\nyou: What is 2 + 3?\n" in first.stdout
    assert "agent: It is 5.\n" in first.stdout
    assert KEY not in (tmp_path / "data/holodeck/conversations/sum.json").read_text()
    second = piped(tmp_path, "Again?\n", "--resume", "sum")
    assert second.returncode == 0, second.stderr
    assert "Still 5. You said: What is 2 + 3? | Again?" in second.stdout
    assert "remembers nothing" not in second.stderr
    *_, last = agent.requests()
    messages = last["body"]["messages"]
    assert [message["role"] for message in messages] == [
        *("system", "user", "assistant", "tool", "assistant", "user")
    ]
    assert messages[2]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a": 2, "b": 3}'}
    assert messages[3]["content"] == "5"


def test_in_a_terminal(tmp_path: Path, agent: OpenAIServer) -> None:
    begun = time.monotonic()
    validated = subprocess.run(
        [sys.executable, "-m", "holodeck_cli", "validate"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        check=False,
    )
    assert validated.returncode == 0
    checking = time.monotonic() - begun
    begun = time.monotonic()
    child = pexpect.spawn(
        sys.executable,
        ["-m", "holodeck_cli", "chat"],
        cwd=str(tmp_path),
        env=environment(tmp_path),
        encoding="utf-8",
        dimensions=(40, 100),
        timeout=60,
    )
    child.expect("\x1b\\[\\?2004h")  # the prompt takes input; Semantic Kernel is still being imported
    assert time.monotonic() - begun < 2 * checking + 1
    child.send("What is 2 \\+ 3?\r".replace("\\", ""))
    child.expect("Let me see")
    child.expect("tool add\\(a: 2, b: 3\\): ok")
    child.expect("It is 5")
    child.expect("\x1b\\[\\?2004h")
    child.send("Slowly\r")
    child.expect("one ")
    child.sendintr()
    child.expect("stopped; the conversation is as it was")
    child.expect("\x1b\\[\\?2004h")
    child.send("Again?\r")
    child.expect("You said: What is 2 \\+ 3\\? \\| Again\\?")
    child.expect("\x1b\\[\\?2004h")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
