"""What an agent, its tools and their processes print themselves is shown as text, and never over something else."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pexpect  # type: ignore[import-untyped]
import pytest

from holodeck_cli.chat.gate import OutputGate
from holodeck_core.redaction.redactor import Redactor

Run: TypeAlias = Callable[..., Any]
Start: TypeAlias = Callable[..., Any]
Write: TypeAlias = Callable[..., Path]

SECRET = "sk-0123456789abcdef"
AGENT = """
import asyncio, logging, os, subprocess, sys, threading, time
from holodeck_core import TextDelta
logging.basicConfig()
class Agent:
    def __init__(self, api_key=None): ...
    async def stream(self, message):
"""


@pytest.fixture
def agent(tmp_path: Path, write_agent: Write) -> Callable[[str], Path]:
    """An agent that answers with the lines of a body."""

    def agent(body: str) -> Path:
        (tmp_path / "loud.py").write_text(AGENT + "".join(f"        {line}\n" for line in body.split("\n")))
        return write_agent(model={"provider": "python", "agent": "loud:Agent", "api_key": SECRET})

    return agent


def shown(chat: Any) -> list[str]:
    """The lines between the message and the time that its reply took."""
    chat.say("go")
    lines: list[str] = chat.text.partition("> go\n")[2].split("\n")
    return lines[: next(i for i, line in enumerate(lines) if line.endswith((" ms", " s")))]


WAYS = {
    "print": (r"print('a\x1b[2J\x1b]0;t\x07b \u202ec')", ["ab c"]),
    "to standard error": (r"sys.stderr.write('one\ntwo')", ["two"]),
    "a logger that was there before": (r"logging.getLogger('x').warning('w\x1b[31m')", ["WARNING:x:w"]),
    "a process": (r"subprocess.run(['printf', 'sub\\033[31m\\n'])", ["sub"]),
    "bytes": (r"os.write(1, b'\xff\xe6\xbc'); os.write(1, b'\xa2\n')", ["\ufffd\u6f22"]),
    "a secret": (f"print('key {SECRET[:9]}', end=''); print('{SECRET[9:]}')", ["key [redacted]"]),
    "progress": (r"[sys.stderr.write(f'\r{n} %') for n in range(9)]; print(file=sys.stderr)", ["8 %"]),
    "a thread": ("t = threading.Thread(target=print, args=('t',)); t.start(); t.join()", ["t"]),
}


@pytest.mark.parametrize(("body", "lines"), WAYS.values(), ids=WAYS)
def test_what_is_printed_is_text(agent: Run, body: str, lines: list[str], tmp_path: Path) -> None:
    agent(f"{body}\nyield TextDelta('done')")
    done = subprocess.run(
        [sys.executable, "-m", "holodeck_cli", "chat"],
        cwd=tmp_path,
        input=b"go\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == b"done\n"
    assert done.stderr.decode().splitlines()[-len(lines) :] == lines


def test_it_stands_where_it_was_printed(terminal: Start, agent: Run) -> None:
    agent(
        "print('first')\nyield TextDelta('half ')\nprint('then')\nyield TextDelta('other')\nprint('last', end='')"
    )
    assert shown(terminal()) == ["first", "half", "then", "other", "last"]


def test_it_is_shown_while_the_agent_is_at_work(terminal: Start, agent: Run, tmp_path: Path) -> None:
    agent("print('at work')\nwhile not os.path.exists('go'): time.sleep(0.01)\nyield TextDelta('done')")
    chat = terminal()
    chat.prompt()
    chat.send("go\r")
    chat.wait_for("at work")
    (tmp_path / "go").touch()
    chat.wait_for("done")


def test_more_than_a_pipe_holds_stops_nobody(terminal: Start, agent: Run) -> None:
    agent("print('x' * 300_000)\nyield TextDelta('done')")
    assert shown(terminal())[-1] == "done"


def test_at_the_prompt_it_stands_above_what_is_written(terminal: Start, agent: Run, tmp_path: Path) -> None:
    agent(
        "async def later():\n"
        "    while not os.path.exists('go'): await asyncio.sleep(0.01)\n"
        "    print('from behind')\n"
        "asyncio.get_running_loop().background = asyncio.create_task(later())\n"
        "yield TextDelta('done')"
    )
    chat = terminal()
    chat.say("go")
    chat.send("half a mess")
    chat.wait_for("> half a mess")
    (tmp_path / "go").touch()
    chat.wait_for("from behind\n> half a mess")
    assert chat.text.count("half a mess") == 1
    chat.send("age")
    chat.wait_for("\n> half a message")


def test_an_error_in_a_task_leaves_the_prompt_alone(terminal: Start, agent: Run) -> None:
    agent("asyncio.get_running_loop().call_later(0.3, lambda: 1 / 0)\nyield TextDelta('done')")
    chat = terminal()
    chat.say("go")
    chat.wait_for("ZeroDivisionError: division by zero")
    chat.prompt()
    assert chat.text.count("Traceback") == 1
    assert "Press ENTER" not in chat.text
    chat.say("again")


@pytest.mark.parametrize(
    "body",
    [
        "sys.stdout.close()",
        "sys.stdout = sys.stderr = None",
        "sys.stdout = sys.__stdout__",
        "sys.__stdout__.close()",
        "os.close(1)",
    ],
)
def test_an_agent_may_do_away_with_the_streams(terminal: Start, agent: Run, body: str) -> None:
    agent(f"{body}\nyield TextDelta('done')")
    chat = terminal()
    assert shown(chat) == ["done"]
    chat.send("exit\r")
    assert chat.end() == 0


def test_a_log_that_was_set_up_in_the_chat_can_be_written_after_it(terminal: Start, agent: Run) -> None:
    logs = "logging.getLogger('late').addHandler(logging.StreamHandler())"
    agent(f"import atexit\n{logs}\natexit.register(logging.getLogger('late').warning, 'goodbye')\nyield ''")
    chat = terminal()
    chat.say("go")
    chat.send("exit\r")
    assert chat.end() == 0
    assert (chat.text.count("goodbye"), "Logging error" in chat.text) == (2, False)  # basicConfig's as well


@pytest.mark.parametrize(
    "body", ["os._exit(0)", "threading.Thread(target=os._exit, args=(0,)).start()\nawait asyncio.sleep(20)"]
)
def test_an_agent_that_ends_the_process_leaves_the_terminal_as_it_was(
    terminal: Start, agent: Run, body: str
) -> None:
    agent(f"print('last words')\n{body}\nyield TextDelta('done')")
    chat = terminal()
    chat.prompt()
    chat.send("go\r")
    chat.wait_for("error: the agent called os._exit(0): the chat ends here")
    assert chat.is_restored()
    assert "last words" in chat.text
    assert chat.end() == 3


def test_a_module_that_ends_the_process_starts_no_chat(agent: Run, tmp_path: Path, chat_env: Any) -> None:
    agent("yield TextDelta('done')")
    (tmp_path / "loud.py").write_text("import os\nos._exit(0)\n")
    command = [sys.executable, "-m", "holodeck_cli", "chat"]
    done = subprocess.run(
        command, cwd=tmp_path, env=chat_env, input="", capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: os._exit(0) was called while the agent file was loaded\n"


def test_at_a_terminal_standard_error_may_go_elsewhere(agent: Run, tmp_path: Path, chat_env: Any) -> None:
    writes = "print('kept', end='', file=sys.stderr, flush=True)\nos.write(2, b' as well')"
    agent(f"print('shown')\n{writes}\nyield TextDelta('done')")
    child = pexpect.spawn(
        "sh",
        ["-c", f"{shlex.quote(sys.executable)} -m holodeck_cli chat 2> log"],
        cwd=str(tmp_path),
        env=chat_env,
        encoding="utf-8",
        timeout=30,
    )
    child.expect(re.escape("\x1b[?2004h"))
    child.send("go\r")
    child.expect("shown.*done.*\x1b.\\?2004h")
    child.send("exit\r")
    child.expect(pexpect.EOF)
    assert "kept" not in child.before
    assert (tmp_path / "log").read_text() == "kept as well"


def test_a_process_that_is_left_behind_holds_up_nobody(terminal: Start, agent: Run) -> None:
    agent("subprocess.Popen(['sleep', '20'])\nyield TextDelta('done')")
    chat = terminal()
    chat.say("go")
    begun = time.monotonic()
    chat.send("exit\r")
    assert chat.end() == 0
    assert time.monotonic() - begun < 10


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_screen_that_cannot_be_written_ends_the_chat(agent: Run, tmp_path: Path) -> None:
    agent("print('loud')\nyield TextDelta('done')")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "holodeck_cli", "chat"],
            cwd=tmp_path,
            input=b"go\n",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    reason = os.strerror(28)
    assert (done.returncode, done.stderr.decode()) == (
        3,
        f"loud\nerror: standard output cannot be written: {reason}\n",
    )


PRINTED = [
    (["a\n", "b"], ["a\n", "", "b\n"]),
    (["a\rb\r\nc\r\n"], ["b\nc\n", ""]),
    (["\r1 %", "\r2 %", "\n"], ["", "", "2 %\n", ""]),
    (["\r1 %\r"], ["", "1 %\n"]),
    (["\x1b[3", "1mred\n"], ["", "red\n", ""]),
    ([SECRET[:5], SECRET[5:], "\n"], ["", "", "[redacted]\n", ""]),
    (["\n\n"], ["\n\n", ""]),
]


@pytest.mark.parametrize(("pieces", "lines"), PRINTED)
def test_lines_of_pieces(pieces: list[str], lines: list[str]) -> None:
    gate = OutputGate(Redactor([SECRET])).prints()
    assert [*map(gate.feed, pieces), gate.finish()] == lines


@pytest.mark.parametrize("state", ["\r{:06} %", "{:06} %\r"])
def test_of_progress_of_any_length_the_last_state_is_shown(state: str) -> None:
    gate = OutputGate().prints()
    assert {gate.feed(state.format(n)) for n in range(20_000)} == {""}
    assert gate.finish() == "019999 %\n"


def test_a_line_without_an_end_is_not_kept_back_for_ever() -> None:
    gate = OutputGate(Redactor([SECRET])).prints()
    parts = [part for _ in range(30) if (part := gate.feed("x" * 9_990 + SECRET))]
    assert len(parts) > 2
    assert all(part.endswith("\n") and part.count("\n") == 1 for part in parts)
    shown = "".join([*parts, gate.finish()]).replace("\n", "")
    assert shown == f"{'x' * 9_990}[redacted]" * 30
