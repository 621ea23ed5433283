"""The end of the process: it comes, whatever the code that was tested has left running in it."""

from __future__ import annotations

import os
import threading
import time
from typing import Final, NoReturn

PATIENCE_S: Final = 3.0
"""How long threads of others, and what they registered for the end, may take."""

leave: Final = os._exit
"""Ends the process at once, also while code of others may not (see ``early_end``)."""

_others_ran = threading.Event()
_decided: dict[int, int] = {}


def expect_leftovers() -> None:
    """Code of others runs in this process, and may not end by itself."""
    _others_ran.set()


def end_in_time(code: int) -> None:
    """From now on a process in which others ran has ``PATIENCE_S`` to end by itself; then it ends at once, with
    ``code``, which is also that of an ``os._exit`` that they registered for the end. Standard streams must be flushed.

    Python waits for every thread that is no daemon, those of executors included, and those may never come back.
    """
    if _others_ran.is_set():
        _decided[os.getpid()] = code
        os._exit = leave_as_decided
        leave_later(code)


def leave_later(code: int) -> None:
    """End the process in ``PATIENCE_S``, unless it has ended by then."""
    threading.Thread(target=_end, args=(code,), name="holodeck-end", daemon=True).start()


def _end(code: int) -> None:
    time.sleep(PATIENCE_S)
    leave(code)


def leave_as_decided(status: int) -> NoReturn:
    """End the process at once: with the code that ``end_in_time`` was given, with ``status`` where that has not been
    called, or in a copy of the process."""
    leave(_decided.get(os.getpid(), status))
