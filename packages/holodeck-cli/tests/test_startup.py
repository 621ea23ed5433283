"""What a command does not use is not imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holodeck_core.testing.fake_distribution import FakeDistribution

HEAVY = {"pydantic", "pydantic_core", "yaml", "asyncio", "rich", "semantic_kernel", "attr", "attrs"}

PROBE = """
import json, sys
from holodeck_cli.main import main
code = main(sys.argv[1:])
json.dump([code, sorted(sys.modules)], open("modules.json", "w"))
"""


def modules_after(folder: Path, *args: str) -> set[str]:
    subprocess.run([sys.executable, "-c", PROBE, *args], cwd=folder, capture_output=True, check=True)
    code, modules = json.loads((folder / "modules.json").read_text())
    assert code == 0
    return set(modules)


@pytest.mark.parametrize(
    "args",
    [
        ("--version",),
        ("--help",),
        ("-h",),
        ("test", "--help"),
        ("validate", "--help"),
        ("init", "--help"),
        ("report", "--help"),
        ("runs", "--help"),
        ("runs", "prune", "--help"),
        ("plugins", "--help"),
        ("schema", "--help"),
    ],
    ids=" ".join,
)
def test_answers_that_need_nothing_heavy_import_nothing_heavy(tmp_path: Path, args: tuple[str, ...]) -> None:
    assert modules_after(tmp_path, *args) & HEAVY == set()


def test_the_version_is_told_before_typer_is_imported(tmp_path: Path) -> None:
    assert "typer" not in modules_after(tmp_path, "--version")


def test_the_help_page_imports_no_command(tmp_path: Path) -> None:
    assert [
        name for name in modules_after(tmp_path, "--help") if name.startswith("holodeck_cli.commands.")
    ] == []


def test_the_help_of_a_command_imports_that_command_only(tmp_path: Path) -> None:
    modules = modules_after(tmp_path, "test", "--help")
    assert [name for name in modules if name.startswith("holodeck_cli.commands.")] == [
        "holodeck_cli.commands.test"
    ]


def test_rich_is_for_terminals(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, replies: [{reply: hi}]}\n"
        "test_cases: [{input: hi, expected_tools: []}]\n"
    )
    modules = modules_after(tmp_path, "test", "agent.yaml")
    assert "rich" not in modules
    assert "asyncio" in modules


def test_the_help_page_lists_plugins_without_importing_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = "raise AssertionError('imported')"
    FakeDistribution("holodeck-acme", version="1.2", modules={"acme_hooks.py": hooks}).install(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "acme_hooks" not in modules_after(tmp_path, "--help")


@pytest.mark.parametrize("args", [("--version",), ("--help",), ("test",), ("validate",)], ids=" ".join)
def test_twenty_plugins_that_are_not_used_import_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, replies: [{reply: hi}]}\n"
        "evaluations: {metrics: [{type: standard, metric: equality}]}\n"
        "test_cases: [{input: hi, ground_truth: hi}]\n"
    )
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(site))
    without = modules_after(tmp_path, *args)
    for number in range(20):
        hooks = {f"acme{number}_hooks.py": "raise AssertionError('imported')"}
        FakeDistribution(f"holodeck-acme{number}", modules=hooks).install(site)
    assert modules_after(tmp_path, *args) == without
