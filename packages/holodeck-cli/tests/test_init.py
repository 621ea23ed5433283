"""``holodeck init`` writes an agent that runs at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from jsonschema import Draft202012Validator

from holodeck_cli.commands.init import module_name
from holodeck_core.config.reading.read import read_document

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


def test_what_it_writes_is_valid_without_a_warning_and_passes(holodeck: Holodeck, tmp_path: Path) -> None:
    done = holodeck("init", "my-bot")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "wrote my-bot/agent.yaml, my-bot/my_bot_agent.py, my-bot/agent.schema.json\n"
    )
    assert "  cd my-bot\n  holodeck test\n" in done.stdout
    strict = holodeck("validate", "--strict", "my-bot/agent.yaml")
    assert (strict.returncode, strict.stderr) == (0, "")
    run = holodeck("test", "my-bot/agent.yaml")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[-1].startswith("3 passed, 0 failed in ")


def test_its_cases_can_fail(holodeck: Holodeck, tmp_path: Path) -> None:
    holodeck("init", "my-bot")
    module = tmp_path / "my-bot" / "my_bot_agent.py"
    module.write_text(module.read_text().replace("40.0", "41.0"))
    assert holodeck("test", "my-bot/agent.yaml").returncode == 1


def test_what_it_writes_is_typed_and_tidy(holodeck: Holodeck, tmp_path: Path) -> None:
    holodeck("init", "my-bot")
    module = tmp_path / "my-bot" / "my_bot_agent.py"
    compile(module.read_text(), str(module), "exec")
    for tool in (
        ["ruff", "check", "--isolated"],
        ["ruff", "format", "--isolated", "--check", "--line-length=110"],
    ):
        done = subprocess.run([sys.executable, "-m", *tool, str(module)], capture_output=True, check=False)
        assert done.returncode == 0, done.stdout


def test_its_first_line_leads_editors_to_a_schema_that_it_fulfils(holodeck: Holodeck, tmp_path: Path) -> None:
    holodeck("init", "my-bot")
    file = tmp_path / "my-bot" / "agent.yaml"
    first = file.read_text().splitlines()[0]
    prefix = "# yaml-language-server: $schema="
    assert first.startswith(prefix)
    schema = json.loads((file.parent / first.removeprefix(prefix)).read_text())
    assert not list(Draft202012Validator(schema).iter_errors(read_document(file).value))


def test_its_schema_is_the_one_of_the_command(holodeck: Holodeck, tmp_path: Path) -> None:
    holodeck("init", "my-bot")
    assert (tmp_path / "my-bot" / "agent.schema.json").read_text() == holodeck("schema").stdout


@pytest.mark.parametrize("existing", ["agent.yaml", "my_bot_agent.py", "agent.schema.json"])
def test_it_overwrites_nothing(holodeck: Holodeck, tmp_path: Path, existing: str) -> None:
    (tmp_path / "my-bot").mkdir()
    (tmp_path / "my-bot" / existing).write_text("mine")
    done = holodeck("init", "my-bot")
    assert (done.returncode, done.stderr) == (
        2,
        f"Error: my-bot/{existing} already exists; nothing was written\n",
    )
    assert [path.name for path in (tmp_path / "my-bot").iterdir()] == [existing]
    assert (tmp_path / "my-bot" / existing).read_text() == "mine"


def test_several_files_that_it_would_overwrite_are_told_together(holodeck: Holodeck) -> None:
    holodeck("init", "a")
    assert holodeck("init", "a").stderr == (
        "Error: a/agent.yaml, a/a_agent.py, a/agent.schema.json already exist; nothing was written\n"
    )


def test_a_folder_that_is_a_file_is_told(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    done = holodeck("init", "taken")
    assert (done.returncode, done.stderr) == (2, "Error: taken: File exists\n")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../up", "a/b", "-x", "a b", "é", "x\x1b[2J", "x" * 65, "dot."], ids=ascii
)
def test_a_name_that_is_none_is_refused(holodeck: Holodeck, tmp_path: Path, name: str) -> None:
    done = holodeck("init", "--", name)
    assert done.returncode == 2
    assert "a name starts with a letter or a digit" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("project", "module"),
    [
        ("bot", "bot_agent"),
        ("My-Bot.v2", "my_bot_v2_agent"),
        ("2fast", "agent_2fast"),
        ("json", "json_agent"),
        ("class", "class_agent"),
        ("a--b__", "a_b_agent"),
    ],
)
def test_the_module_has_a_name_of_its_own(project: str, module: str) -> None:
    assert module_name(project) == module
    assert module.isidentifier()
    assert module not in sys.stdlib_module_names


def test_two_projects_have_two_modules(holodeck: Holodeck, tmp_path: Path) -> None:
    holodeck("init", "one")
    holodeck("init", "two")
    modules = {path.name for path in tmp_path.glob("*/*.py")}
    assert modules == {"one_agent.py", "two_agent.py"}
