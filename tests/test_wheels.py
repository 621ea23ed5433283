"""The distributions as users get them: wheels, in an empty environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

PACKAGES = ("core", "graders", "cli")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

AGENT = """\
name: adder
model: {provider: python, agent: "adder:answer"}
test_cases:
  - name: adds
    turns:
      - {input: "2 + 3", expected_tools: [{name: add, args: {a: 2, b: 3.0}}]}
      - {input: "2 + 4", expected_tools: [{name: add, args: {a: 2, b: 5}}]}
"""

MODULE = """\
from holodeck_core import Reply, ToolCall

def answer():
    def reply(text):
        a, b = map(int, text.split(" + "))
        return Reply(str(a + b), [ToolCall("add", {"a": a, "b": b}, a + b)])
    return reply
"""

SCRIPT = """\
import asyncio, json
from holodeck_core import load_suite, run_suite

async def main():
    report = await run_suite(load_suite("agent.yaml"))
    [case] = report.results
    print(json.dumps([[turn.passed, turn.arg_match_details[0]["unmatched_reason"]] for turn in case.turns]))

asyncio.run(main())
"""


def _wheel(wheels: Path, package: str) -> Path:
    [wheel] = wheels.glob(f"holodeck_{package}-*.whl")
    return wheel


@pytest.mark.parametrize("package", PACKAGES)
def test_a_wheel_pins_its_siblings_and_holds_the_licence_and_the_types_marker(
    wheels: Path, package: str
) -> None:
    with zipfile.ZipFile(_wheel(wheels, package)) as wheel:
        names = wheel.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        fields = Parser().parsestr(wheel.read(metadata).decode())
    assert f"holodeck_{package}/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    for requirement in fields.get_all("Requires-Dist") or []:
        if requirement.startswith("holodeck-"):
            assert re.fullmatch(
                rf"holodeck-\w+(\[[\w,-]+\])?=={re.escape(fields['Version'])}(; extra == '[\w-]+')?",
                requirement,
            )


def test_the_core_alone_runs_a_suite_in_an_empty_environment(wheels: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }

    def run(*arguments: str) -> str:
        return subprocess.run(
            [python, *arguments], cwd=tmp_path, env=clean, check=True, capture_output=True, text=True
        ).stdout

    run("-m", "pip", "install", "--quiet", str(_wheel(wheels, "core")))
    installed = {entry["name"].lower() for entry in json.loads(run("-m", "pip", "list", "--format", "json"))}
    assert installed - {"pip", "setuptools"} == {
        "holodeck-core",
        "attrs",
        "packaging",
        "pluggy",
        "pyyaml",
        "pydantic",
        # what pydantic needs
        "annotated-types",
        "pydantic-core",
        "pydantic_core",
        "typing-extensions",
        "typing_extensions",
        "typing-inspection",
    } & (installed - {"pip", "setuptools"})
    assert {"attrs", "packaging", "pluggy", "pyyaml", "pydantic"} <= installed
    (tmp_path / "agent.yaml").write_text(AGENT)
    (tmp_path / "adder.py").write_text(MODULE)
    (tmp_path / "script.py").write_text(SCRIPT)
    first, second = json.loads(run("script.py"))
    assert first == [True, None]
    assert second == [False, "arg 'b': expected 5, got 4 (call 1)"]

    (tmp_path / "agent.yaml").write_text(
        AGENT + "evaluations: {metrics: [{type: standard, metric: numeric}]}\n"
    )
    failed = subprocess.run(
        [python, "script.py"], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
    )
    assert "pip install holodeck-graders" in failed.stderr
