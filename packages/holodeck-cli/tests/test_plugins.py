"""``holodeck plugins list`` tells what is installed, also what is broken."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core.testing.fake_distribution import FakeDistribution

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_matchers():
    return [Contribution("near", "acme.near:Near", "numbers near each other")]

@hookimpl
def holodeck_reporters():
    raise RuntimeError("no\\x1b[31m paper")
"""


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """Three plugins: one partly broken, one that cannot be imported, one misnamed."""
    folder = tmp_path / "site"
    folder.mkdir()
    FakeDistribution("holodeck-acme", version="1.2", modules={"acme_hooks.py": HOOKS}).install(folder)
    FakeDistribution("holodeck-gone", modules={"gone_hooks.py": "import nothing_of_that_name\n"}).install(
        folder
    )
    FakeDistribution("holodeck-odd", entry_points={"other": "odd"}, modules={"odd.py": ""}).install(folder)
    return {"PYTHONPATH": str(folder)}


def listed(holodeck: Holodeck, env: dict[str, str]) -> dict[str, Any]:
    done = holodeck("plugins", "list", "--json", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return {plugin["id"]: plugin for plugin in json.loads(done.stdout)["plugins"]}


def test_the_list_as_data(holodeck: Holodeck, site: dict[str, str]) -> None:
    plugins = listed(holodeck, site)
    assert {name: plugin["status"] for name, plugin in plugins.items()} == {
        "acme": "broken",
        "cli": "ok",
        "core": "ok",
        "gone": "broken",
        "graders": "ok",
        "odd": "misnamed",
    }
    acme = plugins["acme"]
    assert (acme["distribution"], acme["version"]) == ("holodeck-acme", "1.2")
    assert [(each["kind"], each["name"], each["target"]) for each in acme["contributions"]] == [
        ("matcher", "acme/near", "acme.near:Near")
    ]
    assert "RuntimeError" in acme["problems"][0]


def test_the_reports_of_this_package_are_listed(holodeck: Holodeck) -> None:
    contributions = listed(holodeck, {})["cli"]["contributions"]
    assert {each["name"] for each in contributions if each["kind"] == "reporter"} >= {"terminal", "json"}


def test_the_list_for_people(holodeck: Holodeck, site: dict[str, str]) -> None:
    done = holodeck("plugins", "list", env=site)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "\x1b" not in done.stdout
    at = lines.index("acme: holodeck-acme 1.2, broken")
    assert lines[at + 1].split() == ["matcher", "acme/near", "numbers", "near", "each", "other"]
    assert lines[at + 2].startswith("    problem: ")
    assert "gone: holodeck-gone 1.0, broken" in lines
    assert any(line.startswith("odd: holodeck-odd 1.0, misnamed") for line in lines)


@pytest.mark.parametrize(
    ("env", "status"),
    [
        ({"HOLODECK_STRICT_PLUGINS": "1"}, "broken"),
        ({"HOLODECK_DISABLE_PLUGINS": "acme"}, "disabled"),
        ({"HOLODECK_PLUGIN_AUTOLOAD": "0"}, None),
    ],
    ids=["strict", "disabled", "no-autoload"],
)
def test_the_list_is_told_whatever_the_switches_say(
    holodeck: Holodeck, site: dict[str, str], env: dict[str, str], status: str | None
) -> None:
    plugins = listed(holodeck, {**site, **env})
    assert plugins.get("acme", {}).get("status") == status


def test_what_a_hooks_module_prints_is_no_part_of_the_list(holodeck: Holodeck, tmp_path: Path) -> None:
    writing = "import os\nprint('hello')\nos.write(1, b'from C\\n')\nos.system('echo from a child')\n"
    hooks = {"loud_hooks.py": f"{writing}{HOOKS}"}
    FakeDistribution("holodeck-loud", modules=hooks).install(tmp_path / "site")
    env = {"PYTHONPATH": str(tmp_path / "site")}
    for command, key in ((("list",), "contributions"), (("check", "loud"), "findings")):
        done = holodeck("plugins", *command, "--json", env=env)
        (loud,) = [plugin for plugin in json.loads(done.stdout)["plugins"] if plugin["id"] == "loud"]
        assert loud[key]
        assert {"hello", "from C", "from a child"} <= set(done.stderr.splitlines())
    done = holodeck("schema", env=env)
    assert json.loads(done.stdout)["$schema"]
    assert "from a child" in done.stderr


@pytest.mark.parametrize(
    "command", [("plugins", "list"), ("plugins", "check", "gone"), ("schema",)], ids=" ".join
)
def test_a_plugin_that_ends_the_process_passes_nothing(
    holodeck: Holodeck, tmp_path: Path, command: tuple[str, ...]
) -> None:
    hooks = {"gone_hooks.py": f"import os\nos._exit(0)\n{HOOKS}"}
    FakeDistribution("holodeck-gone", modules=hooks).install(tmp_path / "site")
    done = holodeck(*command, env={"PYTHONPATH": str(tmp_path / "site")})
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "error: a plugin called os._exit(0)\n")
