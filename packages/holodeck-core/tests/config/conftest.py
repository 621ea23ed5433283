"""Agent files that hold mistakes, and what is said of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holodeck_core import ConfigError, load_suite
from holodeck_core.errors import Problem

Problems = Callable[..., list[Problem]]


@pytest.fixture
def problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Problems]:
    """Writes the agent and its other files, and gives what is wrong with them. Files are named without their folder."""
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)

    def problems(agent: str, name: str = "agent.yaml", **files: str) -> list[Problem]:
        Path(name).write_text(agent, encoding="utf-8")
        for other, text in files.items():
            Path(other.replace("__", ".")).write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            load_suite(name)
        return list(caught.value.problems)

    yield problems
    for module in set(sys.modules) - before:
        if str(getattr(sys.modules[module], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[module]


@pytest.fixture
def problems_with(problems: Problems) -> Callable[[str], list[Problem]]:
    """What is wrong with an agent file that is in order but for the text that it holds."""

    def problems_with(text: str) -> list[Problem]:
        model = (
            "" if re.search("^model:", text, re.MULTILINE) else "model: {provider: scripted, replies: []}\n"
        )
        return problems(f"name: agent\n{model}{text}\n")

    return problems_with
