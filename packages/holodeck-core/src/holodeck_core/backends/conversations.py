"""A JSON Lines file of recorded conversations, of which only the places are kept in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from holodeck_core.backends.recordings import RecordedTurn, read_turns
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.text import show_value

_MAX_PROBLEMS = 100
_BOM = b"\xef\xbb\xbf"


class Conversations:
    """The conversations of one file, by their id.

    A line is ``{"id": …, "messages": […]}``; its id is ``id``, else ``task_id``, else the number of the line, as text.
    Every line is read and checked once, here; ``turns`` reads its line again. ``shown`` is how messages name the file.
    Raises ConfigError with all malformed lines, up to 100 of them, and ValueError for a file that is none of
    conversations.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self._path = path
        self._shown = shown
        self._offsets: dict[str, int] = {}
        if not path.is_file():  # also keeps a pipe from being opened: it could be read only once
            raise ValueError(f"{shown}: {'is not a file' if path.exists() else 'there is no such file'}")
        try:
            problems = self._index()
            told = list(islice(problems, _MAX_PROBLEMS))
            more = sum(1 for _ in problems)
        except OSError as error:
            raise ValueError(f"{shown}: cannot be read: {error.strerror or error}") from None
        if told:
            rest = [Problem(f"and {more} more problem{'' if more == 1 else 's'}", shown)] if more else []
            raise ConfigError([*told, *rest])
        if not self._offsets:
            raise ValueError(f"{shown}: holds no conversation")

    def __len__(self) -> int:
        return len(self._offsets)

    def __contains__(self, conversation: str) -> bool:
        return conversation in self._offsets

    def only_id(self) -> str | None:
        """The id of the one conversation, None where there are several."""
        return next(iter(self._offsets)) if len(self._offsets) == 1 else None

    def missing(self, conversation: str) -> str:
        """That there is no such conversation, with the ids that come near."""
        near = did_you_mean(conversation, self._offsets)
        return f"{self._shown} has no conversation {show_value(conversation, 80)}{near}"

    def turns(self, conversation: str) -> tuple[RecordedTurn, ...]:
        """The turns of a conversation. Raises ValueError where the file has changed, OSError where it is gone."""
        with self._path.open("rb") as file:
            if _stamp_of(file.fileno()) != self._stamp:
                raise ValueError(f"{self._shown} has changed since it was loaded")
            file.seek(self._offsets[conversation])
            return read_turns(_record(file.readline())["messages"])

    def _index(self) -> Iterator[Problem]:
        """Fill the index; yield what is wrong."""
        lines: dict[str, int] = {}
        offset = 0
        with self._path.open("rb") as file:
            self._stamp = _stamp_of(file.fileno())
            for number, line in enumerate(file, start=1):
                try:
                    if line.strip():
                        conversation = _check(line, number)
                        first = lines.setdefault(conversation, number)
                        if first != number:
                            raise ValueError(
                                f"the id {show_value(conversation, 80)} is that of line {first} already"
                            )
                        self._offsets[conversation] = offset
                except ValueError as error:
                    yield Problem(str(error), self._shown, number)
                offset += len(line)


def _check(line: bytes, number: int) -> str:
    """The id of the conversation in a line. Raises ValueError for what is none."""
    record = _record(line)
    if "messages" not in record:
        raise ValueError("`messages` is missing")
    read_turns(record["messages"])
    for key in ("id", "task_id"):
        value = record.get(key)
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise ValueError(f"`{key}` must be text or a whole number, got {show_value(value, 60)}")
            return str(value)
    return str(number)


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.removeprefix(_BOM).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: {error.reason} at byte {error.start + 1} of the line") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError(
            f'a line is an object {{"id": ..., "messages": [...]}}, got {show_value(record, 60)}'
        )
    return record


def _stamp_of(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_size, status.st_mtime_ns
