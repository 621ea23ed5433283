"""``--show-settings`` and ``--env-file``: what is in force, and what variables stand for."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

AGENT = """\
name: ${NAME}
model: {provider: scripted, replies: [{reply: "${NAME}"}]}
execution:
  llm_timeout: 2.5
test_cases:
  - {input: hi, expected_tools: []}
"""

TABLE = """\
setting              value     from
parallel_test_cases  1         default
llm_timeout          2.5       agent.yaml:4
file_timeout         8         HOLODECK_FILE_TIMEOUT (names.env:2)
download_timeout     30        default
retries              7         holodeck.yaml:1
tool_order           exact     HOLODECK_TOOL_ORDER
extra_calls          allow     default
on_turn_failure      continue  default
agent.yaml: valid, 1 case
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.yaml").write_text(AGENT)
    (tmp_path / "holodeck.yaml").write_text("execution: {retries: 7, llm_timeout: 9}\n")
    (tmp_path / "names.env").write_text("NAME=from the file\nHOLODECK_FILE_TIMEOUT=8\n")
    return tmp_path


def test_each_setting_is_shown_with_where_it_comes_from(holodeck: Holodeck, folder: Path) -> None:
    env = {"NAME": "a", "HOLODECK_TOOL_ORDER": "exact", "HOME": str(folder)}
    done = holodeck("validate", "--show-settings", "--env-file", "names.env", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == TABLE


def test_settings_are_shown_as_data(holodeck: Holodeck) -> None:
    done = holodeck("validate", "--show-settings", "--json", env={"NAME": "a"})
    shown = {setting["name"]: setting for setting in json.loads(done.stdout)["settings"]}
    assert shown["retries"] == {"name": "retries", "value": 7, "origin": "holodeck.yaml:1"}


def test_settings_are_not_shown_unless_they_are_asked_for(holodeck: Holodeck) -> None:
    done = holodeck("validate", "--json", env={"NAME": "a"})
    assert "settings" not in json.loads(done.stdout)
    assert holodeck("validate", env={"NAME": "a"}).stdout == "agent.yaml: valid, 1 case\n"


@pytest.mark.parametrize("command", ["validate", "test"])
def test_a_file_of_variables_is_read_where_it_is_named(
    holodeck: Holodeck, folder: Path, command: str
) -> None:
    (folder / ".env").write_text("NAME=from .env\n")
    unnamed = holodeck(command)
    assert unnamed.returncode == 2
    assert "agent.yaml:1:7: name: the variable NAME is not set" in unnamed.stderr
    assert holodeck(command, "--env-file", "names.env").returncode == 0
    assert holodeck(command, env={"NAME": "a"}).returncode == 0


@pytest.mark.parametrize("command", ["validate", "test"])
def test_a_mistake_in_a_file_of_variables_is_a_mistake_in_the_configuration(
    holodeck: Holodeck, folder: Path, command: str
) -> None:
    (folder / "names.env").write_text("NAME='s3cret\n")
    done = holodeck(command, "--env-file", "names.env")
    assert done.returncode == 2
    assert "names.env:1:6: the quote that begins the value of NAME is not closed" in done.stderr
    assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.parametrize("seconds", ["-1", "0", "nan", "inf"])
def test_a_setting_of_the_command_line_goes_before_all_files(holodeck: Holodeck, seconds: str) -> None:
    done = holodeck("test", "--llm-timeout", seconds, env={"NAME": "a"})
    assert done.returncode == 2
    assert "--llm-timeout: must be more than 0" in done.stderr
