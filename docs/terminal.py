"""What commands show on a terminal of 80 columns, for the docs: the blocks of ``terminal`` in them are run here, and
their pictures in colour drawn.

    python docs/terminal.py

writes ``docs/images/NAME-NUMBER.svg`` for each such block of each document. The tests hold blocks and pictures to what
is shown. A command that says so in a comment is interrupted when it has passed a case and runs the next.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pyte  # type: ignore[import-untyped]
import wcwidth

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
COLUMNS, ROWS = 80, 100
INTERRUPT = "# and then Ctrl-C"
FENCE = re.compile(r"^```(\w+)(?: ([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"(?<!have )\b\d+(\.\d+)? (ms|s)\b")
RUN = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b")

CELL, LINE = 8, 18
_COLOURS = {
    "red": "#cc4b4b",
    "green": "#4e9a06",
    "brown": "#b58900",
    "default": "#333333",
    "faint": "#767676",
}


def shown(command: str, folder: Path, *, color: bool) -> pyte.Screen:
    """The screen when the command is over."""
    interrupt = command.endswith(INTERRUPT)
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")
    }
    environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    if not color:
        environment["NO_COLOR"] = "1"
    child = pexpect.spawn(
        "sh",
        ["-c", command],
        cwd=str(folder),
        env=environment,
        dimensions=(ROWS, COLUMNS),
        encoding="utf-8",
        timeout=60,
    )
    while True:
        try:
            stream.feed(_without_faint(child.read_nonblocking(4096)))
        except pexpect.EOF:
            return screen
        if interrupt and (text := "\n".join(screen.display)) and "1 passed" in text and "running:" in text:
            child.sendintr()
            interrupt = False


def _without_faint(text: str) -> str:
    """``pyte`` knows no faint text; in its place stands italic, which nothing else is."""
    return re.sub(r"\x1b\[2m", "\x1b[3m", text)


def text_of(screen: pyte.Screen) -> str:
    """What stands on the screen, the same for every run."""
    return normal("\n".join(line.rstrip() for line in screen.display).strip("\n"))


def normal(text: str) -> str:
    """The text with one duration in the place of all, and one id in the place of the run's."""
    return RUN.sub("20260102-030405-a1b2c3", DURATION.sub("4 ms", text))


def is_coloured(screen: pyte.Screen) -> bool:
    """Whether anything on it is not as plain text is."""
    return any(_colour(cell) != "default" for row in screen.buffer.values() for cell in row.values())


def svg_of(command: str, screen: pyte.Screen) -> str:
    """A picture of the screen, with the command above it."""
    height = text_of(screen).count("\n") + 1
    rows = [
        _drawn([("default", f"$ {command}")], 0),
        *(_drawn(_runs(screen, row), row + 1) for row in range(height)),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {24 + CELL * COLUMNS} {28 + LINE * len(rows)}">\n'
        "<style>text { font: 13.3px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace }</style>\n"
        f'<rect width="100%" height="100%" rx="6" fill="#f8f8f6"/>\n{"".join(rows)}</svg>\n'
    )


def _drawn(runs: Iterable[tuple[str, str]], row: int) -> str:
    """A row: each text where its first cell is, and as wide as its cells, whatever the font."""
    texts, column = [], 0
    for colour, run in runs:
        for text in re.split(r"(^ +| {2,})", run):  # several spaces would be drawn as one
            cells = wcwidth.width(text)
            if text.strip():
                texts.append(
                    f'<text x="{12 + CELL * column}" y="{28 + LINE * row}" textLength="{CELL * cells}" '
                    f'fill="{_COLOURS[colour]}">{escape(text)}</text>\n'
                )
            column += cells
    return "".join(texts)


def _runs(screen: pyte.Screen, row: int) -> Iterator[tuple[str, str]]:
    """The runs of one colour of a row; a space has that of what is before it."""
    runs: list[tuple[str, str]] = []
    for column in range(COLUMNS):
        cell = screen.buffer[row][column]
        before = runs[-1][0] if runs else "default"
        colour = _colour(cell) if cell.data.strip() else before
        if runs and before == colour:
            runs[-1] = (colour, runs[-1][1] + cell.data)
        else:
            runs.append((colour, cell.data))
    for place, (colour, text) in enumerate(runs, 1):
        yield colour, normal(text.rstrip() if place == len(runs) else text)


def _colour(cell: Any) -> str:
    return "faint" if cell.italics and cell.fg == "default" else str(cell.fg)


def blocks(document: Path) -> Iterator[tuple[str, str, str]]:
    """The fenced blocks: language, name of the file, text."""
    yield from FENCE.findall(document.read_text(encoding="utf-8"))


def command_of(text: str) -> tuple[str, str]:
    """The command of a block of ``terminal``, and what it shows."""
    first, _, rest = text.partition("\n")
    return first.removeprefix("$ "), normal(rest.strip("\n"))


def pictures(document: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """The pictures of a document's blocks, and where they belong. Its files are written to the folder."""
    number = 0
    for language, file, text in blocks(document):
        if file:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        elif language == "terminal":
            number += 1
            command, _ = command_of(text)
            screen = shown(command, folder, color=True)
            yield IMAGES / f"{document.stem}-{number}.svg", svg_of(command, screen)


def main() -> None:
    """Draw all."""
    IMAGES.mkdir(exist_ok=True)
    for document in sorted((ROOT / "docs").rglob("*.md")):
        with tempfile.TemporaryDirectory() as folder:
            for path, svg in pictures(document, Path(folder)):
                path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
