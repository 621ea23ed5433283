"""The report for people: progress, what failed and why, and a summary."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import ClassVar, TextIO

from pydantic import BaseModel

from holodeck_cli.reporters.lines import (
    Line,
    case_details,
    case_line,
    plugins_line,
    rate_line,
    summary_line,
)
from holodeck_cli.reporters.screen import PlainScreen, Screen
from holodeck_core.api.events import CaseFinished, CaseStarted, RepeatFinished, RunFinished, RunStarted
from holodeck_core.api.reporter import Reporter


class TerminalOptions(BaseModel, extra="forbid"):
    """How much is shown, and where.

    ``verbosity``: -1 shows only what did not pass and the summary, 1 every turn. ``stderr`` writes to
    standard error, where standard output holds another report. Durations are shown where they are ``timed``.
    """

    verbosity: int = 0
    color: bool = True
    stderr: bool = False
    timed: bool = True


class TerminalReporter(Reporter):
    """On a terminal failing cases above a bar that moves; elsewhere one plain line a case.

    Raises ValueError where it is given a file to write.
    """

    Options: ClassVar[type[BaseModel]] = TerminalOptions

    def __init__(self, options: TerminalOptions, output: Path | None = None) -> None:
        super().__init__(options, output)
        if output is not None:
            raise ValueError("the terminal reporter writes no file")
        self._verbosity = options.verbosity
        self._timed = options.timed
        self._screen = _screen(sys.stderr if options.stderr else sys.stdout, options)
        self._every_case = self._verbosity > 0 or (
            self._verbosity == 0 and isinstance(self._screen, PlainScreen)
        )
        self.run_over = False
        self._turns: dict[int, int] = {}
        self._repeats: Counter[int] = Counter()
        self._total = self._passed = self._failed = self._errored = 0

    def run_started(self, event: RunStarted) -> None:
        self._total = event.total
        self._screen.begin(event.total)
        if self._verbosity >= 0 and (plugins := plugins_line(event.plugins)):
            self._screen.write([Line(plugins, "dim")])

    def case_started(self, event: CaseStarted) -> None:
        self._turns[event.index] = event.turns

    def repeat_finished(self, event: RepeatFinished) -> None:
        self._repeats[event.index] += 1
        self._advance()

    def case_finished(self, event: CaseFinished) -> None:
        self._passed += event.status == "passed"
        self._errored += event.status == "error"
        self._failed += event.status == "failed"
        turns = self._turns.pop(event.index, None)
        self._repeats.pop(event.index, None)
        # What passed in an earlier part of the run was shown then; what did not is still to be looked at.
        if event.status != "passed" or (self._every_case and not event.taken_over):
            self._screen.write(self._lines(event, turns))
        self._advance()

    def _advance(self) -> None:
        self._screen.advance(self._passed, self._failed, self._errored, sum(self._repeats.values()))

    def _lines(self, event: CaseFinished, turns: int | None) -> list[Line]:
        detailed = self._verbosity > 0 or event.status != "passed"
        result = event.read() if detailed or turns is None else None
        if turns is None:  # it was not started in this part of the run
            turns = 1 if result is None or result.turns is None else len(result.turns)
        took = event.duration_ms if self._timed else None
        lines = [case_line(event.name, event.status, turns, took, checked=event.checked)]
        if event.repeat_summary is not None:
            lines.append(rate_line(event.repeat_summary))
        if detailed and result is not None:
            lines += case_details(result, every_turn=self._verbosity > 0, timed=self._timed)
        return lines

    def run_finished(self, event: RunFinished) -> None:
        self.run_over = True
        self._screen.end()
        took = event.duration_ms if self._timed else None
        self._screen.write([summary_line(event.summary, took, complete=event.complete, total=self._total)])

    def tell(self, text: str) -> None:
        """Show a line of the program itself."""
        self._screen.write([Line(text)])

    def end(self) -> None:
        """Leave the terminal as it was, whatever happened to the run."""
        self._screen.end()


def _screen(stream: TextIO, options: TerminalOptions) -> Screen:
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    if options.verbosity < 0 or dumb or not stream.isatty():
        return PlainScreen(stream)
    from holodeck_cli.reporters.live import LiveScreen

    return LiveScreen(stream, color=options.color and not os.environ.get("NO_COLOR"))
