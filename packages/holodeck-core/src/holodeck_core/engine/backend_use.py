"""The use of a backend by a run, from its warming up to its end. Several runs may use one at once: the last of them
closes it."""

from __future__ import annotations

import threading

from holodeck_core.api.backend import Backend
from holodeck_core.api.faults import describe
from holodeck_core.engine.case import CLOSE_TIMEOUT_S
from holodeck_core.engine.time_limits import LoopTime
from holodeck_core.engine.workers import passes_through

_lock = threading.Lock()  # runs of one suite may go on in the event loops of several threads


def begin_use(backend: Backend) -> None:
    """A run is about to open sessions."""
    with _lock:
        backend.runs_under_way += 1


async def warm_up(backend: Backend) -> str | None:
    """Let the backend do what takes long before the clock of a turn runs. What went wrong is told, and costs nothing:
    where the backend cannot be used, ``open`` says why."""
    try:
        await backend.warm_up()
    except BaseException as error:  # boundary: a backend may raise anything
        if passes_through(error):
            raise
        return f"warming up the backend failed: {describe(error)}"
    return None


async def end_use(backend: Backend, loop_time: LoopTime) -> str | None:
    """A run has closed its sessions: close the backend, unless another run uses it. What went wrong is told."""
    with _lock:
        backend.runs_under_way -= 1
        if backend.runs_under_way:
            return None
    try:
        await loop_time.apart(backend.close, CLOSE_TIMEOUT_S, "the backend")
    except BaseException as error:  # boundary: a backend may raise anything
        if passes_through(error):
            raise
        return f"closing the backend failed: {describe(error)}"
    return None
