"""A terminal: lines scroll, and below them stands how far the run is. The only module that imports rich."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Final, TextIO

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
from rich.table import Column
from rich.text import Text

from holodeck_cli.reporters.running import running_text
from holodeck_cli.reporters.wrapping import wrap
from holodeck_core.case_lines import STYLES, Line

_WIDEST_BAR: Final = 30
_BESIDE_BAR: Final = 35


class LiveScreen:
    """Shows counts, rate, time left and what is running below what scrolls by. Everything is text, never markup."""

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
            BarColumn(),
            MofNCompleteColumn(table_column=_one_line()),
            _Rate(table_column=_one_line()),
            TimeRemainingColumn(table_column=_one_line()),
            TextColumn("left", markup=False),
            console=self._console,
            transient=True,
            redirect_stdout=stream.fileno() == 1,
            redirect_stderr=stream.fileno() == 2,
        )

    @property
    def width(self) -> int:
        return self._console.width

    def begin(self, total: int) -> None:
        self._bar.add_task("", total=total)
        self._bar.start()

    def write(self, lines: Iterable[Line]) -> None:
        shown = [Text(row, style=line.style) for line in lines for row in self._rows(line)]
        if shown:
            self._console.print(Text("\n").join(shown), soft_wrap=True)

    def _rows(self, line: Line) -> list[str]:
        return [line.text] if line.whole else wrap(line.text, self.width, line.hang)

    def started(self, index: int, name: str) -> None:
        self._bar.running[index] = (name, monotonic())

    def finished(self, index: int) -> None:
        self._bar.running.pop(index, None)

    def advance(self, passed: int, failed: int, errored: int, repeats: int) -> None:
        self._bar.counts = (passed, failed, errored, repeats)

    def end(self) -> None:
        self._bar.stop()


def _one_line() -> Column:
    return Column(no_wrap=True)


class _Bar(Progress):
    """Takes the counts over when it is drawn: a fast run finishes thousands of cases in between."""

    counts: tuple[int, int, int, int] = (0, 0, 0, 0)

    def __init__(self, bar: BarColumn, *columns: ProgressColumn, console: Console, **options: bool) -> None:
        self.running: dict[int, tuple[str, float]] = {}
        self._bar, self._on = bar, console
        super().__init__(bar, *columns, console=console, **options)  # type: ignore[arg-type]

    def get_renderables(self) -> Iterable[RenderableType]:
        width = self._on.width
        self._bar.bar_width = max(5, min(_WIDEST_BAR, width - _BESIDE_BAR))
        for task in self.tasks:
            self.update(TaskID(task.id), completed=sum(self.counts[:3]))
        yield self.make_tasks_table(self.tasks)
        yield _counts(*self.counts)
        # Cases start in another thread than that which draws.
        if running := running_text(list(self.running.values()), monotonic(), width):
            yield Text(running, style="dim", no_wrap=True, overflow="ellipsis")


def _counts(passed: int, failed: int, errored: int, repeats: int) -> Text:
    """How many passed, failed and errored, and how many repeats there are of cases that are not over."""
    text = Text(f"{passed} passed", style=STYLES["passed"], no_wrap=True, overflow="ellipsis")
    if failed:
        text.append(f", {failed} failed", style=STYLES["failed"])
    if errored:
        text.append(f", {errored} errored", style=STYLES["error"])
    if repeats:
        text.append(f" and {repeats} repeat{'' if repeats == 1 else 's'}", style="dim")
    return text


class _Rate(ProgressColumn):
    """Cases a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")
