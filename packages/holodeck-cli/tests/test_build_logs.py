"""What a build server reads along: nothing that an agent says is a command to it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

COMMANDS = [
    "##vso[task.setvariable variable=PATH]x",
    "##[set-output name=x;]y",
    "##teamcity[buildStatus status='SUCCESS']",
    "a\n::set-output name=x::y",
    "###[error]x",
]
# GitHub's runner obeys `::name::` at the beginning of a line, behind white space too, and `##[name]` anywhere, as
# Azure's does `##vso[name]` and TeamCity `##teamcity[name]`.
OBEYED = re.compile(r"^\s*::[a-z-]+|##\w*\[", re.MULTILINE)


# What each format says of the first reply, where a reader of lines sees it.
SAYS = {
    "json": r'"response": "#\u0023vso[task.setvariable variable=PATH]x"',
    "junit": "  reply: #&#35;vso[task.setvariable variable=PATH]x\n",
    "markdown": "  reply: #\\u0023vso[task.setvariable variable=PATH]x\n",
    "github": "title=#\\u0023vso[task.setvariable variable=PATH]x%2C turns[0]::",
}


@pytest.fixture
def spoken(tmp_path: Path, holodeck: Holodeck) -> subprocess.CompletedProcess[str]:
    """A run of an agent that says commands, and has them wherever a text can stand."""
    replies = [
        {
            "input": text,
            "reply": text,
            "calls": [{"name": text, "args": {text: text, "n": 1}, "result": text}],
        }
        for text in COMMANDS
    ]
    cases = [
        {
            "name": text,
            "turns": [
                {
                    "input": text,
                    "ground_truth": f"not {text}",
                    "expected_tools": [{"name": text, "args": {"n": 2}, "match": "exact"}],
                },
                {"input": "nothing"},
            ],
        }
        for text in COMMANDS
    ]
    agent = {
        "name": f"desk {COMMANDS[0]}",
        "model": {"provider": "scripted", "replies": [*replies, {"input": "nothing", "error": COMMANDS[0]}]},
        "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
        "test_cases": cases,
    }
    (tmp_path / "agent.yaml").write_text(json.dumps(agent))
    return holodeck("test")


def test_no_text_at_the_terminal_is_a_command_to_a_build_server(
    spoken: subprocess.CompletedProcess[str], holodeck: Holodeck
) -> None:
    others = (["test", "-v"], ["report"], ["test", "--format", "json", "-o", "r.json"])
    for done in (spoken, *(holodeck(*args) for args in others)):
        assert OBEYED.findall(done.stdout + done.stderr) == [], done.args
        assert (done.stdout + done.stderr).count("reply: #\\u0023vso[task.setvariable variable=PATH]x") == 1


@pytest.mark.parametrize("name", SAYS)
def test_no_text_in_a_report_on_standard_output_is_a_command_to_a_build_server(
    spoken: subprocess.CompletedProcess[str], holodeck: Holodeck, name: str
) -> None:
    report = holodeck("report", "--format", name).stdout
    assert set(OBEYED.findall(report)) == ({"::error", "::notice"} if name == "github" else set())
    assert SAYS[name] in report


def test_a_report_says_the_same_to_its_own_reader(
    spoken: subprocess.CompletedProcess[str], holodeck: Holodeck
) -> None:
    results = json.loads(holodeck("report", "--format", "json").stdout)["results"]
    assert [result["turns"][0]["response"] for result in results] == COMMANDS
    cases = ElementTree.fromstring(holodeck("report", "--format", "junit").stdout).iter("testcase")
    for case, text in zip(cases, COMMANDS, strict=True):
        assert case.attrib["name"] == " ".join(text.split())
        [failure] = case
        assert "reply: " + text.replace("\n", "\n    ") in (failure.text or "")


def test_a_mistake_in_a_file_is_no_command_to_a_build_server(holodeck: Holodeck, tmp_path: Path) -> None:
    text = "name: a\nmodel: {provider: scripted, replies: []}\ntest_cases:\n::set-output name=x::##[group]y\n"
    (tmp_path / "agent.yaml").write_text(text)
    done = holodeck("validate")
    assert done.returncode == 2
    assert OBEYED.findall(done.stderr) == []
    assert r"    :\u003aset-output name=x::#\u0023[group]y" in done.stderr
