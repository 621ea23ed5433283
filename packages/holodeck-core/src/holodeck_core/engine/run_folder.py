"""A run on disk: what it is (``run.json``), what has finished (``results.jsonl``), and whether it is going on."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import weakref
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from holodeck_core.engine.journal import Journal
from holodeck_core.errors import RunError
from holodeck_core.models.run_head import RunHead

HEAD: Final = "run.json"
RESULTS: Final = "results.jsonl"
LOCK: Final = "lock"

_DRAFT: Final = f"{HEAD}.new"
_LOOKS: Final = 20
_LOOK_S: Final = 0.01


class RunFolder:
    """The folder of one run. ``head`` is what ``run.json`` holds."""

    def __init__(self, path: Path, head: RunHead) -> None:
        self.path = path
        self.head = head
        self._let_go: weakref.finalize[[int], RunFolder] | None = None

    @classmethod
    def create(cls, runs: Path, head: RunHead) -> RunFolder:
        """A new folder below ``runs``, whose lock is held. Raises RunError where it cannot be made."""
        folder = cls(runs / head.run_id, head)
        try:
            folder.path.mkdir(parents=True)
            _ignore_in_git(runs)
            folder.lock()
            folder.update()
        except OSError as error:
            if folder.is_locked:  # else it is not of our making
                with contextlib.suppress(OSError):
                    folder._clear()
            raise RunError(
                f"the run folder {folder.path} cannot be written: {error.strerror or error}"
            ) from error
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """The folder of an earlier run. Raises RunError where it is none."""
        try:
            head = RunHead.model_validate_json((path / HEAD).read_bytes())
        except OSError as error:
            raise RunError(f"{path} is not the folder of a run: {HEAD}: {error.strerror or error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["loc"] == ("schema_version",) and first["type"] == "less_than_equal":
                raise RunError(f"{path / HEAD} was written by a later version of HoloDeck") from error
            where = "".join(f"{key}: " for key in first["loc"])
            raise RunError(f"{path / HEAD} does not describe a run: {where}{first['msg']}") from error
        return cls(path, head)

    def take_up(self, head: RunHead) -> None:
        """Go on with the run, which ``head`` describes now. Raises RunError where it is going on already, or its folder
        cannot be written."""
        self.lock()
        self.head = head
        try:
            self.update(resumed_at=datetime.now(UTC))
        except OSError as error:
            raise RunError(
                f"the run folder {self.path} cannot be written: {error.strerror or error}"
            ) from error

    @property
    def is_locked(self) -> bool:
        """Whether the lock is held by this very object."""
        return self._let_go is not None

    @property
    def is_as_it_ended(self) -> bool:
        """Whether the run came to an end, and its results are still as long as then: ``head`` tells the truth."""
        try:
            return self.head.results_bytes == (self.path / RESULTS).stat().st_size
        except OSError:
            return False

    def journal(self, *, writable: bool = True) -> Journal:
        """The journal of the run, with the lines that it holds already."""
        try:
            return Journal(self.path / RESULTS, writable=writable)
        except OSError as error:
            raise RunError(f"{self.path / RESULTS} cannot be opened: {error.strerror or error}") from error

    def update(self, **fields: Any) -> None:
        """Write ``run.json`` with other values of some fields: the old file or the new one is whole at any moment.

        Raises OSError.
        """
        self.head = self.head.model_copy(update=fields)
        draft = self.path / _DRAFT
        try:
            draft.write_text(self.head.model_dump_json(indent=2) + "\n", encoding="utf-8")
            os.replace(draft, self.path / HEAD)
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            raise

    def lock(self) -> None:
        """Hold the run's lock, if this is not so already. Raises RunError where somebody else does: the run is going on
        there.

        The operating system lets go of it when the process ends, however it ends.
        """
        if self._let_go is not None:
            return
        try:
            descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise RunError(f"{self.path / LOCK} cannot be opened: {error.strerror or error}") from error
        let_go = weakref.finalize(self, os.close, descriptor)
        if not _locked(descriptor):
            let_go()
            raise RunError(f"the run {self.path.name} is still running in another process")
        self._let_go = let_go

    def unlock(self) -> None:
        """Let go of the lock, if it is held."""
        if self._let_go is not None:
            self._let_go()
            self._let_go = None

    def remove(self) -> None:
        """Remove the run. Its folder stays where it holds files of others.

        Raises RunError where the run is going on, or cannot be removed.
        """
        self.lock()
        try:
            self._clear()
        except OSError as error:
            raise RunError(
                f"the run {self.path.name} cannot be removed: {error.strerror or error}"
            ) from error

    def _clear(self) -> None:
        try:
            for name in (HEAD, _DRAFT, RESULTS, LOCK):  # without its head it is no run any more
                (self.path / name).unlink(missing_ok=True)
        finally:
            self.unlock()
        with contextlib.suppress(OSError):
            self.path.rmdir()


def _locked(descriptor: int) -> bool:
    """Take the lock; False where somebody else has it.

    Whoever only looks whether a run is live (see ``is_live``) has it for a moment.
    """
    for _ in range(_LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOOK_S)
        except OSError:  # a file system without locks
            return True
        else:
            return True
    return False


def is_live(path: Path) -> bool:
    """Whether the run in this folder is going on. Writes nothing."""
    try:
        descriptor = os.open(path / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(descriptor)
    return False


def list_runs(runs: Path) -> list[RunFolder]:
    """The runs below a folder, the one that was last worked on last; what is no run is passed over."""
    found = []
    try:
        paths = list(runs.iterdir())
    except OSError:
        return []
    for path in paths:
        with contextlib.suppress(RunError):
            found.append(RunFolder.open(path))
    return sorted(found, key=lambda folder: (folder.head.worked_on_at, folder.path.name))


def unreadable_runs(runs: Path) -> list[str]:
    """Why those below a folder cannot be read that look like runs: their ``run.json`` is damaged, or of a later
    version. So is the folder itself, where nobody may look into it."""
    try:
        next(runs.iterdir(), None)
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"{runs} cannot be read: {error.strerror or error}"]
    found = []
    for head in sorted(runs.glob(f"*/{HEAD}")):
        try:
            RunFolder.open(head.parent)
        except RunError as error:
            found.append(str(error))
    return found


def _ignore_in_git(runs: Path) -> None:
    """A folder ``.holodeck`` ignores itself; any other belongs to the user."""
    ignore = runs.parent / ".gitignore"
    if runs.parent.name == ".holodeck" and not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
