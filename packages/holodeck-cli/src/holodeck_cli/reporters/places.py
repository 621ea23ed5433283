"""Where in its file a turn stands. The file is read when the first turn is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.read import read_document
from holodeck_core.config.reading.shapes import CASES
from holodeck_core.errors import ConfigError
from holodeck_core.models.test_result import TestResult

# The turns of larger files have the line of their case.
_MAX_BYTES: Final = 4 * 1024 * 1024

_DOCUMENTS: Final = (".yaml", ".yml", ".json")


class Places:
    """The lines of cases and turns; relative names of files start from ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._documents: dict[str, Document | None] = {}

    def of(self, result: TestResult, turn: int | None) -> tuple[str | None, int | None]:
        """The file and the line, of the turn where the file still says what it said, else of the case."""
        file, _, number = (result.source or "").rpartition(":")
        if not file or not number.isdecimal():
            return None, None
        line = int(number)
        return file, line if turn is None else self._line(file, line, result, turn) or line

    def _line(self, file: str, line: int, result: TestResult, turn: int) -> int | None:
        if file not in self._documents:
            self._documents[file] = _read(self._folder / file)
        document = self._documents[file]
        if document is None or result.index is None or result.turns is None:
            return None
        listed = isinstance(document.value, list)
        case = (result.index,) if listed else ("test_cases", result.index)
        place = (*case, "turns", turn)
        said = _at(document.value, (*place, "input"))
        recorded = next((each.input for each in result.turns if each.turn_index == turn), None)
        if document.line_of(case) != line or not isinstance(said, str) or said.strip() != recorded:
            return None
        return document.line_of(place)


def _read(path: Path) -> Document | None:
    try:
        if path.suffix.lower() in _DOCUMENTS and path.stat().st_size <= _MAX_BYTES:
            return read_document(path, CASES)
    except (OSError, ValueError, ConfigError):  # ValueError: a name that no file can have
        return None
    return None


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for element in path:
        try:
            value = value[element]
        except (KeyError, IndexError, TypeError):
            return None
    return value
