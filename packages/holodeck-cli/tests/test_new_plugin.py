"""``holodeck plugins new``: which names it takes, and what it writes where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from holodeck_cli.commands.plugins import PluginKind
from holodeck_cli.new_plugin import plugin_files, read_name
from holodeck_cli.testing import cli
from holodeck_core.plugins.hookspecs import HOOKS, Kind
from holodeck_core.plugins.names import is_name, is_target


def test_every_kind_can_be_written() -> None:
    assert [kind.value for kind in PluginKind] == sorted(get_args(Kind), key=[*PluginKind].index)


@pytest.mark.parametrize(
    ("text", "plugin", "contribution"),
    [
        ("acme", "acme", None),
        ("holodeck-acme", "acme", None),
        ("acme-tools/near", "acme-tools", "near"),
        ("holodeck-acme/no_cards", "acme", "no_cards"),
        ("4", "4", None),
    ],
)
def test_a_name_is_a_plugins_id_or_a_contributions_full_name(
    text: str, plugin: str, contribution: str | None
) -> None:
    assert read_name(text) == (plugin, contribution)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Acme", "lower-case letters and digits, with single '-' between; did you mean 'acme'?"),
        ("acme_tools", "did you mean 'acme-tools'?"),
        ("", "a plugin's name is lower-case"),
        ("/near", "a plugin's name is lower-case"),
        ("acme/", "what follows '/' is lower-case"),
        ("acme/Near", "what follows '/' is lower-case"),
        ("acme/a/b", "what follows '/' is lower-case"),
        ("../acme", "a plugin's name is lower-case"),
        ("graders", "'graders' is the id of HoloDeck's own holodeck-graders"),
        ("test", "'test' is the name of a command of holodeck"),
        ("chat", "'chat' is the name of a command of holodeck"),
    ],
)
def test_any_other_name_is_refused_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    done = cli("plugins", "new", text, "--kind", "grader", folder=tmp_path)
    assert done.exit_code == 2
    assert reason in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize(
    "name",
    ["acme", "4", "acme/class", "acme/hooks", "acme/grade", "acme/turn", "acme/metric", "a-b/c-d_e"],
)
def test_whatever_the_name_the_files_hang_together(name: str, kind: Kind) -> None:
    files = plugin_files(read_name(name), kind, "1.2")
    [hooks] = [text for path, text in files.items() if path.endswith("hooks.py")]
    defined: dict[str, Any] = {}
    exec(hooks, defined)
    [contribution] = defined[HOOKS[kind]]()
    assert is_name(contribution.name)
    assert is_target(contribution.target)
    module, _, attribute = contribution.target.partition(":")
    names = list(_names(ast.parse(files[f"src/{module.replace('.', '/')}.py"])))
    assert attribute in names
    assert len(names) == len(set(names))
    for path, text in files.items():
        assert "$" not in text.replace("${{ matrix.", ""), path
        if path.endswith(".py"):
            compile(text, path, "exec")


def _names(module: ast.Module) -> Iterator[str]:
    """The names that a module imports, defines and sets."""
    for node in module.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef():
                yield node.name
            case ast.Import() | ast.ImportFrom():
                yield from (alias.asname or alias.name for alias in node.names)
            case ast.Assign():
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def test_nothing_that_exists_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "holodeck-acme").mkdir()
    (tmp_path / "holodeck-acme" / "README.md").write_text("mine")
    done = cli("plugins", "new", "acme", "--kind", "metric", folder=tmp_path)
    assert done.exit_code == 2
    assert "README.md already exists; nothing was written" in done.stderr
    assert [path.name for path in (tmp_path / "holodeck-acme").iterdir()] == ["README.md"]
    assert (tmp_path / "holodeck-acme" / "README.md").read_text() == "mine"
