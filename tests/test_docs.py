"""Every block in the README and the docs is run, and prints what stands there.

A block whose opening fence names a file is written to it; ``console`` blocks run what follows ``$`` and compare what
comes out (times aside); ``terminal`` blocks do so in a terminal of 80 columns (see docs/terminal.py); ``python`` blocks
without a name are run as scripts. Each document has a folder of its own.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "packages").glob("*/README.md"),
        *(ROOT / "examples").glob("*/README.md"),
    ]
)
terminal = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "terminal.py")))
INSTALL = "python3 -m venv .venv && .venv/bin/pip install "
# What a document installs goes into a folder of its own; of what it needs, everything is there.
INSTALLS = {
    "PIP_NO_DEPS": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # which switches it off
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "PYTEST_ADDOPTS": "-p no:cacheprovider",
}
FENCE = re.compile(r"^```(\w+)(?: ([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE_LINE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, the file it is written to, its text."""

    language: str
    file: str
    text: str


def blocks(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    found = [Block(*parts) for parts in FENCE.findall(text)]
    assert len(FENCE_LINE.findall(text)) == 2 * len(found), "a block that nothing would run"
    return found


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a ``console`` block, each with what it prints."""
    found: list[tuple[str, str]] = COMMAND.findall(block.text)
    assert "".join(f"$ {command}\n{output}" for command, output in found) == block.text, (
        "lines before a command"
    )
    return found


def normal(text: str) -> str:
    """The output without what differs from run to run: times, and the order in which cases finished."""
    lines = re.sub(r"\b\d+(\.\d+)? ?(ms|s)\b", "N ms", text).strip().splitlines()
    first = next((number for number, line in enumerate(lines) if line.startswith("PASS ")), len(lines))
    passed = sorted(line for line in lines if line.startswith("PASS "))
    others = [line for line in lines if not line.startswith("PASS ")]
    return "\n".join([*others[:first], *passed, *others[first:]])


def run(command: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # what this repository's own tests need is not everybody's
        **INSTALLS,
        "PIP_TARGET": str(folder / "site"),
        "PYTHONPATH": str(folder / "site"),
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
@pytest.mark.timeout(300)
def test_the_blocks_of_a_document(document: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for block in blocks(document):
        if block.file:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command, expected in commands(block):
                assert normal(run(command, tmp_path)) == normal(expected), command
        elif block.language == "terminal":
            command, expected = terminal.command_of(block.text)
            screen = terminal.shown(command, tmp_path, color=False)
            assert terminal.text_of(screen) == expected, command
            assert not terminal.is_coloured(screen)
        elif block.language == "python":
            (tmp_path / "_block.py").write_text(block.text, encoding="utf-8")
            output = run(f"{shlex.quote(sys.executable)} _block.py || echo 'it failed'", tmp_path)
            assert "Traceback" not in output, output
            assert "it failed" not in output, output
        elif block.language == "bash":
            assert block.text.startswith(INSTALL) or document.parts[-3] == "examples", (
                "run by the tests below"
            )
        elif block.language == "json":
            json.loads(block.text)
        else:
            assert block.language == "text", (
                f"nothing runs this block of {block.language!r}: {block.text[:80]!r}"
            )


@pytest.mark.parametrize(
    "document",
    [path for path in DOCUMENTS if "```terminal\n" in path.read_text(encoding="utf-8")],
    ids=lambda path: path.stem,
)
def test_the_pictures_of_a_document_are_what_is_shown_in_colour(document: Path, tmp_path: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for path, svg in terminal.pictures(document, tmp_path):
        assert path.read_text(encoding="utf-8") == svg, "python docs/terminal.py"
        assert f"](images/{path.name})" in text


def _install_commands() -> list[str]:
    return [block.text.strip() for block in blocks(ROOT / "README.md") if block.language == "bash"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_first_command_of_the_readme_as_it_stands(tmp_path: Path) -> None:
    copy = tmp_path / "holodeck"
    ignore = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache", "build", "dist")
    shutil.copytree(ROOT, copy, ignore=ignore)
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        _install_commands()[0], shell=True, cwd=copy, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 passed" in done.stdout


def test_the_second_command_of_the_readme_is_what_ci_runs() -> None:
    first, second = _install_commands()
    assert first != second
    assert second.endswith("-r requirements-dev.txt && .venv/bin/pytest -n auto --dist worksteal")
    done = subprocess.run(
        ["bash", "-c", r"sed -n 's/^tests=\(.*\)$/\1/p' .ci/run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    command = done.stdout.strip()
    read = subprocess.run(
        ["bash", "-c", f'echo "{command}"'], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert read.stdout.strip() == second
