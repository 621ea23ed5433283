"""The chat in a real terminal: a pseudo-terminal, what it shows drawn by an emulator."""

from __future__ import annotations

import io
import json
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pexpect  # type: ignore[import-untyped]
import pyte
import pytest

from holodeck_cli.main import main

COLUMNS, ROWS = 100, 40
Write: TypeAlias = Callable[..., Path]


class Terminal:
    """``holodeck chat`` in a terminal of 100 columns and 40 rows."""

    def __init__(self, args: list[str], folder: Path, env: Mapping[str, str]) -> None:
        self.screen = pyte.HistoryScreen(COLUMNS, ROWS, history=10_000)
        self._stream = pyte.Stream(self.screen)
        self.raw = ""
        self.started = time.monotonic()
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "holodeck_cli", "chat", *args],
            cwd=str(folder),
            env=dict(env),
            encoding="utf-8",
            codec_errors="surrogateescape",
            dimensions=(ROWS, COLUMNS),
            timeout=30,
        )

    def read(self, seconds: float = 0.05) -> bool:
        """Draw what has come; False at the end of the program."""
        try:
            piece = self.child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += piece
        self._stream.feed(piece)
        return True

    @property
    def lines(self) -> list[str]:
        """The lines on the screen, those that have scrolled away included."""
        above = ["".join(row[x].data for x in range(COLUMNS)).rstrip() for row in self.screen.history.top]
        return [*above, *(line.rstrip() for line in self.screen.display)]

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines).rstrip()

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Read until something holds."""
        end = time.monotonic() + 20
        while not done():
            assert self.read(), f"ended before {what}:\n{self.text}"
            assert time.monotonic() < end, f"no {what}:\n{self.text}"

    def wait_for(self, text: str) -> None:
        """Read until the text can be seen."""
        self.wait(lambda: text in self.text, repr(text))

    def prompt(self) -> None:
        """Read until the prompt waits for a new message."""
        self.wait(lambda: self._at_prompt(), "prompt")

    def _at_prompt(self) -> bool:
        line = self.screen.display[self.screen.cursor.y]
        editing = self.raw.rfind("\x1b[?2004h") > self.raw.rfind("\x1b[?2004l")
        return editing and line.rstrip() == ">" and self.screen.cursor.x == 2

    def send(self, text: str) -> None:
        """Type."""
        self.child.send(text)

    def say(self, text: str) -> None:
        """Type a message, send it, and wait until the next prompt."""
        self.prompt()
        self.send(text)
        self.wait_for(text.split("\n")[0][-60:])
        self.enter()

    def enter(self) -> None:
        """Send what is written, and wait until the next prompt."""
        drawn = self.raw.count("\x1b[?2004h")
        self.send("\r")
        self.wait(lambda: self.raw.count("\x1b[?2004h") > drawn and self._at_prompt(), "next prompt")

    def is_restored(self) -> bool:
        """Whether the terminal is as a shell expects it: echo, line editing and cursor on."""
        modes = termios.tcgetattr(self.child.child_fd)[3]
        return bool(modes & termios.ECHO and modes & termios.ICANON) and not self.screen.cursor.hidden

    def end(self) -> int | None:
        """Wait for the end of the program; its exit code."""
        end = time.monotonic() + 20
        while self.read():
            assert time.monotonic() < end, f"does not end:\n{self.text}"
        self.child.close()
        code: int | None = self.child.exitstatus
        return code


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of saved conversations."""
    return tmp_path / "data" / "holodeck" / "conversations"


@pytest.fixture
def chat_env(
    tmp_path: Path, environment: Callable[[Mapping[str, str] | None], dict[str, str]]
) -> dict[str, str]:
    """The environment of a chat in a terminal."""
    return environment({"TERM": "xterm-256color", "XDG_DATA_HOME": str(tmp_path / "data")})


@pytest.fixture
def write_agent(tmp_path: Path) -> Write:
    """Write an agent file: scripted with replies, or from keys."""

    def write(*replies: dict[str, Any], name: str = "agent.yaml", **keys: Any) -> Path:
        agent = {"name": "desk", "model": {"provider": "scripted", "replies": list(replies)}, **keys}
        path = tmp_path / name
        path.write_text(json.dumps(agent, ensure_ascii=False), encoding="utf-8")
        return path

    return write


@pytest.fixture
def terminal(tmp_path: Path, chat_env: dict[str, str]) -> Iterator[Callable[..., Terminal]]:
    """Start a chat in a terminal; whatever still runs at the end of the test is killed."""
    running: list[Terminal] = []

    def start(*args: str, env: Mapping[str, str] | None = None) -> Terminal:
        running.append(Terminal(list(args), tmp_path, {**chat_env, **(env or {})}))
        return running[-1]

    yield start
    for each in running:
        each.child.close(force=True)


class Done(NamedTuple):
    """How a chat ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def piped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], data: Path
) -> Callable[..., Done]:
    """Run a chat with an input, in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(data.parents[1]))

    def run(text: str | bytes, *args: str, env: Mapping[str, str] | None = None) -> Done:
        for name, value in (env or {}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(text if isinstance(text, bytes) else text.encode()))
        )
        capsys.readouterr()
        code = main(["chat", *args])
        for name, module in list(sys.modules.items()):  # each test has modules of its own
            if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
                del sys.modules[name]
        return Done(code, *capsys.readouterr())

    return run
