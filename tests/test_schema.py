"""Every agent file of the examples and the docs fulfils the schema that `holodeck schema` prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from holodeck_core.config.reading.shapes import AGENT
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.config.schema import agent_schema
from holodeck_core.plugins.host import PluginHost

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```yaml [\w./-]*agent\.yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def agent_files() -> Iterator[Any]:
    for file in (ROOT / "examples").rglob("agent.yaml"):
        yield pytest.param(file.read_text(encoding="utf-8"), id=str(file.relative_to(ROOT)))
    for file in (ROOT / "examples").rglob("convert.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "AGENT":
                yield pytest.param(ast.literal_eval(node.value), id=f"{file.relative_to(ROOT)} AGENT")
    for file in sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("[dp]*/**/*.md")):
        for number, text in enumerate(BLOCK.findall(file.read_text(encoding="utf-8"))):
            yield pytest.param(text, id=f"{file.relative_to(ROOT)} {number}")


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(agent_schema(PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"})))


@pytest.mark.parametrize("text", [*agent_files()])
def test_an_agent_file_fulfils_the_schema(validator: Draft202012Validator, text: str) -> None:
    value = read_yaml(text, "agent.yaml", AGENT).value
    assert [(list(error.absolute_path), error.message) for error in validator.iter_errors(value)] == []


def test_there_are_files_of_all_kinds() -> None:
    names = [str(param.id) for param in agent_files()]
    for place in ("examples/helpdesk/", "examples/airline/", "examples/convfinqa/", "README.md", "docs/"):
        assert any(name.startswith(place) for name in names), place
