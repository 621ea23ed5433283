"""How many runs use a backend at once: the last of them closes it."""

from __future__ import annotations

import threading

from holodeck_core.api.backend import Backend

_lock = threading.Lock()  # runs of one suite may go on in the event loops of several threads


def begin_use(backend: Backend) -> None:
    """A run is about to open sessions."""
    with _lock:
        backend.runs_under_way += 1


def end_use(backend: Backend) -> bool:
    """A run has closed its sessions; True where no other one uses the backend, so that it can be closed."""
    with _lock:
        backend.runs_under_way -= 1
        return backend.runs_under_way == 0
