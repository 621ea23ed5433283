"""What holds for the whole house: versions, layers, types, lint."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "graders", "cli")


def _project(package: str) -> dict[str, object]:
    with (ROOT / f"packages/holodeck-{package}/pyproject.toml").open("rb") as file:
        project: dict[str, object] = tomllib.load(file)["project"]
    return project


def _version(package: str) -> str:
    text = (ROOT / f"packages/holodeck-{package}/src/holodeck_{package}/__init__.py").read_text()
    [version] = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


def test_the_three_packages_have_one_version() -> None:
    assert len({_version(package) for package in PACKAGES}) == 1


@pytest.mark.parametrize("package", PACKAGES)
def test_siblings_are_pinned_to_the_very_same_version(package: str) -> None:
    dependencies = _project(package)["dependencies"]
    assert isinstance(dependencies, list)
    siblings = [entry for entry in dependencies if entry.startswith("holodeck-")]
    assert siblings == [entry for entry in siblings if entry.endswith(f"=={_version(package)}")]
    assert bool(siblings) is (package != "core")


# What is installed under another name, and what comes with who imports it: pytest loads its own plugin.
DISTRIBUTIONS = {
    "opentelemetry": "holodeck-core",
    "pydantic_core": "pydantic",
    "pytest": None,
    "yaml": "pyyaml",
}


@pytest.mark.parametrize("package", PACKAGES)
def test_whatever_a_package_imports_is_among_its_dependencies(package: str) -> None:
    project: Any = _project(package)
    requirements = [
        *project["dependencies"],
        *chain.from_iterable(project.get("optional-dependencies", {}).values()),
    ]
    declared = {re.split(r"[^\w-]", entry)[0].lower().replace("_", "-") for entry in requirements}
    imported = {
        name.partition(".")[0]
        for source in (ROOT / f"packages/holodeck-{package}/src").rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    } - {*sys.stdlib_module_names, f"holodeck_{package}"}
    needed = {DISTRIBUTIONS.get(name, name.replace("_", "-")) for name in imported} - {None}
    assert needed <= declared


@pytest.mark.parametrize("package", PACKAGES)
def test_an_entry_point_has_the_name_of_its_distribution(package: str) -> None:
    assert _project(package)["entry-points"] == {"holodeck.v1": {package: f"holodeck_{package}.hooks"}}


def test_the_facade_names_the_same_things_for_people_and_for_type_checkers() -> None:
    tree = ast.parse((ROOT / "packages/holodeck-core/src/holodeck_core/__init__.py").read_text())
    typed = {
        alias.name: node.module.removeprefix("holodeck_core.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("holodeck_core")
        for alias in node.names
    }
    [homes] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "_HOMES"
    ]
    lazy = {name: home for home, names in ast.literal_eval(homes).items() for name in names}
    assert lazy == typed


def test_every_public_name_can_be_had() -> None:
    import holodeck_core

    for name in dir(holodeck_core):
        assert getattr(holodeck_core, name) is not None
    everything: dict[str, object] = {}
    exec("from holodeck_core import *", everything)
    assert {*dir(holodeck_core)} - everything.keys() <= {"__all__", "__version__"}
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        holodeck_core.nothing  # noqa: B018


def test_no_pattern_repeats_a_group_in_a_way_that_older_pythons_get_wrong() -> None:
    """Before 3.11.5, ``(ab?)?+`` and its like match what they should not: ``1e`` was read as 1."""
    sources = [
        path for package in PACKAGES for path in (ROOT / f"packages/holodeck-{package}/src").rglob("*.py")
    ]
    assert len(sources) > 100
    found = [
        path
        for path in sources
        if re.search(r"\)(?:[*+?]|\{[\d,]+\})\+|\(\?>", path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_broad_except_names_the_boundary_at_which_it_stands() -> None:
    """One that only cleans up and raises again needs no name."""
    unnamed = []
    for source in (ROOT / "packages").glob("*/src/**/*.py"):
        lines = source.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if not isinstance(node, ast.ExceptHandler) or ast.unparse(
                node.type or ast.Name("BaseException")
            ) not in (
                "Exception",
                "BaseException",
            ):
                continue
            last = node.body[-1]
            if isinstance(last, ast.Raise) and last.exc is None:
                continue
            if not any("boundary: " in line for line in lines[max(0, node.lineno - 2) : node.lineno]):
                unnamed.append(f"{source.relative_to(ROOT)}:{node.lineno}")
    assert unnamed == []


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy", *(f"packages/holodeck-{package}/src" for package in PACKAGES), "bench"),
        ("mypy", "examples/helpdesk"),
        ("mypy", "examples/convfinqa"),
        ("mypy", "examples/airline"),
        ("mypy", "examples/financial-assistant"),
        ("importlinter.cli", "lint"),
    ],
    ids=[
        "lint",
        "format",
        "types",
        "types of helpdesk",
        "types of convfinqa",
        "types of airline",
        "types of financial-assistant",
        "layers",
    ],
)
@pytest.mark.timeout(600)
def test_the_house_is_clean(command: tuple[str, ...]) -> None:
    module, *arguments = command
    if module == "importlinter.cli":
        run = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    else:
        run = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_type_checker_knows_which_names_there_are(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    user.write_text(
        "from holodeck_core import Suit, load_suite\n"
        "from holodeck_core.models import Agent, Agnet\n"
        "from holodeck_core.testing import grade, scor\n"
    )
    run = [sys.executable, "-m", "mypy", "--strict", str(user)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.findall(r'has no attribute "(\w+)"', done.stdout) == ["Suit", "Agnet", "scor"], done.stdout
