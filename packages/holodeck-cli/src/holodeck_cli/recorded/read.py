"""Recorded conversations in OpenAI's chat format, read from a file one by one, with the place of every mistake."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import attrs

from holodeck_cli.recorded.case import RecordedCase, RecordedTurn, unasserted
from holodeck_core.api.values import well_formed
from holodeck_core.backends.recordings import MessageMistakes, read_turns
from holodeck_core.config.reading.decode import BOM, display, open_file, read_text, refuse_other_encodings
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_nodes import JsonSyntaxError, compose_json, outline_json
from holodeck_core.config.reading.shapes import PLAIN
from holodeck_core.config.reading.source import Source
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.text import show_value

_LINES: Final = (".jsonl", ".ndjson")
_SHOWN: Final = 60


@attrs.frozen
class Conversation:
    """One conversation that can be held again, and its messages as they were recorded.

    ``notes`` say what of it a test case cannot hold.
    """

    case: RecordedCase
    messages: list[Any]
    notes: tuple[Problem, ...]


def read_conversations(path: Path) -> Iterator[Conversation | Problem]:
    """The conversations of a file in their order, and in the place of one that is not available what is wrong with it.

    The file is JSON Lines, which is read line by line, or JSON: one conversation, or a list of them. A conversation is
    a list of chat messages, or an object that has them under `messages`, and perhaps an `id` or `task_id`. Raises
    ConfigError where the file as a whole cannot be read.
    """
    reading = _Reading(display(path))
    if path.suffix.lower() in _LINES or not _is_one_document(path):
        with open_file(path) as lines:
            yield from _of_lines(lines, reading)
        return
    text = read_text(path)
    document = _parsed(text, reading.file, None)
    if isinstance(document, Document):
        yield from reading.of_document(document, well_formed(path.stem).strip() or "conversation 1")
    elif path.is_file() or not _is_json(text.lstrip().partition("\n")[0]):
        raise ConfigError([document])
    else:
        yield from _of_lines(text.encode().splitlines(keepends=True), reading)


def _is_one_document(path: Path) -> bool:
    """Whether the first line is not JSON by itself, or is all there is. A pipe, which could not be read again, is taken
    for one until it has been read."""
    if path.exists() and not path.is_file():
        return True
    with open_file(path) as file:
        first = next((line for line in file if line.strip()), b"")
        return not _is_json(first.removeprefix(BOM).decode(errors="replace")) or not any(
            map(bytes.strip, file)
        )


def _is_json(text: str) -> bool:
    return isinstance(_parsed(text, "", None), Document)


def _of_lines(lines: Iterable[bytes], reading: _Reading) -> Iterator[Conversation | Problem]:
    for number, line in enumerate(lines, start=1):
        if number == 1:
            refuse_other_encodings(line[:64], reading.file)
            line = line.removeprefix(BOM)
        if not line.strip():
            continue
        try:
            document = _parsed(line.decode().rstrip("\r\n"), reading.file, number)
        except UnicodeDecodeError as error:
            document = Problem(f"byte {error.start + 1} of the line is not UTF-8", reading.file, number)
        if isinstance(document, Problem):
            yield document
        else:
            yield from reading.of_document(document, f"conversation {number}")


def _parsed(text: str, file: str, line: int | None) -> Document | Problem:
    """A JSON text, read as the provider ``replay`` reads it."""
    try:
        return Document(file, text, PLAIN, json.loads(text), outline_json, line)
    except json.JSONDecodeError as error:
        message, index = f"not JSON: {error.msg}", error.pos
        try:
            compose_json(text)
        except JsonSyntaxError as found:
            message, index = f"not JSON: {found}", found.index
    except RecursionError:
        message, index = "nested too deeply", 0
    except ValueError:  # more digits than Python converts
        message, index = "an integer is too long to be read", 0
    return Source(file, text, line).problem(message, index)


class _Reading:
    """The reading of one file: remembers where each name was met."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._places: dict[str, str] = {}

    def of_document(self, document: Document, name: str) -> Iterator[Conversation | Problem]:
        """What a document holds. ``name`` is for a conversation without an id that is all of it."""
        value = document.value
        if not isinstance(value, list) or _is_conversation(value):
            yield from self._of_value(document, (), value, name)
        elif not value and document.line is None:
            yield _problem(document, (), "holds no conversation")
        else:
            for index, item in enumerate(value):
                yield from self._of_value(document, (index,), item, f"conversation {index + 1}")

    def _of_value(
        self, document: Document, path: tuple[str | int, ...], value: Any, name: str
    ) -> Iterator[Conversation | Problem]:
        record = {"messages": value} if isinstance(value, list) else value
        if not isinstance(record, dict):
            yield _problem(document, path, f"a conversation is an object, got {show_value(value, _SHOWN)}")
            return
        if "messages" not in record:
            yield _problem(
                document, path, 'has no `messages`: a conversation is {"id": ..., "messages": [...]}'
            )
            return
        try:
            name = _id(record) or name
        except ValueError as error:
            yield _problem(document, path, str(error))
        below = path if isinstance(value, list) else (*path, "messages")
        place = _problem(document, path, "").headline().removesuffix(": ")
        met = self._places.setdefault(name, place)
        if met != place:
            yield _problem(document, path, f"the id {show_value(name, _SHOWN)} is that of {met} already")
        yield from _conversation(document, below, record["messages"], name)


def _is_conversation(value: list[Any]) -> bool:
    """Whether a list holds messages, and not conversations."""
    return bool(value) and isinstance(value[0], dict) and "messages" not in value[0]


def _id(record: dict[str, Any]) -> str:
    for key in ("id", "task_id"):
        found = record.get(key)
        if found is not None:
            if isinstance(found, bool) or not isinstance(found, str | int):
                raise ValueError(f"`{key}` must be text or a whole number, got {show_value(found, _SHOWN)}")
            return well_formed(str(found)).strip()
    return ""


def _conversation(
    document: Document, path: tuple[str | int, ...], messages: Any, name: str
) -> Iterator[Conversation | Problem]:
    try:
        recorded = read_turns(messages)
    except MessageMistakes as error:
        for index, what in error.mistakes:
            yield _problem(document, path if index is None else (*path, index), what)
        return
    said = [index for index, message in enumerate(messages) if message["role"] == "user"]
    if not messages:
        yield _problem(document, path, "there are no messages")
    elif not said:
        yield _problem(
            document, path, "no message is of the role `user`: there is nothing to send to an agent"
        )
    silent = [index for index, turn in zip(said, recorded, strict=True) if not turn.message.strip()]
    for index in silent:
        yield _problem(document, (*path, index), "this message of the user has no text to send")
    if silent or not said:
        return
    case = RecordedCase(
        name,
        tuple(
            RecordedTurn(turn.message, turn.reply.text or None, tuple(turn.reply.tool_calls))
            for turn in recorded
        ),
    )
    notes = [(said[turn], what) for turn, what in unasserted(case)]
    notes += [(index, what) for index, message in enumerate(messages) for what in _without_text(message)]
    yield Conversation(
        case, messages, tuple(_problem(document, (*path, index), what) for index, what in sorted(notes))
    )


def _without_text(message: dict[str, Any]) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and not isinstance(part.get("text", part.get("refusal")), str):
            yield f"a part of the type {show_value(part.get('type'), _SHOWN)} is left out: only text is sent"


def _problem(document: Document, path: tuple[str | int, ...], message: str) -> Problem:
    try:
        return document.problem(message, path)
    except (
        JsonSyntaxError
    ):  # what Python reads and JSON does not have, such as NaN, keeps places from being found
        return Problem(message, document.file, document.line)
