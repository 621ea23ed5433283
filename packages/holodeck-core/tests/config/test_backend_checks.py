"""What a backend finds wrong with an agent file, or missing on the machine, is told where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holodeck_core import ConfigError, load_suite
from holodeck_core.errors import Problem
from holodeck_core.testing import FakeDistribution

pytest_plugins = ["holodeck_core.testing.fixtures"]

PLUGIN = """
from pydantic import BaseModel
from holodeck_core import Backend, Fault
from holodeck_core.plugins import Contribution, hookimpl

class Options(BaseModel):
    name: str = "none"
    temperature: float = 1.0
    missing: str = ""

class Remote(Backend):
    Options = Options

    def check_tool(self, tool):
        if tool.name == "raises":
            raise RuntimeError("no")
        if tool.name == "named":
            yield Fault(("name",), f"{self.options.name} at {self.options.temperature} has no such tool")

    def check_response_format(self, schema):
        if schema.get("raises"):
            raise RuntimeError("no")
        if "anyOf" in schema:
            yield Fault(("anyOf", 0), "cannot be asked for")

    def lacks(self):
        if self.options.missing == "raises":
            raise RuntimeError("no")
        if self.options.missing and self.options.missing not in self.environ:
            yield Fault(("missing",), f"{self.options.missing} is not set")

    async def open(self, agent, case=None): ...

@hookimpl
def holodeck_backends():
    return [Contribution("remote", "acme_checks:Remote", "")]
"""

HEAD = "name: agent\nmodel: {provider: acme/remote, name: big, temperature: 0.5}\n"
TOOL = "tools: [{type: prompt, template: Hello, name: %s}]\n"


@pytest.fixture(autouse=True)
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install_plugin: Any) -> None:
    install_plugin(FakeDistribution("holodeck-acme", modules={"acme_checks.py": PLUGIN}))
    monkeypatch.chdir(tmp_path)


def found(text: str, **files: str) -> list[str]:
    Path("agent.yaml").write_text(text, encoding="utf-8")
    for name, content in files.items():
        Path(f"{name}.yaml").write_text(content, encoding="utf-8")
    try:
        load_suite("agent.yaml", environ={})
    except ConfigError as error:
        return [problem.headline() for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TOOL % "fine", []),
        (TOOL % "named", ['agent.yaml:3:47: tools[0] "named".name: big at 0.5 has no such tool']),
        (TOOL % "raises",
         ['agent.yaml:3:9: tools[0] "raises": the provider failed to check the tool: RuntimeError: no']),
        ("response_format: {type: object}\n", []),
        ("response_format: {anyOf: [{}]}\n", ["agent.yaml:3:27: response_format.anyOf[0]: cannot be asked for"]),
        ("response_format: {raises: true}\n",
         ["agent.yaml:3:18: response_format: the provider failed to check this: RuntimeError: no"]),
        ("response_format: form.yaml\n", ["form.yaml:2:10: anyOf[0]: cannot be asked for"]),
        ("response_format: lost.yaml\n", ["agent.yaml:3:18: response_format: lost.yaml: there is no such file"]),
        ("response_format: list.yaml\n", ["list.yaml:1:1: the file must hold a mapping, not a list"]),
    ],
)  # fmt: skip
def test_what_a_backend_finds_stands_where_it_is(text: str, told: list[str]) -> None:
    forms = {"form": "title: Reply\nanyOf: [ {}]\n", "list": "[1]\n"}
    assert [line.split("; did you mean")[0] for line in found(HEAD + text, **forms)] == told


def test_what_the_machine_lacks_is_a_mistake_for_a_run_and_else_a_warning() -> None:
    text = "name: agent\nmodel: {provider: acme/remote, missing: %s}\n"
    told = "agent.yaml:2:41: model.missing: ACME_KEY is not set"
    assert found(text % "ACME_KEY") == [told]
    assert [warning.headline() for warning in _warnings({})] == [told]
    assert _warnings({"ACME_KEY": "k"}) == ()
    assert found(text % "raises") == [
        "agent.yaml:2:8: model: the provider failed to look for what it needs: RuntimeError: no"
    ]


def _warnings(environ: dict[str, str]) -> tuple[Problem, ...]:
    return load_suite("agent.yaml", environ=environ, to_run=False).warnings


def test_the_variables_of_the_env_file_are_the_backends_too() -> None:
    found("name: agent\nmodel: {provider: acme/remote, missing: ACME_KEY}\n")
    Path("my.env").write_text("ACME_KEY=k\n", encoding="utf-8")
    suite = load_suite("agent.yaml", environ={}, env_file="my.env")
    assert (suite.warnings, suite.backend.environ["ACME_KEY"]) == ((), "k")


def test_a_reply_format_is_the_schema_itself_once_it_is_loaded() -> None:
    assert found(HEAD + "response_format: form.yaml\n", form="type: object\n") == []
    assert load_suite("agent.yaml", environ={}).agent.response_format == {"type": "object"}
