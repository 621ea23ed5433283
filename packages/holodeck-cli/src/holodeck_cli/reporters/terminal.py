"""The report for people: progress, what failed and why, and a summary."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, TextIO

from pydantic import BaseModel

from holodeck_cli.reporters.lines import plugins_line, summary_line
from holodeck_cli.reporters.screen import PlainScreen, Screen
from holodeck_core.api.events import CaseFinished, CaseStarted, RepeatFinished, RunFinished, RunStarted
from holodeck_core.api.reporter import Reporter
from holodeck_core.case_lines import (
    Detail,
    Line,
    case_details,
    case_line,
    heading,
    rate_line,
    usage_texts,
)


class TerminalOptions(BaseModel, extra="forbid"):
    """How much is shown, and where.

    ``verbosity``: -1 shows only the summary, 1 all that is known of every turn. ``stderr`` writes to
    standard error, where standard output holds another report. Durations are shown where they are ``timed``.
    """

    verbosity: int = 0
    color: bool = True
    stderr: bool = False
    timed: bool = True


class TerminalReporter(Reporter):
    """While the run goes on, on a terminal those that did not pass above a bar that moves, elsewhere one plain line a
    case; when it is over, what happened in each case that did not pass, those that errored last, and the summary.

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
        self._every_case = self._verbosity > 0 or isinstance(self._screen, PlainScreen)
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
        self._screen.started(event.index, event.name)

    def repeat_finished(self, event: RepeatFinished) -> None:
        self._repeats[event.index] += 1
        self._advance()

    def case_finished(self, event: CaseFinished) -> None:
        self._passed += event.status == "passed"
        self._errored += event.status == "error"
        self._failed += event.status == "failed"
        turns = self._turns.pop(event.index, None)
        self._repeats.pop(event.index, None)
        self._screen.finished(event.index)
        # What passed in an earlier part of the run was shown then; what did not is still to be looked at.
        due = event.status != "passed" or (self._every_case and not event.taken_over)
        if due and self._verbosity >= 0:
            self._screen.write(self._lines(event, turns))
        self._advance()

    def _advance(self) -> None:
        self._screen.advance(self._passed, self._failed, self._errored, sum(self._repeats.values()))

    def _lines(self, event: CaseFinished, turns: int | None) -> Iterator[Line]:
        """What is told of a case when it is over; what is wrong with it is told at the end of the run."""
        detailed = self._verbosity > 0 and event.status == "passed"
        result = event.read() if detailed or turns is None else None
        if turns is None:  # it was not started in this part of the run
            turns = 1 if result is None or result.turns is None else len(result.turns)
        took = event.duration_ms if self._timed else None
        yield case_line(event.name, event.status, turns, took, checked=event.checked)
        if detailed and result is not None:
            yield from case_details(result, self._detail())
        elif event.repeat_summary is not None and event.status == "passed":
            yield rate_line(event.repeat_summary)

    def _detail(self) -> Detail:
        return Detail(width=self._screen.width, everything=self._verbosity > 0, timed=self._timed)

    def run_finished(self, event: RunFinished) -> None:
        self.run_over = True
        self._screen.end()
        if self._verbosity >= 0:
            if event.summary.failed > event.summary.errored:
                self._tell_details(event, errored=False)
            if event.summary.errored:
                self._tell_details(event, errored=True)
        took = event.duration_ms if self._timed else None
        end = [Line("")] if event.summary.failed and self._verbosity >= 0 else []
        end += [Line(text, hang=8) for text in usage_texts(event.summary)]
        end.append(summary_line(event.summary, took, complete=event.complete, total=self._total))
        self._screen.write(end)

    def _tell_details(self, event: RunFinished, *, errored: bool) -> None:
        """What happened in each case that failed, or that errored, in the order of the file."""
        for result in event.results():
            if not result.passed and (result.status == "error") is errored:
                lines = [
                    Line(""),
                    heading(result.label, result.status, result.source),
                    *case_details(result, self._detail()),
                ]
                self._screen.write(lines)

    def tell(self, text: str, *, whole: bool = False) -> None:
        """Show a line of the program itself; one that is to be copied stays ``whole``."""
        self._screen.write([Line(text, whole=whole)])

    def end(self) -> None:
        """Leave the terminal as it was, whatever happened to the run."""
        self._screen.end()


def _screen(stream: TextIO, options: TerminalOptions) -> Screen:
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    if options.verbosity < 0 or dumb or not stream.isatty():
        return PlainScreen(stream)
    from holodeck_cli.reporters.live import LiveScreen

    return LiveScreen(stream, color=options.color and not os.environ.get("NO_COLOR"))
