"""JSON Lines: one JSON object a line, read as a stream in little memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from holodeck_core.config.reading.decode import (
    BOM,
    display,
    open_file,
    refuse_other_encodings,
    undecodable_message,
    unreadable,
)
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import Irregular, careful_value, quick_value
from holodeck_core.config.reading.json_nodes import JsonSyntaxError, outline_json
from holodeck_core.config.reading.nodes import nothing
from holodeck_core.config.reading.shapes import CASE, Shape

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
_CHUNK: Final = 1024 * 1024
_LINE_END: Final = b" \t\r\n"


class JsonLine(Document):
    """The document that one line holds. ``line`` counts from 1; ``offset`` is where in the file the line's JSON begins.

    Where the line holds no JSON object, ``value`` is None and ``problems`` says why.
    """

    __slots__ = ("offset",)
    offset: int


def iter_lines(path: Path, shape: Shape = CASE, shown: str | None = None) -> Iterator[JsonLine]:
    """Yield the document of every line that is not blank, one at a time. Places name the file as it is ``shown``.

    Raises ConfigError, when the first is asked for, if there is no such file, it cannot be read, it is in another
    encoding, or it is not a regular file. A line that is no JSON object, no UTF-8, or over 16 MB is yielded with that
    as its problem, and the lines after it are read all the same.
    """
    file = display(path) if shown is None else shown
    with open_file(path, twice=True) as stream:
        number = offset = 0
        while raw := _next_line(stream, path, MAX_LINE_BYTES + 1):
            number += 1
            length = len(raw)
            if number == 1:
                refuse_other_encodings(raw[:64], file)
                if raw.startswith(BOM):
                    raw = raw[len(BOM) :]
                    offset, length = len(BOM), len(raw)
            if length > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                while (chunk := _next_line(stream, path, _CHUNK)) and not chunk.endswith(b"\n"):
                    length += len(chunk)
                length += len(chunk)
                yield _too_long(raw, file, number, offset, shape)
            elif raw and not raw.isspace():
                yield _read(raw, file, number, offset, shape)
            offset += length


def _next_line(stream: BinaryIO, path: Path, limit: int) -> bytes:
    try:
        return stream.readline(limit)
    except OSError as error:
        raise unreadable(path, error) from error


def _read(raw: bytes, file: str, number: int, offset: int, shape: Shape) -> JsonLine:
    raw = raw.rstrip(_LINE_END)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = _unread(raw.decode(errors="replace"), file, number, offset, shape)
        index = len(raw[: error.start].decode())
        line.problems.append(line.source.problem(undecodable_message(raw, error, offset), index))
        return line
    try:
        line = JsonLine(file, text, shape, quick_value(text, shape), outline_json, number)
        line.offset = offset
    except Irregular:
        line = _read_with_care(text, file, number, offset, shape)
    if type(line.value) is not dict and not line.problems:
        line.value = None
        line.problems.append(line.problem("each line must hold a JSON object, {…}"))
    return line


def _read_with_care(text: str, file: str, number: int, offset: int, shape: Shape) -> JsonLine:
    try:
        value, root, faults = careful_value(text, shape)
    except JsonSyntaxError as error:
        line = _unread(text, file, number, offset, shape)
        hint = "; in JSON Lines an object must be on one line" if error.index >= len(text) else ""
        line.problems.append(line.source.problem(f"{error}{hint}", error.index))
        return line
    line = JsonLine(file, text, shape, value, root, number)
    line.offset = offset
    line.add_faults(faults)
    return line


def _too_long(raw: bytes, file: str, number: int, offset: int, shape: Shape) -> JsonLine:
    line = _unread(raw[:1000].decode(errors="replace"), file, number, offset, shape)
    line.problems.append(line.source.problem(f"the line is longer than {MAX_LINE_BYTES // 1024**2} MB", 0))
    return line


def _unread(text: str, file: str, number: int, offset: int, shape: Shape) -> JsonLine:
    line = JsonLine(file, text, shape, None, nothing(), number)
    line.offset = offset
    return line
