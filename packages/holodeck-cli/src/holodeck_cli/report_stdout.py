"""Standard output that is a report's: nothing else gets into it, whoever writes it."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

from holodeck_core import Reporter
from holodeck_core.api.events import RunFinished
from holodeck_core.api.reporter import NoOptions


class ReportStdout(Reporter):
    """From the moment this is made until the process ends, what anybody writes to standard output goes to standard
    error: prints, C code and child processes, which inherit file descriptor 1.

    ``sys.__stdout__`` is the real one while the end of the run is told: as its first reporter this is in time for those
    behind it. ``close`` ends that.
    """

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self._before = sys.__stdout__
        self._real = _set_aside(sys.__stdout__)
        sys.stdout = sys.stderr

    def run_finished(self, event: RunFinished) -> None:
        if self._real is not None:
            _let_be_stdout(self._real)

    def close(self) -> None:
        """The reports are written."""
        _let_be_stdout(self._before)


def _let_be_stdout(stream: Any) -> None:
    sys.__stdout__ = stream  # type: ignore[misc]


def _set_aside(stdout: TextIO | None) -> TextIO | None:
    """A stream of its own to where ``stdout`` goes, which itself goes to standard error from now on; None where it is
    no file of the operating system."""
    try:
        if stdout is None:
            return None
        stdout.flush()
        descriptor = stdout.fileno()
        real = io.open(os.dup(descriptor), "w", encoding="utf-8", errors="replace")  # noqa: SIM115, UP020 - kept open
        os.dup2(sys.stderr.fileno(), descriptor)
    except (OSError, ValueError):
        return None
    return real
