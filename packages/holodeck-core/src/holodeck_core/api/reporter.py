"""Reporters: are told the events of a run, and write something."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from holodeck_core.api.events import (
    CaseFinished,
    CaseStarted,
    RepeatFinished,
    RunFinished,
    RunStarted,
    TurnFinished,
)


class NoOptions(BaseModel, extra="forbid"):
    """The options of a reporter, metric or backend that has none."""


class Reporter:
    """Override the methods for the events that matter; every one is optional, and those left out cost nothing.

    Methods are called one at a time and must return soon, but for ``run_finished``, which runs in a worker thread and
    may take its time. What one raises ends this reporter, is told at the end of the run, and costs nothing else.
    ``output`` is the file to write, None for standard output: that is ``sys.__stdout__`` in ``run_finished``, while
    ``sys.stdout`` takes what agents print.
    """

    Options: ClassVar[type[BaseModel]] = NoOptions

    def __init__(self, options: BaseModel, output: Path | None = None) -> None:
        self.options = options
        self.output = output

    def run_started(self, event: RunStarted) -> None:
        """The first event of a run."""

    def case_started(self, event: CaseStarted) -> None:
        """Cases start in file order."""

    def turn_finished(self, event: TurnFinished) -> None:
        """Turns of one case come in order; those of several cases mix."""

    def repeat_finished(self, event: RepeatFinished) -> None:
        """Repeats of one case finish in any order. Nothing is told of those that come when the case is over."""

    def case_finished(self, event: CaseFinished) -> None:
        """Cases finish in any order."""

    def run_finished(self, event: RunFinished) -> None:
        """The last event, also of an interrupted run."""
