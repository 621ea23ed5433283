"""What the tests of backends share: an agent, and modules of a user's own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from textwrap import dedent

import pytest

from holodeck_core.models.agent import Agent

_numbers = count()


@pytest.fixture
def agent() -> Agent:
    """An agent whose backend does not look at it."""
    return Agent.model_validate({"name": "anyone", "model": {"provider": "any"}})


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Write a module into ``tmp_path`` and return its name, which no other test has."""
    names: list[str] = []

    def write(source: str) -> str:
        name = f"own_agent_{next(_numbers)}"
        names.append(name)
        (tmp_path / f"{name}.py").write_text(dedent(source), encoding="utf-8")
        return name

    yield write
    for name in names:
        sys.modules.pop(name, None)
