"""The one way in which text files are read: UTF-8, with or without a byte-order mark, and nothing else.

The mark is never part of the text. Configuration, case files, instructions and recordings all come through here, so
that a file which is accepted in one place is accepted in every place.
"""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from holodeck_core.config.reading.source import Source, printable
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.text import shorten

BOM: Final = b"\xef\xbb\xbf"
_MARK: Final = "\ufeff"

# A text that is read at once. Beyond it the cases belong into a JSON Lines file, which is read as a stream.
MAX_BYTES: Final = 256 * 1024 * 1024

_CHUNK: Final = 1024 * 1024
_CONTROLS: Final = bytes(sorted({*range(0x20)} - set(b"\t\n\f\r")))
# The longer marks first: UTF-32-LE's begins with UTF-16-LE's.
_OTHER_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_text(path: Path) -> str:
    """The text of a file; line breaks stay as they are.

    Raises ConfigError with one problem: there is no such file (with the nearest name beside it), it is a folder, it
    cannot be read, it is over 256 MB, it is not UTF-8, or it holds control characters other than tab, line feed, form
    feed and carriage return.
    """
    with open_file(path) as file:
        try:
            data = _all_of(file)
        except OSError as error:
            raise unreadable(path, error) from error
    if len(data) > MAX_BYTES:
        raise _refused(path, f"the file is larger than {MAX_BYTES // 1024**2} MB; a JSON Lines file may be")
    return decode(data, display(path))


def _all_of(file: BinaryIO) -> bytes:
    """The bytes of a file, one more than ``MAX_BYTES`` of a larger one; a read reserves all that it asks for."""
    chunks = []
    left = MAX_BYTES + 1
    while left and (chunk := file.read(min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def decode(data: bytes, file: str) -> str:
    """The text of a file's bytes. Raises ConfigError as ``read_text`` does; ``file`` is the name it is shown by."""
    refuse_other_encodings(data[:64], file)
    try:
        text = data.decode().lstrip(_MARK)
    except UnicodeDecodeError as error:
        raise ConfigError([_undecodable(data, error, file)]) from error
    if len(data.translate(None, _CONTROLS)) != len(data):
        index = next(
            index for index, character in enumerate(text) if character < " " and ord(character) in _CONTROLS
        )
        what = f"the control character U+{ord(text[index]):04X}"
        message = f"the file contains {what}: remove it, or write it as an escape if it belongs to the text"
        raise ConfigError([Source(file, text).problem(message, index)])
    return text


def refuse_other_encodings(start: bytes, file: str) -> None:
    """Raise ConfigError if a file that begins with these bytes is UTF-16 or UTF-32."""
    for mark, name in _OTHER_MARKS:
        if start.startswith(mark):
            raise ConfigError([Problem(f"the file is {name}; save it as UTF-8", file)])
    if len(start) >= 4 and b"\0" in start[:4]:
        # Text in which every other byte is zero is ASCII in two bytes; three zeros of four are in four.
        zeros = start.count(0) / len(start)
        name = "UTF-32" if zeros > 0.6 else "UTF-16"
        if zeros > 0.3:
            raise ConfigError([Problem(f"the file looks like {name}; save it as UTF-8", file)])


def undecodable_message(data: bytes, error: UnicodeDecodeError, offset: int) -> str:
    """What to say about bytes that are no UTF-8; ``offset`` is that of ``data`` in the file."""
    byte = data[error.start]
    return f"byte 0x{byte:02X} at offset {offset + error.start:,} is not UTF-8; save the file as UTF-8"


def _undecodable(data: bytes, error: UnicodeDecodeError, file: str) -> Problem:
    # What stands before is UTF-8; what follows is shown as well as it can be.
    before = data[: error.start].decode().lstrip(_MARK)
    source = Source(file, before + data[error.start : error.start + 1000].decode(errors="replace"))
    return source.problem(undecodable_message(data, error, 0), len(before))


def open_file(path: Path, *, twice: bool = False) -> BinaryIO:
    """The file, open for reading bytes.

    Raises ConfigError if it is missing, a folder, or not readable; and, if it is to be read ``twice``, where that
    cannot be done (a pipe).
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise _refused(path, "this is a folder, not a file")
        if twice and not stat.S_ISREG(mode):
            raise _refused(
                path, "this is not a regular file: it is read twice, so it cannot be a pipe or device"
            )
        return path.open("rb")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _refused(path, missing_message(path)) from error
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> ConfigError:
    """The file is there and cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _refused(path, f"the file cannot be read: {reason}")


def display(path: Path) -> str:
    """The path as messages show it."""
    return printable(str(path))


def missing_message(path: Path) -> str:
    """What to say where there is no such file: with the name beside it that is nearest, if one is near."""
    try:
        with os.scandir(path.parent) as entries:
            siblings = [entry.name for entry in islice(entries, 10_000) if entry.is_file()]
    except OSError:
        return f"there is no such file: the folder {shorten(display(path.parent), 200)} does not exist"
    return f"there is no such file{did_you_mean(path.name, map(printable, siblings))}"


def _refused(path: Path, message: str) -> ConfigError:
    return ConfigError([Problem(message, display(path))])
