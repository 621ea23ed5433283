"""Runs whose exit code or whose screen did not say how they went."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import sanitize_tool_output
from holodeck_core.text import show_value

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

EQUALITY = [{"type": "standard", "metric": "equality"}]
BAD = {"name": "bad", "input": "hi", "ground_truth": "x"}
GOOD = {"name": "good", "input": "hi", "ground_truth": "y"}
BROKEN = {"name": "broken", "turns": [{"input": "a"}, {"input": "no reply is left"}]}


def _agent(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "model": {"provider": "scripted", "replies": [{"reply": "y"}]},
        "evaluations": {"metrics": EQUALITY},
        "test_cases": list(cases),
        **more,
    }


@pytest.mark.parametrize(
    ("cases", "args", "code"),
    [
        pytest.param([BAD], [], 1, id="a failed case"),
        pytest.param([GOOD, BAD], ["-q"], 1, id="a failed case, quietly"),
        pytest.param([GOOD, BAD, GOOD], ["-p", "3"], 1, id="a failed case among others"),
        pytest.param([BAD], ["-o", "r.json"], 1, id="a failed case, with a report"),
        pytest.param([{**BAD, "turns": 1}], [], 2, id="a mistake in the file"),
        pytest.param([GOOD], ["--no-such-option"], 2, id="a mistake in the command"),
        pytest.param([GOOD, BROKEN], [], 1, id="an error"),
        pytest.param([BROKEN], [], 3, id="nothing but errors"),
        pytest.param([GOOD], [], 0, id="all passed"),
    ],
)  # fmt: skip
def test_the_exit_code_is_that_of_the_verdict(
    write: Write, holodeck: Holodeck, cases: list[dict[str, Any]], args: list[str], code: int
) -> None:
    write(_agent(*cases))
    assert holodeck("test", *args).returncode == code


def test_the_exit_code_is_that_of_the_verdict_behind_a_pipe(write: Write, tmp_path: Path) -> None:
    write(_agent(BAD))
    line = f"set -o pipefail; {shlex.quote(sys.executable)} -m holodeck_cli test | head -n 1"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("FAIL bad")


def test_a_grader_that_leaves_the_program_does_not_end_it_with_success(
    write: Write, holodeck: Holodeck
) -> None:
    metrics = [{"type": "code", "grader": "leaving:grader"}]
    write(
        _agent(GOOD, {**GOOD, "name": "other", "evaluations": EQUALITY}, evaluations={"metrics": metrics}),
        leaving="import sys\ndef grader(ctx):\n    sys.exit(0)\n",
    )
    done = holodeck("test")
    assert done.returncode == 1
    assert "grader: SystemExit: 0" in done.stdout
    assert "1 passed, 0 failed, 1 errored" in done.stdout


@pytest.mark.parametrize(
    ("files", "agent", "args", "told"),
    [
        pytest.param({}, _agent(), [], "no test cases", id="an empty list"),
        pytest.param({}, {}, [], "no test cases", id="no list"),
        pytest.param(
            {"c.yaml": "[]"}, {"test_cases_file": "c.yaml"}, [], "no test cases", id="a file of none"
        ),
        pytest.param(
            {"c.jsonl": "\n\n"}, {"test_cases_file": "c.jsonl"}, [], "no test cases", id="empty lines"
        ),
        pytest.param(
            {}, _agent(GOOD), ["-k", "nowhere"], "selects none of 1", id="a name that selects nothing"
        ),
        pytest.param(
            {}, _agent(GOOD), ["--tag", "slow"], "selects none of 1", id="a tag that selects nothing"
        ),
    ],
)
def test_a_run_without_cases_is_no_success(
    write: Write,
    holodeck: Holodeck,
    tmp_path: Path,
    files: dict[str, str],
    agent: dict[str, Any],
    args: list[str],
    told: str,
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    write({"model": {"provider": "scripted", "replies": []}, **agent})
    done = holodeck("test", *args)
    assert (done.returncode, done.stdout) == (3, "")
    assert told in done.stderr


def test_an_empty_file_of_cases_is_a_mistake(write: Write, holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").touch()
    write({"model": {"provider": "scripted", "replies": []}, "test_cases_file": "empty.yaml"})
    done = holodeck("test")
    assert (done.returncode, done.stdout) == (2, "")
    assert "empty.yaml:1:1: the file is empty" in done.stderr


EMOJI_AND_LETTERS = "👨\u200d👩\u200d👧 می\u200cخواهم क्\u200dष e\u0301"
BRACKETS = "see [/etc/hosts], [bold and [/] and arr[0] and [link=http://x]y[/link] :smile:"

# (what an agent says, what is shown of it)
HOSTILE: list[tuple[str, str, str]] = [
    ("writes to the clipboard", "before\x1b]52;c;SGVsbG8=\x07after", "beforeafter"),
    ("links elsewhere", "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("an 8-bit sequence", "a\x9b31mb", "ab"),
    ("resets the terminal", "a\x1bcb", "ab"),
    ("clears the screen", "a\x1b[2Jb", "ab"),
    ("asks the terminal back", "a\x1bP+q\x1b\\b", "ab"),
    ("writes over the line", "a\rb", "a b"),
    ("rubs out", "ab\x08\x08c", "abc"),
    ("rings", "a\x07b", "ab"),
    ("a sequence without an end", "a\x1b]0;the rest stays", "a0;the rest stays"),
    ("another sequence without an end", "a\x1bPthe rest stays", "athe rest stays"),
    ("turns the text round", "pay \u202eevil\u202c now \u2066x\u2069 \u200b\U000e0041.", "pay evil now x ."),
    ("joins that belong there", EMOJI_AND_LETTERS, EMOJI_AND_LETTERS),
    ("brackets", BRACKETS, BRACKETS),
]  # fmt: skip

HOSTILE_AGENT = """
from holodeck_core import Reply, ToolCall

