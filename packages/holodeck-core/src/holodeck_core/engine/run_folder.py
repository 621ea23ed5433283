"""A run on disk: what it is (``run.json``), what has finished (``results.jsonl``), and whether it is going on."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from holodeck_core.engine.journal import Journal
from holodeck_core.errors import RunError

HEAD = "run.json"
RESULTS = "results.jsonl"
LOCK = "lock"


class RunFolder:
    """The folder of one run. ``head`` is what ``run.json`` holds."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        self.path = path
        self.head = head

    @classmethod
    def create(cls, runs: Path, run_id: str, head: Mapping[str, Any]) -> RunFolder:
        """A new folder below ``runs``, which ignores itself in git. Raises RunError where it cannot be made."""
        path = runs / run_id
        try:
            path.mkdir(parents=True)
            _ignore_in_git(runs)
            folder = cls(path, dict(head))
            folder.write_head()
        except OSError as error:
            raise RunError(f"the run folder {path} cannot be written: {error.strerror or error}") from error
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """The folder of an earlier run. Raises RunError where it is none."""
        try:
            head = json.loads((path / HEAD).read_bytes())
        except (OSError, ValueError) as error:
            raise RunError(f"{path} is not the folder of a run: {error}") from error
        if not isinstance(head, dict):
            raise RunError(f"{path / HEAD} does not hold the description of a run")
        return cls(path, head)

    @property
    def complete(self) -> bool:
        """Whether the run came to its end."""
        return self.head.get("complete") is True

    def journal(self) -> Journal:
        """The journal of the run, with the lines that it holds already."""
        try:
            return Journal(self.path / RESULTS)
        except OSError as error:
            raise RunError(f"{self.path / RESULTS} cannot be opened: {error.strerror or error}") from error

    def write_head(self) -> None:
        """Write ``run.json``: the old one or the new one is whole at any moment."""
        draft = self.path / f"{HEAD}.new"
        draft.write_text(json.dumps(self.head, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        os.replace(draft, self.path / HEAD)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run's lock. Raises RunError where another process holds it: the run is going on there.

        The operating system lets go of it when the process ends, however it ends.
        """
        with (self.path / LOCK).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RunError(f"the run {self.path.name} is going on in another process") from None
            yield


def is_live(path: Path) -> bool:
    """Whether a process holds the lock of the run in this folder."""
    try:
        with RunFolder(path, {}).locked():
            return False
    except (OSError, RunError):
        return (path / LOCK).exists()


def _ignore_in_git(runs: Path) -> None:
    top = runs.parent if runs.parent.name == ".holodeck" else runs
    ignore = top / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def list_runs(runs: Path) -> list[RunFolder]:
    """The runs below a folder, the latest last; what is no run is passed over."""
    try:
        paths = sorted(path for path in runs.iterdir() if (path / HEAD).is_file())
    except OSError:
        return []
    found = []
    for path in paths:
        with contextlib.suppress(RunError):
            found.append(RunFolder.open(path))
    return found
