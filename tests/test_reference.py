"""The reference of the agent file is what the models say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import holodeck_core
from holodeck_core.config.reading.shapes import PLAIN
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.config.schema import agent_schema
from holodeck_core.plugins.host import PluginHost

DOCS = Path(__file__).parents[1] / "docs"
COMMAND = "python docs/generate.py"
PUBLIC_NAMES = Path(__file__).parent / "compatibility" / "public_names.txt"


@pytest.fixture(scope="module")
def generate() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "generate.py"))


@pytest.fixture(scope="module")
def page() -> str:
    return (DOCS / "reference" / "configuration.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["configuration", "command-line", "names"])
def test_the_page_is_up_to_date(generate: dict[str, Any], name: str) -> None:
    file = DOCS / "reference" / f"{name}.md"
    made = {path.name: text for path, text in generate["pages"]().items()}[file.name]
    assert made == file.read_text(encoding="utf-8"), f"out of date; make it again with:  {COMMAND}"


def test_every_command_and_option_is_on_the_page_of_the_command_line() -> None:
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    facts = PUBLIC_NAMES.read_text(encoding="utf-8").splitlines()
    commands = re.findall(r"^(holodeck [\w ]+): command$", "\n".join(facts), re.MULTILINE)
    options = [re.fullmatch(r"(holodeck[\w ]*)\((-.+)\): optional (?:flag|option)", fact) for fact in facts]
    assert len(commands) > 10
    for command in commands:
        assert re.search(rf"^#+ `{command}", page, re.MULTILINE), command
    for option in filter(None, options):
        if option[2] not in ("--help", "--version", "--debug"):
            section = re.split(rf"^#+ `{option[1]}[` ]", page, maxsplit=1, flags=re.MULTILINE)[1]
            assert f"`{option[2]}" in section.split("\n#")[0], option[0]


def test_every_public_name_is_on_the_page_of_the_names() -> None:
    page = (DOCS / "reference" / "names.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \| \S.*\|$", page, re.MULTILINE)
    assert sorted(told) == sorted(name for name in dir(holodeck_core) if not name.startswith("_"))


def test_every_key_of_the_file_is_on_the_page(page: str) -> None:
    schema = agent_schema(PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"}))
    told = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    parts = [schema, *(part for name, part in schema["$defs"].items() if name != "expected")]
    keys = {key for part in parts for key in part.get("properties", {})}
    assert keys - told == set()


def test_every_example_reads_as_it_stands(page: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(.+)` \|$", page, re.MULTILINE)
    assert len(rows) > 100
    for key, example in rows:
        document = read_yaml(example.replace(r"\|", "|"), "example", PLAIN)
        assert document.problems == []
        assert list(document.value) == [key]


def test_every_link_of_the_page_leads_to_a_heading(page: str) -> None:
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r"\(#(.+?)\)", page)) <= set(anchors)


def test_a_definition_without_a_place_is_an_error(generate: dict[str, Any]) -> None:
    host = PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"})
    template = generate["TEMPLATE"].read_text(encoding="utf-8")
    for marker in ("<!-- keys Turn -->", "<!-- keys ForbiddenTool -->", "<!-- keys EvaluationConfig -->"):
        with pytest.raises(ValueError, match=r"configuration\.md\.in has no place for"):
            generate["Reference"](template.replace(marker, ""), host).page()


def test_an_unknown_marker_is_an_error(generate: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="unknown marker: <!-- kyes Turn -->"):
        generate["Reference"]("<!-- kyes Turn -->", PluginHost(environ={})).page()
