"""``holodeck test`` at a terminal: a bar that moves, failing cases above it, nothing left behind."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pexpect  # type: ignore[import-untyped]
import pytest

Environment: TypeAlias = Callable[[Mapping[str, str] | None], dict[str, str]]
Spawn: TypeAlias = Callable[..., Any]

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CURSOR = re.compile(r"\x1b\[(?:\?25[lh]|[0-9]*[A-K])")
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"

CASES = [
    {"name": "first", "input": "hi", "expected_tools": []},
    {
        "name": "see [/etc/hosts], [bold and [/] [link=http://x]y[/link] :smile:",
        "input": "hi",
        "expected_tools": ["t"],
    },
    {"name": "third\x1b[2J", "input": "hi", "expected_tools": []},
]


@pytest.fixture
def spawn(tmp_path: Path, command: tuple[str, ...], environment: Environment) -> Spawn:
    """``holodeck`` in a terminal of 100 columns, or another number of them."""
    agent = {
        "name": "desk",
        "model": {"provider": "scripted", "replies": [{"reply": "hello", "delay": 0.25}]},
        "test_cases": CASES,
    }
    (tmp_path / "agent.yaml").write_text(json.dumps(agent))

    def start(*args: str, env: Mapping[str, str] | None = None, columns: int = 100) -> Any:
        return pexpect.spawn(
            command[0],
            [*command[1:], *args],
            cwd=str(tmp_path),
            env=environment({"TERM": "xterm-256color", **(env or {})}),
            encoding="utf-8",
            dimensions=(24, columns),
            timeout=30,
        )

    return start


def ended(child: Any) -> tuple[int | None, str]:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before


def test_a_bar_shows_how_many_repeats_there_are_of_cases_that_are_not_over(spawn: Spawn) -> None:
    code, shown = ended(spawn("test", "-k", "first", "--repeat", "4"))
    assert code == 0
    plain = CURSOR.sub("", COLOUR.sub("", shown))
    assert re.search(r"0/1 .*\s+0 passed and 1 repeat\b", plain)
    assert re.search(r"0/1 .*\s+0 passed and 2 repeats\b", plain)
    assert "1 passed, 0 failed" in plain.splitlines()[-1]


def test_a_bar_shows_counts_rate_and_time_left_and_is_gone_at_the_end(spawn: Spawn) -> None:
    code, shown = ended(spawn("test"))
    assert code == 1
    plain = CURSOR.sub("", COLOUR.sub("", shown))
    assert "0/3" in plain
    assert re.search(r"2/3 .*\s+1 passed, 1 failed", plain)
    assert re.search(r"[0-9.]+/s .*[0-9]:[0-9]{2}:[0-9]{2} left", plain)
    assert re.search(r"running: third \(0 s\)", plain)
    assert shown.count(HIDE) == shown.count(SHOW) == 1
    assert shown.index(HIDE) < shown.index(SHOW)


def test_only_what_did_not_pass_is_shown_above_the_bar_as_it_is_written(spawn: Spawn) -> None:
    _, shown = ended(spawn("test"))
    plain = CURSOR.sub("", COLOUR.sub("", shown)).replace("\r\n", "\n").replace("\r", "\n")
    assert "FAIL see [/etc/hosts], [bold and [/] [link=http://x]y[/link] :smile: (1 turn, " in plain
    assert re.search(r"^    - tool t: .+$", plain, re.MULTILINE)
    assert not re.search(r"^(PASS|FAIL) first", plain, re.MULTILINE)
    assert re.search(r"^2 passed, 1 failed in ", plain, re.MULTILINE)


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_no_line_is_longer_than_the_terminal_is_wide(spawn: Spawn, columns: int) -> None:
    _, shown = ended(spawn("test", "-v", columns=columns))
    lines = CURSOR.sub("", COLOUR.sub("", shown)).replace("\r", "\n").splitlines()
    assert [line for line in lines if len(line) > columns] == []
    assert any(line.startswith("running: first (") for line in lines)


def test_the_summary_has_a_colour(spawn: Spawn) -> None:
    _, shown = ended(spawn("test"))
    assert "\x1b[31m2 passed, 1 failed in" in shown


@pytest.mark.parametrize(
    ("args", "env"), [(["--no-color"], {}), ([], {"NO_COLOR": "1"})], ids=["option", "environment"]
)
def test_colours_can_be_switched_off(spawn: Spawn, args: list[str], env: dict[str, str]) -> None:
    code, shown = ended(spawn("test", *args, env=env))
    assert code == 1
    assert COLOUR.findall(shown) == []


@pytest.mark.parametrize("args", [["-q"], []], ids=["quiet", "dumb-terminal"])
def test_without_a_bar_there_are_plain_lines(spawn: Spawn, args: list[str]) -> None:
    _, shown = ended(spawn("test", *args, env={} if args else {"TERM": "dumb"}))
    assert "\x1b" not in shown
    assert ("PASS first" in shown) is not bool(args)


def test_every_turn_with_verbose(spawn: Spawn) -> None:
    _, shown = ended(spawn("test", "-v"))
    assert re.search(r"PASS third \(1 turn, ", shown)
    assert "\x1b[2J" not in shown


def test_a_terminal_that_cannot_show_lines_gets_other_characters(spawn: Spawn) -> None:
    code, shown = ended(spawn("test", env={"PYTHONIOENCODING": "ascii"}))
    assert code == 1
    assert shown.isascii()


def test_the_bar_counts_what_a_resumed_run_had_and_what_did_not_pass_is_shown_again(spawn: Spawn) -> None:
    assert ended(spawn("test", "--fail-fast"))[0] == 1
    code, shown = ended(spawn("test", "--resume"))
    assert code == 1
    plain = CURSOR.sub("", COLOUR.sub("", shown))
    assert re.search(r"2/3 .*\s+1 passed, 1 failed", plain)
    assert "FAIL see [/etc/hosts], " in plain
    assert "PASS" not in plain
    summary, resumed = plain.replace("\r", "\n").split("\n\n")[-3:-1]
    assert summary.strip().startswith("2 passed, 1 failed in ")
    assert re.fullmatch(r"resumed \S+: 2 taken over, 1 new", resumed)


def test_how_to_go_on_is_one_line_that_can_be_copied(spawn: Spawn) -> None:
    code, shown = ended(spawn("test", "--fail-fast", columns=40))
    assert code == 1
    plain = CURSOR.sub("", COLOUR.sub("", shown))
    assert re.search(
        r"^resume: holodeck test agent\.yaml --resume \.holodeck/runs/\S+\r?$", plain, re.MULTILINE
    )


def test_ctrl_c_leaves_the_terminal_as_it_was(spawn: Spawn) -> None:
    child = spawn("test", "--llm-timeout", "30")
    child.expect("1/3")
    child.sendintr()
    code, shown = ended(child)
    assert code == 130
    assert "stopping: cases under way have 5 s; Ctrl-C again ends at once" in shown
    assert re.search(r"incomplete, [12] of 3 cases finished: ", shown)
    assert shown.count(SHOW) == 1
    assert "Traceback" not in shown


def test_a_second_ctrl_c_ends_at_once_and_leaves_the_terminal_as_it_was(spawn: Spawn, tmp_path: Path) -> None:
    (tmp_path / "busy.py").write_text(
        "import time\nclass Agent:\n    async def send(self, message):\n        time.sleep(60)\n"
    )
    agent = {"name": "busy", "model": {"provider": "python", "agent": "busy:Agent"}, "test_cases": CASES}
    (tmp_path / "agent.yaml").write_text(json.dumps(agent))
    child = spawn("test")
    child.expect("0/3")
    child.expect("0/3")
    child.kill(signal.SIGINT)
    child.expect("0/3")
    child.kill(signal.SIGINT)
    code, shown = ended(child)
    assert code == 130
    assert SHOW in shown
    assert "Traceback" not in shown
