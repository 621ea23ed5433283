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
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pyte  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
COLUMNS, ROWS = 80, 100
INTERRUPT = "# and then Ctrl-C"
FENCE = re.compile(r"^```(\w+)(?: ([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"(?<!have )\b\d+(\.\d+)? (ms|s)\b")
RUN = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b")

_COLOURS = {"red": "#cc4b4b", "green": "#4e9a06", "brown": "#b58900", "default": "#333333"}
_DIM = "#767676"


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
    return any(_look(cell) != ("default", False) for row in screen.buffer.values() for cell in row.values())


def _look(cell: Any) -> tuple[str, bool]:
    return cell.fg, cell.italics


def svg_of(command: str, screen: pyte.Screen) -> str:
    """A picture of the screen, with the command above it."""
    height = text_of(screen).count("\n") + 1
    rows = [f'<tspan fill="{_COLOURS["default"]}">$ {escape(command)}</tspan>']
    rows += ["".join(_spans(screen, row)) for row in range(height)]
    lines = "\n".join(
        f'<text x="12" y="{28 + 18 * number}">{row}</text>' for number, row in enumerate(rows) if row
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {24 + 8 * COLUMNS} {28 + 18 * len(rows)}">\n'
        "<style>text { font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre }</style>\n"
        f'<rect width="100%" height="100%" rx="6" fill="#f8f8f6"/>\n{lines}\n</svg>\n'
    )


def _spans(screen: pyte.Screen, row: int) -> Iterator[str]:
    """The runs of one look of a row."""
    cells = [screen.buffer[row][column] for column in range(COLUMNS)]
    while cells and not cells[-1].data.strip():
        cells.pop()
    runs: list[tuple[tuple[str, bool], str]] = []
    for cell in cells:
        look = _look(cell) if cell.data.strip() else (runs[-1][0] if runs else ("default", False))
        if runs and runs[-1][0] == look:
            runs[-1] = (look, runs[-1][1] + cell.data)
        else:
            runs.append((look, cell.data))
    for (colour, faint), text in runs:
        fill = _DIM if faint and colour == "default" else _COLOURS[colour]
        yield f'<tspan fill="{fill}">{escape(normal(text))}</tspan>'


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
