"""``holodeck chat`` in a terminal, as a person uses it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pexpect  # type: ignore[import-untyped]
import pytest

Start: TypeAlias = Callable[..., Any]
Write: TypeAlias = Callable[..., Path]

HELLO = {"reply": "Hello, I am here."}


def test_the_prompt_appears_and_a_message_is_answered(terminal: Start, write_agent: Write) -> None:
    write_agent(HELLO)
    chat = terminal()
    chat.say("hi")
    assert chat.lines[0] == "desk (scripted); /help shows the commands"
    assert "> hi\nHello, I am here.\n" in chat.text


def test_the_prompt_comes_before_the_agent_has_started(
    terminal: Start, write_agent: Write, tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text(
        "import asyncio\nasync def open_it():\n    await asyncio.sleep(3)\n    return lambda text: 'up'\n"
    )
    write_agent(model={"provider": "python", "agent": "slow:open_it"})
    chat = terminal()
    chat.prompt()
    begun = time.monotonic()
    chat.send("hi\r")
    chat.wait_for("the agent starts")
    chat.wait_for("up\n")
    assert time.monotonic() - begun > 1


def test_a_reply_appears_piece_by_piece(terminal: Start, write_agent: Write, tmp_path: Path) -> None:
    (tmp_path / "pieces.py").write_text(
        "import asyncio\n"
        "from pathlib import Path\n"
        "from holodeck_core import TextDelta\n"
        "class Agent:\n"
        "    async def stream(self, message):\n"
        "        for word in ('one ', 'two ', 'three'):\n"
        "            yield TextDelta(word)\n"
        "            while not Path(word.strip()).exists():\n"
        "                await asyncio.sleep(0.01)\n"
    )
    write_agent(model={"provider": "python", "agent": "pieces:Agent"})
    chat = terminal()
    chat.prompt()
    chat.send("go\r")
    for shown, not_yet in (("one", "two"), ("one two", "three"), ("one two three", "ms")):
        chat.wait_for(f"> go\n{shown}")
        assert not_yet not in chat.text.partition("> go")[2]
        (tmp_path / shown.split()[-1]).touch()
    chat.prompt()


def test_tool_calls_show_as_they_happen(terminal: Start, write_agent: Write, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        "import asyncio\n"
        "from pathlib import Path\n"
        "from holodeck_core import TextDelta, ToolStarted, ToolFinished\n"
        "class Agent:\n"
        "    async def stream(self, message):\n"
        "        yield TextDelta('Let me see.')\n"
        "        yield ToolStarted('1', 'look_up', {'order': 'LM-1', 'deep': {'a': [1, 2]}})\n"
        "        while not Path('go').exists():\n"
        "            await asyncio.sleep(0.01)\n"
        "        yield ToolFinished('1', {'total': 3}, None, 12.3)\n"
        "        yield ToolStarted('2', 'pay', {})\n"
        "        yield ToolFinished('2', None, 'no money', 2500)\n"
        "        yield TextDelta('Done.')\n"
    )
    write_agent(model={"provider": "python", "agent": "tools:Agent"})
    chat = terminal()
    chat.prompt()
    chat.send("go\r")
    chat.wait_for('calling look_up(order: "LM-1", deep: {"a": [1, 2]})')
    (tmp_path / "go").touch()
    chat.prompt()
    shown = chat.text.partition("> go\n")[2].split("\n")
    assert shown[:4] == [
        "Let me see.",
        'tool look_up(order: "LM-1", deep: {"a": [1, 2]}): ok, 12 ms',
        "tool pay(): failed, 2.5 s: no money",
        "Done.",
    ]


def test_verbose_shows_tool_calls_in_full(terminal: Start, write_agent: Write) -> None:
    long = "x" * 300
    write_agent({"reply": "ok", "calls": [{"name": "f", "args": {"a": long}, "result": {"b": [1]}}]})
    chat = terminal("-v")
    chat.say("go")
    shown = chat.text.replace("\n", "")
    assert f'"a": "{long}"' in shown
    assert re.search(r'result: \{ +"b": \[ +1 +\] +\}', shown)


def test_tokens_and_time_stand_below_a_reply(terminal: Start, write_agent: Write) -> None:
    usage = {"prompt_tokens": 120, "completion_tokens": 30, "cache_read_tokens": 100}
    write_agent({"reply": "a", "usage": usage}, {"reply": "b", "usage": usage}, {"reply": "c"})
    chat = terminal()
    for _ in range(3):
        chat.say("hi")
    shown = re.sub(r"\d+ ms", "N ms", chat.text)
    assert "a\n120 + 30 tokens, 100 from the cache (150 in all), N ms" in shown
    assert "b\n120 + 30 tokens, 100 from the cache (300 in all), N ms" in shown
    assert "c\nN ms" in shown


def test_a_failing_agent_is_told_and_the_chat_goes_on(terminal: Start, write_agent: Write) -> None:
    write_agent({"error": "out of order"}, HELLO)
    chat = terminal()
    chat.say("hi")
    assert "AgentError: out of order" in chat.text
    chat.say("hi again")
    assert "Hello, I am here." in chat.text


def test_an_agent_that_asks_for_input_takes_no_message(
    terminal: Start, write_agent: Write, tmp_path: Path
) -> None:
    (tmp_path / "asking.py").write_text(
        "def make():\n    return lambda text: input() if text == 'ask' else 'heard'\n"
    )
    write_agent(model={"provider": "python", "agent": "asking:make"})
    chat = terminal()
    chat.say("ask")
    chat.wait_for("EOFError")
    chat.prompt()
    chat.send("hello\r")
    chat.wait_for("heard\n")


def test_an_empty_reply_is_told(terminal: Start, write_agent: Write) -> None:
    write_agent({"reply": " "})
    chat = terminal()
    chat.say("hi")
    assert "(the agent replied with no text)" in chat.text


class TestCtrlC:
    def test_during_a_reply_it_stops_the_reply_and_the_chat_goes_on(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent({"reply": "first"}, {"reply": "never", "delay": 30}, {"reply": "third"})
        chat = terminal()
        chat.say("one")
        chat.prompt()
        chat.send("two\r")
        chat.wait_for("waiting for the agent")
        chat.send("\x03")
        chat.wait_for("stopped; the conversation is as it was before your message")
        chat.say("three")
        chat.say("/history")
        assert chat.text.partition("/history\n")[2].split("\n")[:4] == [
            *("you: one", "agent: first", "you: three", "agent: third")
        ]
        assert "Traceback" not in chat.text

    def test_in_the_middle_of_a_call_and_of_a_text(
        self, terminal: Start, write_agent: Write, tmp_path: Path
    ) -> None:
        (tmp_path / "stuck.py").write_text(
            "import asyncio\n"
            "from holodeck_core import TextDelta, ToolStarted\n"
            "class Agent:\n"
            "    async def stream(self, message):\n"
            "        yield TextDelta('half a sent')\n"
            "        yield ToolStarted('1', 'search', {'q': 'x'})\n"
            "        await asyncio.sleep(60)\n"
        )
        write_agent(model={"provider": "python", "agent": "stuck:Agent"})
        chat = terminal()
        chat.prompt()
        chat.send("go\r")
        chat.wait_for("calling search")
        chat.send("\x03")
        chat.prompt()
        shown = chat.text.partition("> go\n")[2].split("\n")
        assert shown[:3] == [
            "half a sent",
            'tool search(q: "x"): did not finish',
            "stopped; the conversation is as it was before your message",
        ]

    def test_a_second_one_leaves_an_agent_that_cannot_be_stopped(
        self, terminal: Start, write_agent: Write, tmp_path: Path
    ) -> None:
        (tmp_path / "busy.py").write_text(
            "import time\nclass Agent:\n    async def send(self, message):\n"
            "        print('busy', flush=True)\n        time.sleep(60)\n"
        )
        write_agent(model={"provider": "python", "agent": "busy:Agent"})
        chat = terminal()
        chat.prompt()
        chat.send("go\r")
        chat.wait_for("busy")
        chat.child.kill(signal.SIGINT)
        time.sleep(0.3)
        chat.child.kill(signal.SIGINT)
        assert chat.end() == 130

    def test_while_an_agent_does_not_stop_the_way_out_is_told(
        self, terminal: Start, write_agent: Write, tmp_path: Path
    ) -> None:
        (tmp_path / "deaf.py").write_text(
            "import asyncio\nclass Agent:\n    async def send(self, message):\n"
            "        while True:\n            try:\n                await asyncio.sleep(60)\n"
            "            except asyncio.CancelledError:\n                pass\n"
        )
        write_agent(model={"provider": "python", "agent": "deaf:Agent"})
        chat = terminal()
        chat.prompt()
        chat.send("go\r")
        chat.wait_for("waiting for the agent")
        chat.send("\x03")
        chat.wait_for("stopping; Ctrl-C again leaves at once")
        chat.send("\x03")
        assert chat.end() == 130

    def test_an_agent_that_is_given_up_in_its_thread_is_lost_and_another_begun(
        self, terminal: Start, write_agent: Write, tmp_path: Path
    ) -> None:
        (tmp_path / "thread.py").write_text(
            "import time\nclass Agent:\n    def send(self, message):\n"
            "        time.sleep(60 if message.text == 'sleep' else 0)\n        return 'awake'\n"
        )
        write_agent(model={"provider": "python", "agent": "thread:Agent"})
        chat = terminal()
        chat.prompt()
        chat.send("sleep\r")
        chat.wait_for("waiting for the agent")
        chat.send("\x03")
        chat.wait_for("the conversation cannot go on")
        chat.say("hello")
        assert "not sent: the conversation cannot go on" in chat.text
        chat.say("/clear")
        chat.say("hello again")
        assert "awake" in chat.text

    def test_at_the_prompt_it_clears_the_line_and_twice_leaves(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("do not send this")
        chat.wait_for("send this")
        chat.send("\x03")
        chat.wait_for("Ctrl-C again leaves, and so does Ctrl-D")
        chat.prompt()
        chat.send("\x03")
        assert chat.end() == 130
        assert "Hello" not in chat.text
        assert "Traceback" not in chat.text

    def test_with_something_written_in_between_it_clears_again(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent(HELLO)
        chat = terminal()
        hints: list[int] = []
        for word in ("one", "two"):
            chat.prompt()
            chat.send(word)
            chat.wait_for(f"> {word}")
            chat.send("\x03")
            hints.append(len(hints) + 1)
            chat.wait(lambda: chat.text.count("again leaves") == len(hints), "hint")
        chat.say("three")
        assert "Hello" in chat.text

    def test_in_a_search_it_ends_the_search(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO, {"reply": "And again."})
        chat = terminal()
        chat.say("hi")
        chat.send("\x12zzz")
        chat.wait_for("I-search backward: zzz")
        chat.send("\x03")
        chat.wait(lambda: "I-search" not in chat.text, "end of the search")
        chat.say("hi again")
        assert "And again." in chat.text

    def test_a_signal_in_a_search_clears_the_line(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("\x12zzz")
        chat.wait_for("I-search backward: zzz")
        chat.child.kill(signal.SIGINT)
        chat.wait_for("again leaves")
        chat.say("hi")
        assert "Hello, I am here." in chat.text

    def test_a_signal_at_the_prompt_is_the_same(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        for _ in range(2):
            chat.prompt()
            chat.child.kill(signal.SIGINT)
            chat.wait(lambda: "again leaves" in chat.text, "hint")
        assert chat.end() == 130


class TestOtherSignals:
    @pytest.mark.skipif(shutil.which("bash") is None, reason="suspending takes a shell")
    def test_ctrl_z_at_the_prompt_suspends(
        self, write_agent: Write, tmp_path: Path, chat_env: dict[str, str]
    ) -> None:
        write_agent(HELLO)
        commands = f"{shlex.quote(sys.executable)} -m holodeck_cli chat; echo in the shell; fg"
        child = pexpect.spawn(
            "bash", ["-m", "-c", commands], cwd=str(tmp_path), env=chat_env, encoding="utf-8", timeout=30
        )
        child.expect(re.escape("\x1b[?2004h"))
        child.send("half a \x1a")
        child.expect("in the shell")
        child.expect(re.escape("\x1b[?2004h"))
        child.send("message\r")
        child.expect("Hello, I am here.")
        child.close(force=True)

    def test_ctrl_backslash_during_a_reply_ends_it_at_once_and_leaves_the_terminal_as_it_was(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent({"reply": "never", "delay": 60})
        chat = terminal()
        chat.prompt()
        chat.send("go\r")
        chat.wait_for("waiting for the agent")
        chat.send("\x1c")
        chat.end()
        assert chat.child.signalstatus == signal.SIGQUIT
        assert not chat.screen.cursor.hidden


class TestDumbTerminal:
    """One that cannot move its cursor: lines as the terminal itself edits them."""

    def test_a_chat(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO, {"error": "timeout"})
        chat = terminal(env={"TERM": "dumb"})
        chat.wait_for(">")
        chat.send("hi\n")
        chat.wait_for("Hello, I am here.\n>")
        chat.send("and now\n")
        time.sleep(0.3)
        chat.send("\x03")
        chat.wait_for("stopped; the conversation is as it was before your message")
        chat.send("half\x03")
        chat.wait_for("Ctrl-C again leaves")
        chat.send("\x03")
        assert chat.end() == 130
        assert "\x1b" not in chat.raw


class TestCtrlD:
    def test_on_an_empty_line_it_leaves(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("\x04")
        assert chat.end() == 0
        assert chat.text.endswith("\n>")

    def test_in_a_line_it_does_not(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("hi")
        chat.wait_for("> hi")
        chat.send("\x04")
        chat.enter()
        assert "Hello" in chat.text


class TestInput:
    def test_a_paste_is_one_message(self, terminal: Start, write_agent: Write, data: Path) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("\x1b[200~line one\r\nline two\nline three\n\x1b[201~")
        chat.wait_for(". line three")
        chat.enter()
        chat.say("/save pasted")
        saved = json.loads((data / "pasted.json").read_text())
        assert [turn["message"] for turn in saved["turns"]] == ["line one\nline two\nline three"]

    def test_a_colour_that_is_pasted_without_marks_is_nothing(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent({"input": "red", "reply": "got it"})
        chat = terminal()
        chat.prompt()
        chat.send("\x1b[31mred\x1b[0m")
        chat.wait_for("> red")
        chat.enter()
        assert "got it" in chat.text
        assert "Traceback" not in chat.text

    def test_lines_without_marks_are_messages(self, terminal: Start, write_agent: Write) -> None:
        write_agent({"reply": "re one", "delay": 0.3}, {"reply": "re two"})
        chat = terminal()
        chat.prompt()
        chat.send("line one\nline two\n")
        chat.wait_for("re two")
        assert chat.text.index("re one") < chat.text.index("> line two") < chat.text.index("re two")

    def test_alt_enter_begins_another_line(self, terminal: Start, write_agent: Write) -> None:
        write_agent({"input": "a\nb", "reply": "both"})
        chat = terminal()
        chat.prompt()
        chat.send("a\x1b\rb")
        chat.wait_for(". b")
        chat.enter()
        assert "both" in chat.text

    def test_what_is_typed_during_a_reply_waits_for_the_prompt(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent({"reply": "slow", "delay": 1}, {"input": "early", "reply": "got it"})
        chat = terminal()
        chat.prompt()
        chat.send("go\r")
        chat.wait_for("waiting for the agent")
        chat.send("early\r")
        chat.wait_for("got it")
        assert chat.text.count("early") == 1

    def test_ten_thousand_and_one_characters_are_refused(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("\x1b[200~" + "x" * 10_001 + "\x1b[201~")
        chat.wait_for("xxx")
        chat.enter()
        assert "not sent: the message has 10,001 characters, and 10,000 are the most" in chat.text

    def test_a_blank_message_is_refused(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("  ")
        chat.enter()
        assert "not sent: the message is blank" in chat.text

    def test_the_lines_of_this_conversation_can_be_had_again(
        self, terminal: Start, write_agent: Write
    ) -> None:
        write_agent({"reply": "first"}, {"reply": "second"})
        chat = terminal()
        chat.say("say it again")
        chat.send("\x1b[A")
        chat.wait(lambda: chat.text.count("say it again") == 2, "line")
        chat.enter()
        assert "second" in chat.text

    def test_commands_are_completed(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.prompt()
        chat.send("/hi")
        chat.wait_for("show the conversation so far")
        chat.send("\t")
        chat.wait_for("> /history")

    def test_the_window_may_change_its_size(self, terminal: Start, write_agent: Write) -> None:
        write_agent({"reply": "a", "delay": 0.5}, HELLO)
        chat = terminal()
        chat.prompt()
        chat.child.setwinsize(30, 60)
        chat.screen.resize(30, 60)
        chat.send("one")
        chat.wait_for("> one")
        chat.send("\r")
        chat.wait_for("waiting for the agent")
        chat.child.setwinsize(40, 100)
        chat.screen.resize(40, 100)
        chat.say("two")
        assert "Hello, I am here." in chat.text


class TestEnds:
    def test_a_terminal_is_left_as_it_was(self, terminal: Start, write_agent: Write) -> None:
        write_agent(HELLO)
        chat = terminal()
        chat.say("hi")
        chat.send("/exit\r")
        chat.wait(chat.is_restored, "restored terminal")
        assert chat.end() == 0

    def test_sigterm_leaves_it_as_it_was_too(self, terminal: Start, write_agent: Write) -> None:
        write_agent({"reply": "never", "delay": 60})
        chat = terminal()
        chat.prompt()
        chat.send("go\r")
        chat.wait_for("waiting for the agent")
        chat.child.kill(signal.SIGTERM)
        chat.wait(chat.is_restored, "restored terminal")
        assert chat.end() == 143

    def test_a_lost_conversation_is_told_and_leaving_it_says_so(
        self, terminal: Start, write_agent: Write, data: Path
    ) -> None:
        write_agent(HELLO, {"error": "lost"})
        chat = terminal()
        chat.say("hi")
        chat.say("and now?")
        assert "the conversation cannot go on: the script ends the conversation here" in chat.text
        chat.say("/save kept")
        assert (data / "kept.json").exists()
        chat.send("exit\r")
        assert chat.end() == 3

    def test_a_conversation_that_is_resumed_is_there_before_the_prompt(
        self, terminal: Start, write_agent: Write, tmp_path: Path
    ) -> None:
        (tmp_path / "slow.py").write_text(
            "import asyncio\nasync def open_it():\n    await asyncio.sleep(0.5)\n    return lambda text: 'up'\n"
        )
        write_agent(model={"provider": "python", "agent": "slow:open_it"})
        first = terminal()
        first.say("hi")
        first.say("/save kept")
        chat = terminal("--resume", "kept")
        chat.prompt()
        assert chat.lines[1] == "resumed 'kept': 2 messages; /history shows them"

    def test_an_agent_that_does_not_start_ends_the_chat(
        self, terminal: Start, write_agent: Write, tmp_path: Path
    ) -> None:
        (tmp_path / "late.py").write_text(
            "import asyncio\nasync def open_it():\n    await asyncio.sleep(0.5)\n    raise OSError('no desk')\n"
        )
        write_agent(model={"provider": "python", "agent": "late:open_it"})
        chat = terminal()
        assert chat.end() == 3
        assert re.search(r"error: the agent could not be started: OSError: no desk \(late.py:4", chat.text)
