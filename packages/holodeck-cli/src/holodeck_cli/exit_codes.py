"""What the process says when it ends, the same for every command."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Where several apply, the first of INTERRUPTED or TERMINATED, USAGE, NOT_RUN, FAILED, OK."""

    OK = 0
    """Everything passed, or was done."""

    FAILED = 1
    """At least one case failed."""

    USAGE = 2
    """A mistake in the configuration, or in how the command was called."""

    NOT_RUN = 3
    """The run could not be carried out: every case errored, none was selected, a backend could not start, it ended
    before all cases had, a report that was asked for could not be written, or an internal error."""

    INTERRUPTED = 130
    """Ctrl-C."""

    TERMINATED = 143
    """SIGTERM."""


def exit_code_of(
    *, total: int, failed: int, errored: int, signal: int | None, unwritten: int, broken_off: bool = False
) -> ExitCode:
    """The verdict on a run.

    ``failed`` includes ``errored``; ``unwritten`` counts the reports that could not be written; ``signal`` is
    the number of the one that ended the run, None where none did; one that is ``broken_off`` lacks cases that
    nobody wanted to be left out.
    """
    if signal is not None:
        return ExitCode(128 + signal)
    if unwritten or broken_off or errored == total:
        return ExitCode.NOT_RUN
    return ExitCode.FAILED if failed else ExitCode.OK
