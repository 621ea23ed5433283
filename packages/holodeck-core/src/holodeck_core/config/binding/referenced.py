"""Files that a file names: whether they are there, and their text."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from holodeck_core.config.messages.validate import Place
from holodeck_core.config.reading.decode import display, missing_message, read_text
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.text import shorten

_LONGEST = 200


def why_absent(path: Path, *, folder: bool = False) -> str | None:
    """Why there is no such file, None where there is one; it is not opened. ``folder``: a folder is as good."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return f"{_shown(path)}: {missing_message(path)}"
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return f"{_shown(path)}: the file cannot be reached: {reason}"
    if stat.S_ISDIR(mode) and not folder:
        return f"{_shown(path)}: this is a folder, not a file"
    return None


def check_case_files(
    case: Any, folder: Path, place: Place, at: DocumentPath, problems: list[Problem]
) -> None:
    """Look for the files that the turns of a case send, which stands as ``case`` in ``place`` at ``at``."""
    if not isinstance(case, dict):
        return
    if "files" in case:
        _check_files(case["files"], folder, place, (*at, "files"), problems)
    turns = case.get("turns")
    for number, turn in enumerate(turns if isinstance(turns, list) else ()):
        if isinstance(turn, dict) and "files" in turn:
            _check_files(turn["files"], folder, place, (*at, "turns", number, "files"), problems)


def _check_files(files: Any, folder: Path, place: Place, at: DocumentPath, problems: list[Problem]) -> None:
    for index, file in enumerate(files if isinstance(files, list) else ()):
        path = file.get("path") if isinstance(file, dict) else None
        if isinstance(path, str) and path.strip() and (why := why_absent(folder / path.strip())):
            problems.append(place.problem(why, (*at, index, "path")))


def read_named(path: Path, place: Place, at: DocumentPath, problems: list[Problem]) -> str | None:
    """The text of a file that is named in ``place`` at ``at``; None where it cannot be read.

    What is wrong with the file as a whole is told where it is named, what is wrong in it where that stands.
    """
    try:
        return read_text(path)
    except ConfigError as error:
        for found in error.problems:
            told_there = found.line is not None
            problems.append(found if told_there else place.problem(f"{_shown(path)}: {found.message}", at))
        return None


def _shown(path: Path) -> str:
    return shorten(display(path), _LONGEST)
