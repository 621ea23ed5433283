"""What a build server reads along: nothing that an agent says is a command to it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

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


def test_no_text_is_a_command_to_a_build_server(holodeck: Holodeck, tmp_path: Path) -> None:
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
        "name": "desk",
        "model": {"provider": "scripted", "replies": [*replies, {"input": "nothing", "error": COMMANDS[0]}]},
        "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
        "test_cases": cases,
    }
    (tmp_path / "agent.yaml").write_text(json.dumps(agent))
    for args in (["test"], ["test", "-v"], ["report"], ["test", "--format", "json", "-o", "r.json"]):
        done = holodeck(*args)
        assert OBEYED.findall(done.stdout + done.stderr) == [], args
        assert (done.stdout + done.stderr).count("reply: #\\u0023vso[task.setvariable variable=PATH]x") == 1
