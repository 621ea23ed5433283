"""``holodeck plugins check`` and the command line in process."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from holodeck_cli.testing import cli
from holodeck_core.testing import FakeDistribution

pytest_plugins = ["holodeck_core.testing.fixtures"]

HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_graders():
    return [Contribution("yes", "acme_of_cli_checks:yes", "always")]

@hookimpl
def holodeck_commands():
    return [Contribution("leave", "acme_of_cli_checks:leave", "leaves")]
"""
GOOD = """
import os, sys
import typer

def yes(turn):
    return True

leave = typer.Typer()

@leave.command()
def main(code: int):
    print("out")
    print(sys.stdin.readline().strip() + os.environ.get("ACME_OF_A_TEST", ""), file=sys.stderr)
    sys.exit(code)
"""


@pytest.fixture
def acme(install_plugin: Any) -> Any:
    """Installs a plugin with this source of what it contributes."""

    def acme(source: str = GOOD) -> None:
        modules = {"acme_hooks_of_cli_checks.py": HOOKS, "acme_of_cli_checks.py": source}
        install_plugin(FakeDistribution("holodeck-acme", version="1.2", modules=modules))

    return acme


class TestCheck:
    def test_a_plugin_in_good_order(self, acme: Any) -> None:
        acme()
        done = cli("plugins", "check", "acme")
        assert (done.exit_code, done.stderr) == (0, "")
        lines = done.stdout.splitlines()
        assert lines[0] == "acme: holodeck-acme 1.2, ok"
        assert "    ok: call: grader acme/yes" in lines

    def test_one_that_falls_short(self, acme: Any) -> None:
        acme(GOOD.replace("return True", "raise ValueError('\\x1b[31mred')"))
        done = cli("plugins", "check")
        assert done.exit_code == 1
        assert "acme: holodeck-acme 1.2, falls short" in done.stdout
        assert "failed: call: grader acme/yes: ValueError: " in done.stdout
        assert "\x1b" not in done.stdout
        assert cli("plugins", "check", "--no-call").exit_code == 0

    def test_the_findings_as_data(self, acme: Any) -> None:
        acme(GOOD.replace("def yes", "def no"))
        done = cli("plugins", "check", "acme", "--json")
        assert done.exit_code == 1
        found = json.loads(done.stdout)
        assert not found["ok"]
        [plugin] = found["plugins"]
        assert (plugin["id"], plugin["distribution"], plugin["version"], plugin["ok"]) == (
            "acme",
            "holodeck-acme",
            "1.2",
            False,
        )
        [failed] = [finding for finding in plugin["findings"] if finding["status"] == "failed"]
        assert (failed["rule"], failed["subject"]) == ("target", "grader acme/yes")
        assert "cannot import acme_of_cli_checks:yes" in failed["message"]

    def test_what_plugins_print_is_no_part_of_it(self, acme: Any) -> None:
        acme(GOOD.replace("    return True", "    print('graded')\n    return True"))
        done = cli("plugins", "check", "acme", "--json")
        assert json.loads(done.stdout)["ok"]
        assert "graded" in done.stderr

    def test_without_plugins_there_is_nothing_to_check(self) -> None:
        off = {"HOLODECK_PLUGIN_AUTOLOAD": "0"}
        assert cli("plugins", "check", environ=off) == (0, "no third-party plugin is installed\n", "")
        assert json.loads(cli("plugins", "check", "--json", environ=off).stdout) == {
            "ok": True,
            "plugins": [],
        }

    def test_a_plugin_that_is_not_there_is_a_mistake(self, acme: Any) -> None:
        acme()
        done = cli("plugins", "check", "amce")
        assert done.exit_code == 2
        assert "did you mean 'acme'?" in done.stderr

    @pytest.mark.parametrize("plugin_id", ["core", "graders", "cli"])
    def test_our_own_can_be_checked_too(self, plugin_id: str) -> None:
        assert cli("plugins", "check", plugin_id).exit_code == 0


class TestInProcess:
    def test_streams_folder_and_environment_are_its_own_and_put_back(self, acme: Any, tmp_path: Path) -> None:
        acme()
        before = (sys.stdin, sys.stdout, sys.__stdout__, list(sys.path), Path.cwd(), dict(os.environ))
        done = cli("acme", "leave", "7", folder=tmp_path, environ={"ACME_OF_A_TEST": "!"}, stdin="in\n")
        assert done == (7, "out\n", "in!\n")
        assert (sys.stdin, sys.stdout, sys.__stdout__, list(sys.path), Path.cwd(), dict(os.environ)) == before

    def test_a_report_on_standard_output_is_caught(self, tmp_path: Path) -> None:
        model = {"provider": "scripted", "replies": [{"reply": "a"}]}
        agent = {"name": "desk", "model": model, "test_cases": [{"input": "a", "expected_tools": []}]}
        (tmp_path / "agent.yaml").write_text(json.dumps(agent))
        done = cli("test", "--format", "json", folder=tmp_path)
        assert done.exit_code == 0
        assert json.loads(done.stdout)["summary"]["passed"] == 1
        assert "1 passed" in done.stderr
        told = cli("test", folder=tmp_path)
        assert told.stdout.startswith("PASS case 1")

    def test_a_usage_mistake_is_a_code(self) -> None:
        done = cli("tset")
        assert done.exit_code == 2
        assert "Did you mean 'test'?" in done.stderr


def test_reports_say_which_plugins_a_run_used(acme: Any, tmp_path: Path) -> None:
    acme()
    agent = {
        "name": "desk",
        "model": {"provider": "scripted", "replies": [{"reply": "a"}]},
        "evaluations": {"metrics": [{"type": "code", "grader": "acme/yes"}]},
        "test_cases": [{"input": "a"}],
    }
    (tmp_path / "agent.yaml").write_text(json.dumps(agent))
    done = cli("test", "-o", "report.md", "-o", "report.json", "-o", "report.xml", folder=tmp_path)
    assert done.stdout.splitlines()[0] == "plugins: acme 1.2"
    assert "` plugins: acme 1.2 `" in (tmp_path / "report.md").read_text().splitlines()[0]
    assert json.loads((tmp_path / "report.json").read_text())["environment"]["plugin acme"] == "1.2"
    assert 'name="plugin acme" value="1.2"' in (tmp_path / "report.xml").read_text()
    assert "plugins:" not in cli("test", "-q", folder=tmp_path).stdout
