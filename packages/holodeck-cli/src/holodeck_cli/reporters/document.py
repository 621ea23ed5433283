"""Reports that are one text, written when the run is over."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TextIO

from holodeck_cli.replace_file import replacing
from holodeck_cli.streams import discard
from holodeck_core.api.events import RunFinished
from holodeck_core.api.reporter import Reporter


class DocumentReporter(Reporter, ABC):
    """Writes the text piece by piece, so that memory stays flat, whatever the number of results.

    A file is replaced only when the new one is whole. The text is UTF-8, whatever the encoding of standard output.
    """

    @abstractmethod
    def texts(self, event: RunFinished) -> Iterator[str]:
        """The pieces of the text, in their order."""

    def run_finished(self, event: RunFinished) -> None:
        if self.output is not None:
            with replacing(self.output) as file:
                for text in self.texts(event):
                    file.write(text.encode("utf-8"))
            return
        # Standard output itself: while a report is written to it, prints of agents go elsewhere.
        stdout = sys.__stdout__
        if stdout is not None:
            _write_all(self.texts(event), stdout)


def _write_all(texts: Iterator[str], stream: TextIO) -> None:
    try:
        stream.flush()
        for text in texts:
            stream.buffer.write(text.encode("utf-8"))
        stream.buffer.flush()
    except BrokenPipeError:  # a reader that has seen enough
        discard(stream)
