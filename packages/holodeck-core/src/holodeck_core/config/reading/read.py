"""The files that hold one document: YAML, or JSON where the name says so."""

from __future__ import annotations

from pathlib import Path

from holodeck_core.config.reading.decode import display, read_text
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import read_json
from holodeck_core.config.reading.shapes import AGENT, Shape
from holodeck_core.config.reading.yaml_document import read_yaml


def read_document(path: Path, shape: Shape = AGENT) -> Document:
    """The document in a file: JSON if its name ends in `.json`, YAML otherwise.

    Raises ConfigError where nothing can be made of the file: it cannot be read or decoded, its syntax is wrong, it is
    empty (unless the shape allows that), its top is of another kind, or its aliases expand too far. Every other
    mistake is in the document's ``problems``, and the value is usable all the same.
    """
    read = read_json if path.suffix.lower() == ".json" else read_yaml
    return read(read_text(path), display(path), shape)
