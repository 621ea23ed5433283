"""``holodeck chat`` whose input is no terminal: every line is a message, and the end of the input ends the chat."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

Run: TypeAlias = Callable[..., Any]
Write: TypeAlias = Callable[..., Path]

PYTHON = shlex.quote(sys.executable)
ECHO = "def agent(text): return f'you said {text!r}'\n"


def held(**turn: Any) -> str:
    """The file of a saved conversation of one turn."""
    at = "2026-01-01T00:00:00Z"
    turns = [{"message": "hi", "reply": "ho", "at": at, "seconds": 1, **turn}]
    return json.dumps({"id": "x", "agent_name": "desk", "started_at": at, "saved_at": at, "turns": turns})


@pytest.fixture
def process(tmp_path: Path, chat_env: dict[str, str]) -> Run:
    """Run a chat with an input, as a process."""

    def run(text: str, *args: str, env: Mapping[str, str] | None = None, encoding: str = "utf-8") -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "holodeck_cli", "chat", *args],
            cwd=tmp_path,
            env={**chat_env, **(env or {})},
            input=text.encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        return SimpleNamespace(
            returncode=done.returncode,
            stdout=done.stdout.decode(encoding),
            stderr=done.stderr.decode(encoding),
        )

    return run


@pytest.fixture
def echo(tmp_path: Path, write_agent: Write) -> Path:
    (tmp_path / "echo.py").write_text("def make(): return agent\n" + ECHO)
    return write_agent(model={"provider": "python", "agent": "echo:make"})


def test_every_line_is_a_message_and_replies_go_to_standard_output(piped: Run, echo: Path) -> None:
    done = piped("line one\nline two")
    assert (done.returncode, done.stdout) == (0, "you said 'line one'\nyou said 'line two'\n")
    assert done.stderr == ""


def test_nothing_at_all_is_fine(piped: Run, echo: Path) -> None:
    done = piped("")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_lines_that_cannot_be_sent_are_told_and_skipped(piped: Run, echo: Path) -> None:
    long = "x" * 10_001
    done = piped(b"caf\xe9\n\n" + long.encode() + b"\nbell \x07\n\x1b[200~pasted\x1b[201~\r\nlast\n")
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["you said 'bell'", "you said 'pasted'", "you said 'last'"]
    assert done.stderr.splitlines() == [
        "not sent: the message is not valid UTF-8",
        "not sent: the message is blank",
        "not sent: the message has 10,001 characters, and 10,000 are the most",
        "1 control character was stripped from the message",
    ]


def test_tools_and_failures_go_to_standard_error(piped: Run, write_agent: Write) -> None:
    write_agent(
        {"reply": "found", "calls": [{"name": "find", "args": {"q": 1}, "result": 2}]}, {"error": "broken"}
    )
    done = piped("a\nb\n")
    assert (done.returncode, done.stdout) == (0, "found\n")
    told = re.sub(r"\d+ ms", "N ms", done.stderr).splitlines()
    assert told == ["tool find(q: 1): ok, N ms", "AgentError: broken"]


def test_a_lost_conversation_ends_it(piped: Run, write_agent: Write) -> None:
    write_agent({"reply": "a"}, {"error": "lost"}, {"reply": "c"})
    done = piped("one\ntwo\nthree\n")
    assert (done.returncode, done.stdout) == (3, "a\n")
    assert done.stderr == "the conversation cannot go on: the script ends the conversation here\n"


def test_a_transient_failure_is_tried_again(piped: Run, write_agent: Write) -> None:
    write_agent({"error": "rate_limit", "retry_after": 0}, {"reply": "now"})
    done = piped("hi\n")
    assert (done.returncode, done.stdout) == (0, "now\n")
    assert done.stderr == "RateLimited: the script asks to slow down; trying again\n"


def test_a_reply_takes_as_long_as_a_turn_may_take(piped: Run, write_agent: Write) -> None:
    write_agent({"error": "timeout"}, {"reply": "b"}, execution={"llm_timeout": 0.2, "retries": 0})
    done = piped("one\ntwo\n")
    assert (done.returncode, done.stdout) == (0, "b\n")
    assert done.stderr == "TimeoutError: no whole reply within 0.2 s (llm_timeout)\n"


@pytest.mark.parametrize(
    "args",
    [["none.yaml"], ["--max-messages", "0"], ["--resume", "none"], ["a.yaml", "b.yaml"]],
    ids=" ".join,
)
def test_mistakes_of_usage(piped: Run, echo: Path, args: list[str]) -> None:
    done = piped("hi\n", *args)
    assert (done.returncode, done.stdout) == (2, "")


def test_mistakes_in_the_file_are_told_as_validate_tells_them(
    piped: Run, tmp_path: Path, chat_env: dict[str, str]
) -> None:
    (tmp_path / "agent.yaml").write_text("name: a\nmodel:\n  provider: scripted\n  repies: []\nmodle: 1\n")
    validated = subprocess.run(
        [sys.executable, "-m", "holodeck_cli", "validate"],
        cwd=tmp_path,
        env=chat_env,
        capture_output=True,
        text=True,
        check=False,
    )
    done = piped("hi\n")
    assert (done.returncode, done.stderr) == (2, validated.stderr)
    assert "did you mean" in done.stderr


def test_an_agent_that_does_not_start(piped: Run, tmp_path: Path, write_agent: Write) -> None:
    (tmp_path / "dead.py").write_text("def make(): raise OSError('no desk')\n")
    write_agent(model={"provider": "python", "agent": "dead:make"})
    for text in ("hi\n", "exit\n", ""):
        done = piped(text)
        assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: the agent could not be started: OSError: no desk (dead.py:1 in make)\n"


@pytest.mark.parametrize("exits", ["SystemExit(5)", "KeyError('x')"])
def test_an_agent_that_raises_costs_its_turn(
    piped: Run, tmp_path: Path, write_agent: Write, exits: str
) -> None:
    (tmp_path / "odd.py").write_text(
        f"def make(): return agent\ndef agent(text):\n    if text == 'bad': raise {exits}\n    return 'ok'\n"
    )
    write_agent(model={"provider": "python", "agent": "odd:make"})
    done = piped("bad\ngood\n")
    assert (done.returncode, done.stdout) == (0, "ok\n")


def test_the_limit_of_messages(piped: Run, echo: Path) -> None:
    done = piped("1\n2\n3\n4\n5\n6\n/clear\n7\n", "--max-messages", "10")
    assert done.returncode == 0
    assert done.stdout.count("you said") == 6
    after = "/save keeps this conversation, /clear begins a new one"
    assert done.stderr.splitlines() == [
        f"8 of at most 10 messages; {after}",
        f"not sent: this conversation has reached its limit of 10 messages; {after}",
        "a new conversation begins",
    ]


def test_five_hundred_exchanges_take_no_longer_at_the_end(
    piped: Run, tmp_path: Path, write_agent: Write
) -> None:
    (tmp_path / "timed.py").write_text(
        "import time\ndef make(): return Agent()\nclass Agent:\n    async def send(self, message):\n"
        "        return f'{time.perf_counter()} ' + 'word ' * 20\n"
    )
    write_agent(model={"provider": "python", "agent": "timed:make"})
    done = piped("tell me more\n" * 500, "--max-messages", "1000")
    times = [float(line.split()[0]) for line in done.stdout.splitlines()]
    assert len(times) == 500
    assert done.stderr.count("not sent") == 0
    steps = [later - earlier for earlier, later in pairwise(times)]
    early, late = sorted(steps[50:200])[75], sorted(steps[349:499])[75]
    assert late < 3 * early


class TestStreams:
    def test_a_narrow_encoding_replaces_what_it_cannot_show(self, process: Run, write_agent: Write) -> None:
        write_agent({"reply": "café — 😀", "calls": [{"name": "名"}]})
        done = process("hi\n", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}, encoding="ascii")
        assert (done.returncode, done.stdout) == (0, "caf? ? ?\n")

    def test_no_colours_and_no_spinner_without_a_terminal(self, process: Run, write_agent: Write) -> None:
        write_agent({"reply": "slow", "delay": 0.4})
        done = process("hi\n", "-v", env={"FORCE_COLOR": "1"})
        assert "\x1b" not in done.stdout + done.stderr

    def test_a_reader_that_went_away_is_no_error(
        self, tmp_path: Path, echo: Path, chat_env: dict[str, str]
    ) -> None:
        command = f"yes hello | head -50 | {PYTHON} -m holodeck_cli chat --max-messages 999 | head -1"
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=tmp_path,
            env=chat_env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("you said 'hello'\n", "")

    def test_it_ends_when_nobody_reads_the_replies_any_more(
        self, tmp_path: Path, echo: Path, chat_env: dict[str, str]
    ) -> None:
        command = f"yes hello | {PYTHON} -m holodeck_cli chat | head -1; echo ${{PIPESTATUS[1]}}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=chat_env,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("you said 'hello'\n0\n", "")

    def test_without_a_standard_input(self, tmp_path: Path, echo: Path, chat_env: dict[str, str]) -> None:
        done = subprocess.run(
            ["bash", "-c", f"exec {PYTHON} -m holodeck_cli chat <&-"],
            cwd=tmp_path,
            env=chat_env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_chat_that_is_interrupted_while_it_waits_for_a_line_ends(
    tmp_path: Path, write_agent: Write, chat_env: dict[str, str]
) -> None:
    write_agent({"reply": "a"})
    process = subprocess.Popen(
        [sys.executable, "-m", "holodeck_cli", "chat"],
        cwd=tmp_path,
        env=chat_env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("one\nbegun")
    process.stdin.flush()
    assert process.stdout.readline() == "a\n"
    time.sleep(0.5)  # the reply is shown before it is over
    process.send_signal(signal.SIGINT)
    assert (process.wait(20), *process.communicate()) == (130, "", "")


def test_a_chat_that_is_interrupted_stops(
    tmp_path: Path, write_agent: Write, chat_env: dict[str, str]
) -> None:
    write_agent({"reply": "a"}, {"error": "timeout"}, {"reply": "c"})
    process = subprocess.Popen(
        [sys.executable, "-m", "holodeck_cli", "chat"],
        cwd=tmp_path,
        env=chat_env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("one\ntwo\nthree\n")
    process.stdin.flush()
    assert process.stdout.readline() == "a\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err


class TestCommands:
    def test_help(self, piped: Run, echo: Path) -> None:
        shown = piped("/help\n").stdout
        for command in (
            "/help",
            "/clear",
            "/history",
            "/tools",
            "/save [NAME]",
            "/resume [ID]",
            "/export FILE",
        ):
            assert re.search(rf"^  {re.escape(command)}  +\w", shown, re.MULTILINE)

    def test_unknown(self, piped: Run, echo: Path) -> None:
        done = piped("/histroy\n//histroy\n")
        assert done.stdout == "you said '/histroy'\n"
        assert "there is no command /histroy; did you mean /history?" in done.stderr

    def test_history(self, piped: Run, write_agent: Write) -> None:
        write_agent({"reply": "r1", "calls": [{"name": "f", "error": "no"}]}, {"error": "x"}, {"reply": ""})
        done = piped("/history\none\ntwo\nthree\n/history\n")
        assert done.stdout.splitlines() == [
            *("r1", "you: one", "  tool f(): failed: no", "agent: r1"),
            *("you: three", "agent: (the agent replied with no text)"),
        ]
        assert "nothing has been said yet" in done.stderr

    def test_no_line_of_the_history_looks_like_another_turn(self, piped: Run, write_agent: Write) -> None:
        write_agent({"reply": "yes\nyou: I agree\n\nagent: good"})
        assert piped("hi\n/history\n").stdout.splitlines()[-5:] == [
            *("you: hi", "agent: yes", "  you: I agree", "", "  agent: good")
        ]

    def test_tools(self, piped: Run, tmp_path: Path, write_agent: Write) -> None:
        (tmp_path / "t.py").write_text("def add(a: int) -> int:\n    return a\n")
        tools = [
            {"type": "function", "name": "add", "description": "Adds.", "file": "t.py", "function": "add"}
        ]
        call = {"name": "add", "args": {"a": 1}}
        write_agent({"reply": "a", "calls": [call, call, {"name": "other"}]}, tools=tools)
        assert piped("/tools\nhi\n/tools\n").stdout.splitlines() == [
            "  add (function): Adds.",
            "a",
            "  add (function): Adds., called 2 times",
            "  other, called once",
        ]

    def test_clear_begins_a_new_session(self, piped: Run, write_agent: Write) -> None:
        write_agent({"reply": "first"}, {"reply": "second"})
        done = piped("a\n/clear\nb\n/history\n")
        assert done.stdout.splitlines() == ["first", "first", "you: b", "agent: first"]


class TestSaving:
    def test_nothing_is_kept_unless_it_is_saved(self, piped: Run, echo: Path, tmp_path: Path) -> None:
        piped("secret\n")
        assert not (tmp_path / "data").exists()

    def test_only_the_user_can_read_it(self, piped: Run, echo: Path, data: Path) -> None:
        done = piped("hi\n/save first\n", env={"XDG_DATA_HOME": str(data.parents[1])})
        assert f"saved as 'first' in {data / 'first.json'}; /resume first goes on with it" in done.stdout
        assert ((data / "first.json").stat().st_mode & 0o777, data.stat().st_mode & 0o777) == (0o600, 0o700)
        saved = json.loads((data / "first.json").read_text())
        assert (saved["version"], saved["agent_name"]) == (1, "desk")
        assert [turn["message"] for turn in saved["turns"]] == ["hi"]

    def test_what_is_saved_is_what_was_received(self, piped: Run, write_agent: Write, data: Path) -> None:
        call = {"name": "n\x1b[2J", "args": {"k\x07": "v\u202e"}, "result": ["\x1b]0;x\x07"]}
        write_agent({"reply": "a\x1b[31mb", "calls": [call]})
        piped("hi\n/save x\n")
        [turn] = json.loads((data / "x.json").read_text())["turns"]
        assert turn["reply"] == "a\x1b[31mb"
        assert {key: turn["calls"][0][key] for key in call} == call

    def test_the_configuration_is_no_part_of_it(self, piped: Run, tmp_path: Path, data: Path) -> None:
        (tmp_path / "keyed.py").write_text("def make(api_key):\n    return lambda text: 'ok'\n")
        (tmp_path / "agent.yaml").write_text(
            "name: desk\nmodel: {provider: python, agent: 'keyed:make', api_key: sk-123456789}\n"
        )
        done = piped("hi\n/save x\n")
        assert done.stdout.startswith("ok\n"), done.stderr
        assert "sk-123456789" not in (data / "x.json").read_text()

    def test_saving_again_writes_the_same_conversation(self, piped: Run, echo: Path, data: Path) -> None:
        done = piped("one\n/save\ntwo\n/save\n/resume\n")
        assert len(list(data.iterdir())) == 1
        assert re.search(r"^  [0-9a-f]{8}  \S+ \S+  desk, 4 messages: one$", done.stdout, re.MULTILINE)

    def test_another_conversation_is_not_written_over(self, piped: Run, echo: Path, data: Path) -> None:
        piped("one\n/save mine\n")
        done = piped("other\n/save mine\n")
        assert "not saved: another conversation is saved as 'mine'; take another name" in done.stderr
        assert [turn["message"] for turn in json.loads((data / "mine.json").read_text())["turns"]] == ["one"]

    @pytest.mark.parametrize("name", ["../up", ".hidden", "a b", "a/b", "x" * 65, "ends."])
    def test_names_that_are_no_names_of_files(self, piped: Run, echo: Path, data: Path, name: str) -> None:
        done = piped(f"hi\n/save {name}\n")
        assert "not saved: a name has up to 64 letters" in done.stderr
        assert not data.exists()

    def test_a_folder_that_cannot_be_written(self, piped: Run, echo: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        done = piped("hi\n/save x\nstill there\n", env={"XDG_DATA_HOME": str(tmp_path / "file")})
        assert "not saved: the conversation cannot be saved: " in done.stderr
        assert done.stdout.endswith("you said 'still there'\n")


class TestResuming:
    SCRIPT = ({"reply": "1"}, {"reply": "2"}, {"reply": "3"})

    def test_from_the_command_line(self, piped: Run, write_agent: Write) -> None:
        write_agent(*self.SCRIPT)
        piped("a\nb\n/save talk\n")
        done = piped("c\n/history\n/save\n", "--resume", "talk")
        assert done.stdout.splitlines()[:8] == [
            "resumed 'talk': 4 messages; /history shows them",
            *("3", "you: a", "agent: 1", "you: b", "agent: 2", "you: c", "agent: 3"),
        ]
        assert "saved as 'talk'" in done.stdout

    def test_the_beginning_of_an_id_is_enough(self, piped: Run, write_agent: Write) -> None:
        write_agent(*self.SCRIPT)
        piped("a\n/save talk-one\n/clear\na\n/save talk-two\n")
        assert "resumed 'talk-two': 2 messages" in piped("/resume talk-t\n").stdout
        assert "'talk' begins several ids: talk-two, talk-one" in piped("/resume talk\n").stderr

    def test_in_a_conversation_nothing_is_lost_unasked(self, piped: Run, write_agent: Write) -> None:
        write_agent(*self.SCRIPT)
        piped("a\n/save talk\n")
        done = piped("b\n/resume talk\n/save other\n/resume talk\nc\n")
        assert "what was said since the last /save would be lost" in done.stderr
        assert done.stdout.splitlines()[-2:] == ["resumed 'talk': 2 messages; /history shows them", "2"]

    def test_the_user_is_told_what_the_agent_does_not_remember(self, piped: Run, echo: Path) -> None:
        piped("a\n/save talk\n")
        done = piped("b\n", "--resume", "talk")
        assert "the agent cannot be given a conversation that was held earlier" in done.stderr
        assert done.stdout.endswith("you said 'b'\n")

    def test_of_another_agent(self, piped: Run, write_agent: Write) -> None:
        write_agent(*self.SCRIPT)
        piped("a\n/save talk\n")
        path = write_agent(*self.SCRIPT)
        path.write_text(path.read_text().replace("desk", "table"))
        assert "it was held with 'desk', not with 'table'" in piped("", "--resume", "talk").stderr

    def test_messages_count_on(self, piped: Run, write_agent: Write) -> None:
        write_agent(*self.SCRIPT)
        piped("a\nb\n/save talk\n")
        done = piped("c\n", "--resume", "talk", "--max-messages", "4")
        assert "not sent: this conversation has reached its limit of 4 messages" in done.stderr

    def test_nothing_is_saved(self, piped: Run, echo: Path) -> None:
        done = piped("/resume\n/resume x\n")
        assert done.stdout == "no conversation is saved\n"
        assert done.stderr == "no conversation is saved as 'x'; /resume lists what is saved\n"

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("{", "cannot be read"),
            ("[]", "is no saved conversation"),
            ('{"version": 2}', "has the version 2, and this HoloDeck reads version 1"),
            ('{"version": 1, "id": "x"}', "is no saved conversation: agent_name: Field required"),
            ("null", "is no saved conversation: it holds no object"),
            (held(message="  "), "turns.0.message.content: a message cannot be empty"),
            (
                held(message="x" * 10_001),
                "turns.0.message.content: a user message has at most 10,000 characters",
            ),
            (held(calls=[{"name": "f", "duration_ms": -1}]), "turns.0.calls.0.duration_ms: Input should be"),
            (held(calls=[{"name": ""}]), "turns.0.calls.0.name: String should have at least 1 character"),
        ],
    )
    def test_a_file_that_is_broken(self, piped: Run, echo: Path, data: Path, text: str, why: str) -> None:
        data.mkdir(parents=True)
        (data / "x.json").write_text(text)
        done = piped("", "--resume", "x")
        assert done.returncode == 2
        assert why in done.stderr
        assert why in piped("/resume\n").stdout


AGENT_FOR_EXPORT = r"""
name: desk
model:
  provider: scripted
  replies:
    - {reply: "one\x1b[0m", calls: [{name: f, args: {a: {regex: x}, b: [1, null]}, result: {c: 1}}]}
    - {reply: "no: 2"}
