from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.read import read_document
from holodeck_core.config.reading.shapes import AGENT, Shape
from holodeck_core.errors import ConfigError, Problem

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of the given text or bytes, and give its path."""

    def write(content: str | bytes, name: str = "agent.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read(write: Write) -> Callable[..., Document]:
    """Read a file of the given content."""

    def read(content: str | bytes, name: str = "agent.yaml", shape: Shape = AGENT) -> Document:
        return read_document(write(content, name), shape)

    return read


@pytest.fixture
def refusal(read: Callable[..., Document]) -> Callable[..., Problem]:
    """The only problem with a file that cannot be read at all."""

    def refusal(content: str | bytes, name: str = "agent.yaml", shape: Shape = AGENT) -> Problem:
        with pytest.raises(ConfigError) as caught:
            read(content, name, shape)
        (problem,) = caught.value.problems
        return problem

    return refusal
