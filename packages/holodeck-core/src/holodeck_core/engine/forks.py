"""Copies of the process that code of others has forked, and that come back from it into the engine."""

from __future__ import annotations

import os


def end_copy(of: int, error: BaseException | None) -> None:
    """End the process, if it is a copy of the one with the id ``of``: the run goes on there, and a copy would write to
    its journal, and answer a second time. ``error`` is what the code raised in it, None where it returned."""
    if os.getpid() == of:
        return
    os._exit(_code(error))


def _code(error: BaseException | None) -> int:
    """As Python's own at the end of a process, where a backend may have made something else of SystemExit."""
    cause = error if error is None or isinstance(error, SystemExit) else error.__cause__
    if isinstance(cause, SystemExit):
        return cause.code if isinstance(cause.code, int) else int(cause.code is not None)
    return int(error is not None)
