"""Agents and their cases, written into a folder and run as a user would have them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import TestReport, load_suite, run_suite_sync


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Writes an agent file, and Python files beside it; gives the path of the agent file."""
    modules: list[str] = []

    def write(agent: Mapping[str, Any] | str, **sources: str) -> Path:
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
            modules.append(name)
        # JSON is YAML.
        text = agent if isinstance(agent, str) else json.dumps({"name": "desk", **agent}, ensure_ascii=False)
        path = tmp_path / "agent.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    yield write
    for name in modules:
        sys.modules.pop(name, None)


@pytest.fixture
def run(write: Callable[..., Path]) -> Callable[..., TestReport]:
    """Writes an agent file with its Python files, and holds its conversations."""

    def run(agent: Mapping[str, Any] | str, **sources: str) -> TestReport:
        return run_suite_sync(load_suite(write(agent, **sources)))

    return run


@pytest.fixture
def holodeck(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line as a process of its own, started beside the agent file."""
    hidden = ("HOLODECK_", "NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "PYTHONIOENCODING", "LC_", "LANG")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}

    def holodeck(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "holodeck_cli", *args],
            cwd=tmp_path,
            env={**kept, "LC_ALL": "C.UTF-8", **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return holodeck