"""


class TestExporting:
    def test_a_conversation_becomes_a_test_case(
        self, piped: Run, tmp_path: Path, chat_env: dict[str, str]
    ) -> None:
        (tmp_path / "agent.yaml").write_text(AGENT_FOR_EXPORT)
        done = piped("first: question\nsecond\n/export regression.yaml\n")
        assert "exported 2 turns as the test case 'first: question' of regression.yaml" in done.stdout
        tested = subprocess.run(
            [sys.executable, "-m", "holodeck_cli", "test", "regression.yaml"],
            cwd=tmp_path,
            env=chat_env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert tested.returncode == 0, tested.stdout + tested.stderr
        assert tested.stdout.startswith("PASS first: question (2 turns")

    def test_where_it_cannot_be_written_it_says_so(self, piped: Run, echo: Path, tmp_path: Path) -> None:
        (tmp_path / "broken.yaml").write_text("name: [\n")
        done = piped("/export x.yaml\nhi\n/export broken.yaml\n/export no/such/folder.yaml\nstill\n")
        assert "nothing has been said yet that could be exported" in done.stderr
        assert "not exported, broken.yaml is as it was:" in done.stderr
        assert re.search(r"^not exported: .*no/such/", done.stderr, re.MULTILINE)
        assert (tmp_path / "broken.yaml").read_text() == "name: [\n"
        assert done.stdout.endswith("you said 'still'\n")
