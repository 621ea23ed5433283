"""The report as one JSON document, in the shape of ``TestReport``."""

from __future__ import annotations

from collections.abc import Iterator

from holodeck_cli.json_text import json_text
from holodeck_cli.reporters.document import DocumentReporter
from holodeck_core.api.events import RunFinished


class JsonReporter(DocumentReporter):
    """One result a line, one after the other."""

    def texts(self, event: RunFinished) -> Iterator[str]:
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
