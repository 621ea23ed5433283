"""A terminal: lines scroll, and a bar below them moves. The only module that imports rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from holodeck_core.case_lines import STYLES, Line


class LiveScreen:
    """Shows counts, rate and time left below what scrolls by. Everything is text, never markup."""

    def __init__(self, stream: TextIO, *, color: bool) -> None:
        self._console = Console(
            file=stream,
            force_terminal=True,
            color_system="auto" if color else None,
            markup=False,
            highlight=False,
            emoji=False,
        )
        self._bar = _Bar(
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            _Counts(),
            _Rate(),
            TimeRemainingColumn(),
            TextColumn("left", markup=False),
            console=self._console,
            transient=True,
            redirect_stdout=stream.fileno() == 1,
            redirect_stderr=stream.fileno() == 2,
        )

    def begin(self, total: int) -> None:
        self._bar.add_task("", total=total, passed=0, failed=0, errored=0, repeats=0)
        self._bar.start()

    def write(self, lines: Iterable[Line]) -> None:
        text = Text("\n").join(Text(line.text, style=line.style) for line in lines)
        self._console.print(text, soft_wrap=True)

    def advance(self, passed: int, failed: int, errored: int, repeats: int) -> None:
        self._bar.counts = (passed, failed, errored, repeats)

    def end(self) -> None:
        self._bar.stop()


class _Bar(Progress):
    """Takes the counts over when it is drawn: a fast run finishes thousands of cases in between."""

    counts: tuple[int, int, int, int] = (0, 0, 0, 0)

    def get_renderables(self) -> Iterable[RenderableType]:
        passed, failed, errored, repeats = self.counts
        for task in self.tasks:
            finished = passed + failed + errored
            self.update(
                TaskID(task.id),
                completed=finished,
                passed=passed,
                failed=failed,
                errored=errored,
                repeats=repeats,
            )
        return super().get_renderables()


class _Counts(ProgressColumn):
    """How many passed, failed and errored, and how many repeats there are of cases that are not over."""

    def render(self, task: Task) -> Text:
        fields = task.fields
        text = Text(f"{fields['passed']} passed", style=STYLES["passed"])
        if fields["failed"]:
            text.append(f" {fields['failed']} failed", style=STYLES["failed"])
        if fields["errored"]:
            text.append(f" {fields['errored']} errored", style=STYLES["error"])
        if fields["repeats"]:
            text.append(
                f" and {fields['repeats']} repeat{'' if fields['repeats'] == 1 else 's'}", style="dim"
            )
        return text


class _Rate(ProgressColumn):
    """Cases a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")
