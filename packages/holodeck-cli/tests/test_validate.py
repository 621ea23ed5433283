"""``holodeck validate`` loads and checks everything, and sends nothing."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

HEAD = "name: a\nmodel: {provider: scripted, replies: []}\ntest_cases:\n"
VALID = HEAD + "  - {input: hi, expected_tools: []}\n"
WRONG = HEAD + "  - inptu: hi\n  - {input: '', expected_tools: []}\n"


@pytest.mark.parametrize(
    ("text", "args", "code"),
    [
        pytest.param(VALID, [], 0, id="valid"),
        pytest.param(VALID, ["--strict"], 0, id="valid-strictly"),
        pytest.param(WRONG, [], 2, id="wrong"),
        pytest.param(WRONG, ["--json"], 2, id="wrong-as-json"),
        pytest.param(VALID, ["missing.yaml"], 2, id="no-such-file"),
    ],
)
def test_the_exit_code_says_whether_something_is_wrong(
    holodeck: Holodeck, tmp_path: Path, text: str, args: list[str], code: int
) -> None:
    (tmp_path / "agent.yaml").write_text(text)
    assert holodeck("validate", *args).returncode == code


def test_what_is_valid_is_told_with_the_number_of_cases(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(VALID)
    done = holodeck("validate")
    assert (done.stdout, done.stderr) == ("agent.yaml: valid, 1 case\n", "")


def test_every_problem_is_told_with_its_place_and_a_count(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(WRONG)
    done = holodeck("validate")
    assert done.stdout == ""
    places = re.findall(r"^agent\.yaml:(\d+):\d+: ", done.stderr, re.MULTILINE)
    assert set(places) == {"4", "5"}
    assert done.stderr.splitlines()[-1] == f"{len(places)} problems in agent.yaml"


def test_json_holds_problems_as_data(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(WRONG)
    done = holodeck("validate", "--json")
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert list(found) == ["valid", "cases", "problems", "warnings"]
    assert found["valid"] is False
    first = found["problems"][0]
    assert list(first) == ["message", "file", "line", "column", "path", "source"]
    assert (first["file"], first["line"], first["source"]) == ("agent.yaml", 4, "  - inptu: hi")


def test_nothing_is_sent(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "seen.py").write_text(
        "def agent():\n    open('sent', 'w')\n    return lambda message: 'hi'\n"
    )
    (tmp_path / "agent.yaml").write_text(
        VALID.replace("scripted, replies: []", "python, agent: 'seen:agent'")
    )
    assert holodeck("validate").returncode == 0
    assert not (tmp_path / "sent").exists()


@pytest.mark.parametrize("command", ["validate", "test", "chat"])
def test_a_folder_without_an_agent_file_is_told_what_to_do(holodeck: Holodeck, command: str) -> None:
    done = holodeck(command)
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "agent.yaml: there is no such file; name the agent file, or make a new one with 'holodeck init NAME'",
    )


def test_a_name_that_is_near_is_better_advice(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.yml").write_text(VALID)
    assert holodeck("validate").stderr.startswith(
        'agent.yaml: there is no such file; did you mean "agent.yml"?'
    )


def test_the_code_of_an_agent_is_no_agent_file(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("PRICES = {'tea': 3}\n")
    done = holodeck("test", "shop.py")
    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            'shop.py: this is Python, not an agent file: write an agent file with model.agent: "shop:…", and name that',
            "1 problem in shop.py",
        ],
    )
