"""What is public is written down, and nothing of it goes within a major version."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import __version__

HERE = Path(__file__).parent
SCRIPT = HERE / "public_names.py"
COMMAND = "python tests/compatibility/public_names.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_every_public_name_is_written_down(script: dict[str, Any]) -> None:
    written = (HERE / "public_names.txt").read_text(encoding="utf-8").splitlines()
    found = script["facts"]()
    told = [f"+ {fact}" for fact in found if fact not in written]
    told += [f"- {fact}" for fact in written if fact not in found]
    assert told == [], f"if that is meant, write it down with:  {COMMAND}"


@pytest.mark.parametrize(
    "fact",
    [
        "holodeck_core.run_suite(suite): required in place 0, Suite",
        "holodeck_core.Session.stream: abstract method",
        "holodeck_core.Turn.input: required field",
        "holodeck_core.ConfigError: class of HoloDeckError",
        "holodeck_core.plugins.hookimpl: value",
        "hook holodeck_matchers: matcher",
        "matcher fuzzy: named contribution",
        "file Turn.input: required key",
        "holodeck test(--tag): optional option",
        "holodeck runs prune(--keep): optional option",
        "exit code NOT_RUN: 3",
    ],
)
def test_what_counts_as_public(script: dict[str, Any], fact: str) -> None:
    assert fact in script["facts"]()


BEFORE = ["f: function", "f(a): required in place 0, int", "f(b): optional by name, int", "C: class"]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        pytest.param(BEFORE, [], id="nothing changed"),
        pytest.param([*BEFORE, "g: function", "g(a): required in place 0"], [], id="a new function"),
        pytest.param([*BEFORE, "f(c): optional by name, int"], [], id="a new optional parameter"),
        pytest.param([*BEFORE, "C.m: method", "C.m(a): required in place 1"], [], id="a new method"),
        pytest.param([BEFORE[0], "f(a): optional in place 0, int", *BEFORE[2:]], [], id="required no more"),
        pytest.param(BEFORE[:2] + BEFORE[3:], ["gone: f(b)"], id="a parameter is gone"),
        pytest.param(
            [*BEFORE, "f(c): required by name"],
            ["a new duty: f(c): required by name"],
            id="a new duty to give",
        ),
        pytest.param(
            [*BEFORE, "C.m: abstract method"], ["a new duty: C.m: abstract method"], id="a new duty to write"
        ),
        pytest.param(
            [*BEFORE[:2], "f(b): required by name, int", BEFORE[3]],
            ["changed: f(b): was optional by name, int, is required by name, int"],
            id="optional no more",
        ),
        pytest.param(
            [BEFORE[0], "f(a): required in place 1, int", *BEFORE[2:]],
            ["changed: f(a): was required in place 0, int, is required in place 1, int"],
            id="another place",
        ),
    ],
)
def test_what_breaks_code_that_was_written_before(
    script: dict[str, Any], now: list[str], told: list[str]
) -> None:
    assert script["breaks"](BEFORE, now) == told


NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not at hand")


@NEEDS_GIT
def test_the_last_tag_is_what_is_compared_with(script: dict[str, Any], tmp_path: Path) -> None:
    def git(*args: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "tag.gpgSign=false")
        subprocess.run(["git", *identity, *args], cwd=tmp_path, check=True, capture_output=True)

    file = tmp_path / "public_names.txt"

    def write(*lines: str) -> None:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        git("add", "-A")
        git("commit", "--quiet", "--allow-empty", "-m", "x")

    git("init", "--quiet")
    write("f: function", "g: function")
    assert script["since_last_tag"](file) == (None, [])
    git("tag", "v1")
    write("f: function")
    git("tag", "v2")
    write("h: function")
    assert script["since_last_tag"](file) == ("v2", ["gone: f"])


@NEEDS_GIT
def test_nothing_public_has_gone_since_the_last_release_of_this_major_version(script: dict[str, Any]) -> None:
    tag, told = script["since_last_tag"]()
    if tag is None or tag.removeprefix("v").split(".")[0] != __version__.split(".")[0]:
        pytest.skip("there is no release of this major version yet")
    assert told == []
