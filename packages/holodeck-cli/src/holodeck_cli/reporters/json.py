"""The report as one JSON document, in the shape of ``TestReport``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TextIO

from holodeck_cli.json_text import json_text
from holodeck_cli.replace_file import replacing
from holodeck_cli.streams import discard
from holodeck_core.api.events import RunFinished
from holodeck_core.api.reporter import Reporter


class JsonReporter(Reporter):
    """Writes the document when the run is over, one result after the other, so that memory stays flat.

    A file is replaced only when the new one is whole. JSON is UTF-8, whatever the encoding of standard
    output.
    """

    def run_finished(self, event: RunFinished) -> None:
        if self.output is not None:
            with replacing(self.output) as file:
                for piece in _pieces(event):
                    file.write(piece)
            return
        # Standard output itself: while a report is written to it, prints of agents go elsewhere.
        stdout = sys.__stdout__
        if stdout is not None:
            _write_all(_pieces(event), stdout)


def _write_all(pieces: Iterator[bytes], stream: TextIO) -> None:
    try:
        stream.flush()
        for piece in pieces:
            stream.buffer.write(piece)
        stream.buffer.flush()
    except BrokenPipeError:  # a reader that has seen enough
        discard(stream)


def _pieces(event: RunFinished) -> Iterator[bytes]:
    for text in _texts(event):
        yield text.encode("utf-8")


def _texts(event: RunFinished) -> Iterator[str]:
    head = event.head.model_dump()
    begin = "{\n"
    for key, value in head.items():
        yield f"{begin}  {json_text(key)}: "
        if key == "results":
            yield from _results(event)
        else:
            yield json_text(value)
        begin = ",\n"
    yield "\n}\n"


def _results(event: RunFinished) -> Iterator[str]:
    """One result a line."""
    begin = "["
    for result in event.results():
        yield f"{begin}\n    {json_text(result.model_dump())}"
        begin = ","
    yield "[]" if begin == "[" else "\n  ]"
