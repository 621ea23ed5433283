"""What ``holodeck plugins new`` writes works as it stands, of every kind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from holodeck_cli.new_plugin import EXAMPLES
from holodeck_cli.testing import cli
from holodeck_core.plugins.hookspecs import HOOKS
from holodeck_core.testing import FakeDistribution

KINDS = tuple(HOOKS)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def project_of(folder: Path) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return found


def install_in_place(folder: Path, site: Path) -> str:
    """Let the project be found as ``pip install -e`` would, by what its pyproject.toml says. Gives its sources."""
    project = project_of(folder)
    points = project["entry-points"]
    assert isinstance(points, dict)
    FakeDistribution(
        str(project["name"]), version=str(project["version"]), entry_points=points["holodeck.v1"]
    ).install(site)
    return str(folder / "src")


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project of each kind."""
    folder = tmp_path_factory.mktemp("projects")
    for kind in KINDS:
        done = cli("plugins", "new", f"of-{kind}", "--kind", kind, folder=folder)
        assert done.exit_code == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def run(projects: Path) -> Run:
    """Run a module of Python beside the projects, with all of them installed."""
    site = projects / "site"
    sources = [install_in_place(projects / f"holodeck-of-{kind}", site) for kind in KINDS]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("HOLODECK_")},
        "PYTHONPATH": os.pathsep.join([str(site), *sources]),
    }

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=projects,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_there_is_an_example_of_every_kind() -> None:
    assert set(EXAMPLES) == set(KINDS)


def test_the_projects_pass_their_own_tests(run: Run) -> None:
    done = run("pytest", "-q", "--import-mode=importlib", *(f"holodeck-of-{kind}" for kind in KINDS))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("check",), ("format", "--check")],
    ids=["lint", "format"],
)
def test_the_projects_are_tidy(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("ruff", *arguments, "--no-cache", *(f"holodeck-of-{kind}" for kind in KINDS))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(300)
def test_the_types_of_the_projects_are_sound(run: Run) -> None:
    paths = [f"holodeck-of-{kind}/{part}" for kind in KINDS for part in ("src", "tests")]
    done = run("mypy", "--config-file", "holodeck-of-grader/pyproject.toml", *paths)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_projects_keep_the_contract(run: Run) -> None:
    done = run("holodeck_cli", "plugins", "check", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    checks = {check["id"]: check["findings"] for check in found["plugins"]}
    assert found["ok"]
    assert set(checks) == {f"of-{kind}" for kind in KINDS}
    for kind in KINDS:
        rules = {finding["rule"] for finding in checks[f"of-{kind}"]}
        with_options = {"options"} if kind in ("metric", "backend", "reporter") else set()
        assert rules == {"entry-point", "hooks", "light", "summary", "target", "call"} | with_options
        assert {finding["status"] for finding in checks[f"of-{kind}"]} == {"ok"}


@pytest.mark.parametrize("kind", KINDS)
def test_ci_tests_the_oldest_core_that_is_allowed_and_the_newest(projects: Path, kind: str) -> None:
    folder = projects / f"holodeck-of-{kind}"
    dependencies = project_of(folder)["dependencies"]
    assert isinstance(dependencies, list)
    [oldest] = [specifier for entry in dependencies for specifier in Requirement(entry).specifier]
    assert oldest.operator == ">="
    workflow = (folder / ".github/workflows/tests.yml").read_text()
    assert re.findall(r'holodeck: "(.+)"', workflow) == [
        f"holodeck-core=={oldest.version} holodeck-cli=={oldest.version}",
        "--upgrade holodeck-core holodeck-cli",
    ]
