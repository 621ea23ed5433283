"""Copies of the process that code of others has forked, and that come back from it into the engine."""

from __future__ import annotations

import os
from typing import NoReturn

generation = 0
"""How often this process was copied, by itself and those that it is a copy of: another number tells a copy."""


def end_copy(error: BaseException | None) -> NoReturn:
    """End this process, a copy of the one in which the run goes on: it would write to its journal, and answer a second
    time. ``error`` is what the code raised in it, None where it returned."""
    os._exit(_code(error))


def _code(error: BaseException | None) -> int:
    """As Python's own at the end of a process, where a backend may have made something else of SystemExit."""
    cause = error if error is None or isinstance(error, SystemExit) else error.__cause__
    if isinstance(cause, SystemExit):
        return cause.code if isinstance(cause.code, int) else int(cause.code is not None)
    return int(error is not None)


def _count() -> None:
    global generation
    generation += 1


os.register_at_fork(after_in_child=_count)
