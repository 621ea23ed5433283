"""Says what takes so long, where something takes over a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from holodeck_cli.streams import tell_error
from holodeck_core.text import one_line

AFTER_S = 1.0


@contextmanager
def patience(what: str) -> Iterator[None]:
    """Tell ``what`` on standard error after a second; on a terminal with the seconds, as they pass."""
    done = threading.Event()
    thread = threading.Thread(target=_wait, args=(one_line(what), done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _wait(what: str, done: threading.Event) -> None:
    begun = monotonic()
    if done.wait(AFTER_S):
        return
    if not sys.stderr.isatty():
        tell_error(f"{what} ...")
        return
    while True:
        sys.stderr.write(f"\r{what} ... {monotonic() - begun:.0f} s")
        sys.stderr.flush()
        if done.wait(1.0):
            sys.stderr.write("\n")
            return