TEXTS = {texts!a}

class Agent:
    def __init__(self, case_name):
        self.index = int(case_name.split()[0])

    def send(self, message):
        text = TEXTS[self.index]
        if message.text == "raise":
            raise ValueError(text)
        return Reply(text, [ToolCall("get" + text, {{"key" + text: text}}, result=text, error=text)])
"""


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What ``test -v`` and ``test`` show of agents that say hostile things in every place."""
    folder = tmp_path_factory.mktemp("hostile")
    texts = [text for _, text, _ in HOSTILE]
    (folder / "hostile_agent.py").write_text(HOSTILE_AGENT.format(texts=texts))
    cases = [
        {
            "name": f"{index} {text}",
            "turns": [
                {"input": text, "expected_tools": [{"name": text, "args": {f"key{index}": text}}]},
                {"input": "raise"},
            ],
        }
        for index, text in enumerate(texts)
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    (folder / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'hostile_agent:Agent'}\ntest_cases_file: cases.json\n"
    )
    return {
        " ".join(args): subprocess.run(
            [sys.executable, "-m", "holodeck_cli", "test", *args],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        ).stdout
        for args in (["-v"], [])
    }


@pytest.mark.parametrize("args", ["-v", ""])
@pytest.mark.parametrize(
    ("index", "text", "shown"),
    [pytest.param(index, text, shown, id=name) for index, (name, text, shown) in enumerate(HOSTILE)],
)
def test_nothing_that_is_shown_acts_on_the_terminal_and_every_word_is_there(
    screens: dict[str, str], args: str, index: int, text: str, shown: str
) -> None:
    screen = screens[args]
    assert sanitize_tool_output(screen) == screen
    assert f"FAIL {index} {shown} (2 turns" in screen
    assert f"    input: {shown}\n" in screen
    assert f"    reply: {shown}\n" in screen
    assert f"    - ValueError: {shown} (hostile_agent.py:13 in send)\n" in screen
    assert f"    - tool {shown}: " in screen
    if args == "-v":
        # Of a name every character is seen, so that no two look alike.
        assert f"    call 1    get{show_value(text)[1:-1]}" in screen
