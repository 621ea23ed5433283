"""A document that was built in code: values without a file, and so without places in one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from yaml.nodes import MappingNode

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.paths import render
from holodeck_core.config.reading.shapes import AGENT
from holodeck_core.errors import Problem


class BuiltDocument(Document):
    """``value`` as a file would hold it. Its problems are found by their path alone."""

    __slots__ = ()

    def __init__(self, value: dict[str, Any]) -> None:
        super().__init__("", "", AGENT, value, MappingNode("tag:yaml.org,2002:map", []))

    def line_of(self, path: Iterable[str | int]) -> int:
        return 0

    def source_of(self, line: int) -> str | None:
        return None

    def problem(
        self, message: str, path: Iterable[str | int] = (), *, key: bool = False, missing: bool = False
    ) -> Problem:
        return Problem(message, path=render(path, self.value, missing=missing))
