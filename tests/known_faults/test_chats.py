"""Chats that let an agent write on the terminal, or that took a key or a paste for something else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pexpect  # type: ignore[import-untyped]
import pytest

Write: TypeAlias = Callable[..., Path]

ECHO = """
class Agent:
    def __init__(self): self.heard = []
    async def send(self, message):
        self.heard.append(message.text)
        return f"heard {len(self.heard)}: {message.text!r}"
"""
PROMPT = "\x1b\\[\\?2004h"  # the editor is ready


def environment(**extra: str) -> dict[str, str]:
    hidden = ("HOLODECK_", "NO_COLOR", "TERM", "COLUMNS", "PYTHONIOENCODING", "LC_", "LANG")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **extra}


def piped(folder: Path, text: str, *args: str, **extra: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "holodeck_cli", "chat", *args],
        cwd=folder,
        env=environment(**extra),
        input=text.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )


def in_terminal(folder: Path) -> Any:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "holodeck_cli", "chat"],
        cwd=str(folder),
        env=environment(),
        encoding="utf-8",
        dimensions=(30, 100),
        timeout=30,
    )
    child.expect(PROMPT)
    return child


def ended(child: Any) -> tuple[int, str]:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


@pytest.fixture
def scripted(write: Write, tmp_path: Path) -> Callable[..., Path]:
    """An agent that says one thing after the other."""

    def scripted(*replies: dict[str, Any]) -> Path:
        write({"model": {"provider": "scripted", "replies": list(replies)}})
        return tmp_path

    return scripted


@pytest.fixture
def echo(write: Write, tmp_path: Path) -> Path:
    """An agent that says what it has heard."""
    write({"model": {"provider": "python", "agent": "echo_agent:Agent"}}, echo_agent=ECHO)
    return tmp_path


SAID = [
    ("before\x1b]52;c;SGVsbG8=\x07after", "beforeafter"),
    ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x1b[31mred\x1bc\x1b[2J\x1bP+q\x1b\\", "red"),
    ("a\rb\x08\x08\x07", "a\nb"),
    ("tab\tand\nline", "tab\tand\nline"),
    ("all of\x1b]0;this stays", "all of0;this stays"),
    ("pay \u202eevil\u202c now \u2066x\u2069 \u200b\U000e0041", "pay evil now x "),
    ("👩\u200d🚀 \u0645\u0651", "👩\u200d🚀 \u0645\u0651"),
    (
        "see [/etc/hosts], [bold and [/] and arr[0] and [link=http://x]y[/link]",
        "see [/etc/hosts], [bold and [/] and arr[0] and [link=http://x]y[/link]",
    ),
]


def test_what_an_agent_says_is_text(scripted: Callable[..., Path]) -> None:
    folder = scripted(
        *({"reply": said} for said, _ in SAID), *({"reply": said, "chunks": len(said)} for said, _ in SAID)
    )
    done = piped(folder, "go on\n" * 2 * len(SAID))
    shown = [line for _, shown in SAID for line in shown.split("\n")]
    assert done.stdout.decode().split("\n") == [*shown, *shown, ""]


def test_names_and_keys_are_text_as_well(scripted: Callable[..., Path]) -> None:
    call = {"name": "get\x1b]0;pwned\x07", "args": {"k\x1b[31m": "v\x1b[2J"}, "error": "e\x1b[1A\u202e"}
    folder = scripted({"reply": "ok", "calls": [call]}, {"error": "out of \x1b[2Jorder"})
    for args in ([], ["-v"]):
        done = piped(folder, "one\ntwo\n/history\n/tools\n", *args)
        assert done.stderr.decode().startswith("tool get(k: ")
        assert b"AgentError: out of order\n" in done.stderr
        shown = (done.stdout + done.stderr).decode()
        assert [mark for mark in ("\x1b", "\x07", "\u202e") if mark in shown] == []


class TestPasting:
    def test_a_paste_is_one_message_and_its_marks_reach_nobody(self, echo: Path) -> None:
        child = in_terminal(echo)
        child.send("\x1b[200~line one\nline two\n\x1b[201~")
        child.expect("line two")
        child.send("\r")
        child.expect("heard 1: 'line one\\\\nline two'")
        child.sendeof()
        assert ended(child)[0] == 0

    @pytest.mark.parametrize(
        "text", ["line one\nline two\n", "line one\r\nline two\r\n", "line one\nline two"]
    )
    def test_without_marks_every_line_is_a_message(self, echo: Path, text: str) -> None:
        done = piped(echo, text)
        assert (done.returncode, done.stdout) == (0, b"heard 1: 'line one'\nheard 2: 'line two'\n")
        child = in_terminal(echo)
        child.send(text.rstrip() + "\r")
        child.expect("heard 1: 'line one'")
        child.expect("heard 2: 'line two'")
        child.sendeof()
        assert ended(child)[0] == 0

    def test_marks_in_a_pipe_reach_nobody_either(self, echo: Path) -> None:
        assert piped(echo, "\x1b[200~one\x1b[201~\n").stdout == b"heard 1: 'one'\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_a_stream_cannot_show_is_replaced(scripted: Callable[..., Path], encoding: str) -> None:
    folder = scripted({"reply": "naïve 漢字 ✓", "calls": [{"name": "✗"}]})
    done = piped(folder, "hi\n/help\n/history\n", PYTHONIOENCODING=encoding, LC_ALL="C", NO_COLOR="1")
    assert done.returncode == 0
    assert done.stdout.decode(encoding).splitlines()[0] in ("na?ve ?? ?", "naïve ?? ?")
    assert b"\x1b" not in done.stdout + done.stderr


def test_ctrl_c_stops_the_reply_and_not_the_chat(scripted: Callable[..., Path]) -> None:
    child = in_terminal(scripted({"reply": "first"}, {"reply": "never", "delay": 60}, {"reply": "third"}))
    child.send("one\r")
    child.expect("first")
    child.expect(PROMPT)
    child.send("two\r")
    child.expect("waiting for the agent")
    child.send("\x03")
    child.expect("stopped")
    child.expect(PROMPT)
    child.send("three\r")
    child.expect("third")
    child.expect(PROMPT)
    child.send("\x03")
    child.expect("Ctrl-C again leaves")
    child.expect(PROMPT)
    child.send("\x03")
    code, rest = ended(child)
    assert (code, "Traceback" in rest) == (130, False)


@pytest.mark.parametrize("before", ["", "half a line"], ids=["empty line", "in a line"])
def test_ctrl_d_leaves_from_an_empty_line_alone(echo: Path, before: str) -> None:
    child = in_terminal(echo)
    child.send(before)
    if before:
        child.expect(before)
        child.send("\x04")
        child.send("\r")
        child.expect(f"heard 1: '{before}'")
        child.expect(PROMPT)
    child.send("\x04")
    code, rest = ended(child)
    assert (code, "Traceback" in rest) == (0, False)


def test_an_input_without_anything_in_it_is_an_end(echo: Path) -> None:
    done = piped(echo, "")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_agent_whose_case_names_are_hostile_can_be_talked_to(write: Write, tmp_path: Path) -> None:
    write(
        {
            "model": {"provider": "scripted", "replies": [{"reply": "ok"}]},
            "name": "a\x1b[2J",
            "test_cases": [{"name": "t\x1b[2J", "input": "hi", "expected_tools": []}],
        }
    )
    done = piped(tmp_path, "hi\n")
    assert (done.stdout, done.stderr) == (b"ok\n", b"")
