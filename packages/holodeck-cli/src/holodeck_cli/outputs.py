"""The reports that a command line asks for: ``-o/--output`` and ``--format``, in the order they stand in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

Asked: TypeAlias = tuple[Literal["format", "output"], str]

SUFFIXES: Final = {".json": "json", ".md": "markdown", ".xml": "junit"}
"""The format of a file whose ``-o`` has no ``--format`` before it."""

STANDARD_OUTPUT: Final = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


class Output(NamedTuple):
    """A report: its format, the name of a reporter, and the file; None is standard output."""

    format: str
    path: Path | None


def plan_outputs(asked: Iterable[Asked]) -> list[Output]:
    """Pair each ``-o`` with the ``--format`` before it, else with the format of its suffix.

    A ``--format`` without an ``-o`` behind it writes to standard output, and so does ``-o -``. Raises
    ValueError for a suffix that tells no format, and for two reports that would go to the same place.
    """
    outputs: list[Output] = []
    waiting: str | None = None
    for option, value in asked:
        if option == "format":
            if waiting is not None:
                outputs.append(Output(waiting, None))
            waiting = value
        else:
            outputs.append(_output(waiting, value))
            waiting = None
    if waiting is not None:
        outputs.append(Output(waiting, None))
    _check_places(outputs)
    return outputs


def _output(format_name: str | None, target: str) -> Output:
    path = None if target in STANDARD_OUTPUT else Path(target)
    if format_name is not None:
        return Output(format_name, path)
    suffix = "" if path is None else path.suffix.lower()
    if suffix not in SUFFIXES:
        if path is None:
            raise ValueError(
                f"-o {target}: standard output has no suffix that tells a format; put --format in front of it"
            )
        known = ", ".join(f"{suffix} ({name})" for suffix, name in SUFFIXES.items())
        raise ValueError(
            f"-o {target}: its suffix tells no format; put --format in front of it, or use one of: {known}"
        )
    return Output(SUFFIXES[suffix], path)


def _check_places(outputs: list[Output]) -> None:
    seen: set[str] = set()
    for output in outputs:
        place = "standard output" if output.path is None else str(output.path.resolve())
        if place in seen:
            raise ValueError(f"two reports would be written to {place}")
        seen.add(place)


def why_not_writable(path: Path) -> str | None:
    """Why no report can be written there, found without writing one; None where nothing speaks against it."""
    if path.is_dir():
        return "it is a folder"
    if path.exists() and not path.is_file():
        return None if os.access(path, os.W_OK) else "writing to it is not permitted"
    target = path.resolve()
    folder = target.parent
    if not folder.exists():
        return f"the folder {folder} does not exist"
    if not folder.is_dir():
        return f"{folder} is not a folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"writing into the folder {folder} is not permitted"
    return None
