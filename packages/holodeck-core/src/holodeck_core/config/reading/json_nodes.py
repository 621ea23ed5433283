"""The node tree of a JSON text: its exact grammar with the place of every value. Pure.

This is the slow and careful reader: it runs only when something is wrong with a text, or when the place of something
in it is asked for. Strings are nodes in quotes and everything else is plain, so that the walk which reads YAML reads
these too: a number, true, false and null of JSON mean the same there.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from holodeck_core.config.reading.nodes import MAX_DEPTH, TOO_DEEP, Pairs, new_mark

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_LITERAL: Final = re.compile(
    r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.+-])"
)
_WORD: Final = re.compile(r"[\w.+-]+")
_DECODER: Final = json.JSONDecoder()


class JsonSyntaxError(ValueError):
    """The text is not JSON; ``index`` is where that shows."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


def compose_json(text: str) -> Node:
    """The node of the one value that ``text`` holds. Raises JsonSyntaxError."""
    reader = _Reader(text)
    node = reader.value(0)
    end = reader.at
    if reader.skip_space():
        hint = ""
        if text[reader.at] == "{" and "\n" in text[end : reader.at]:
            hint = ": a file with an object on each line is JSON Lines, and its name ends in .jsonl"
        raise JsonSyntaxError(f"this does not belong to the value before it{hint}", reader.at)
    return node


def outline_json(text: str) -> Node:
    """The node of the value that a text holds which is known to be JSON.

    A mapping in a list is composed when its value is asked for: of ten thousand cases, only those on the way to a
    problem are.
    """
    return _Reader(text, unread=True).value(0)


class _UnreadMapping(MappingNode):
    """A mapping of which only the beginning has been looked for."""

    def __init__(self, text: str, index: int) -> None:
        self.tag = MappingNode  # type: ignore[assignment]  # as for every node without a tag of its own
        self.start_mark = new_mark(index)
        self._text = text

    @cached_property
    def value(self) -> Pairs:
        reader = _Reader(self._text, unread=True)
        reader.at = self.start_mark.index
        pairs: Pairs = reader.value(0).value
        return pairs


class _Reader:
    """One reading of one text; ``at`` is the index of the next character. ``unread``: mappings in lists stay unread."""

    def __init__(self, text: str, *, unread: bool = False) -> None:
        self._text = text
        self._unread = unread
        self.at = 0

    def skip_space(self) -> str:
        """Go to the next character that is no white space; "" at the end."""
        space = _SPACE.match(self._text, self.at)
        assert space is not None
        self.at = space.end()
        return self._text[self.at : self.at + 1]

    def value(self, depth: int) -> Node:
        first = self.skip_space()
        if first and first in "{[" and depth == MAX_DEPTH:
            raise JsonSyntaxError(TOO_DEEP, self.at)
        if first == "{":
            return self._object(depth)
        if first == "[":
            return self._array(depth)
        if first == '"':
            return self._string()
        return self._literal(first)

    def _object(self, depth: int) -> Node:
        mark, pairs = new_mark(self.at), list[tuple[Node, Node]]()
        self.at += 1
        character = self.skip_space()
        while character != "}":
            if character != '"':
                raise self._expected("a key in double quotes", character)
            key = self._string()
            if (character := self.skip_space()) != ":":
                raise self._expected("a ':' after the key", character)
            self.at += 1
            pairs.append((key, self.value(depth + 1)))
            character = self._next_item("}")
        self.at += 1
        return MappingNode(MappingNode, pairs, mark)  # type: ignore[arg-type]  # a tag of ours, see nodes

    def _array(self, depth: int) -> Node:
        mark, items = new_mark(self.at), list[Node]()
        self.at += 1
        character = self.skip_space()
        while character != "]":
            items.append(
                self._unread_mapping() if self._unread and character == "{" else self.value(depth + 1)
            )
            character = self._next_item("]")
        self.at += 1
        return SequenceNode(SequenceNode, items, mark)  # type: ignore[arg-type]

    def _next_item(self, closing: str) -> str:
        """The character after a comma, or the closing bracket."""
        character = self.skip_space()
        if character == closing:
            return character
        if character != ",":
            raise self._expected(f"',' or '{closing}'", character)
        comma = self.at
        self.at += 1
        character = self.skip_space()
        if character == closing:
            raise JsonSyntaxError(f"JSON allows no comma before '{closing}'", comma)
        return character

    def _unread_mapping(self) -> Node:
        node = _UnreadMapping(self._text, self.at)
        _, self.at = _DECODER.raw_decode(self._text, self.at)
        return node

    def _string(self) -> Node:
        mark = new_mark(self.at)
        try:
            text, self.at = _DECODER.raw_decode(self._text, self.at)
        except json.JSONDecodeError as error:
            raise JsonSyntaxError(_string_message(error), error.pos) from error
        return ScalarNode(None, text, mark, style='"')  # type: ignore[arg-type]

    def _literal(self, first: str) -> Node:
        literal = _LITERAL.match(self._text, self.at)
        if literal is None:
            raise self._expected("a value", first)
        mark, self.at = new_mark(self.at), literal.end()
        return ScalarNode(None, literal.group(), mark, style="")  # type: ignore[arg-type]

    def _expected(self, what: str, found: str) -> JsonSyntaxError:
        if not found:
            return JsonSyntaxError(f"the text ends where {what} is expected", self.at)
        word = _WORD.match(self._text, self.at)
        shown = word.group()[:40] if word else found if found.isprintable() else f"U+{ord(found):04X}"
        hint = ""
        if found == "'":
            hint = ": JSON has double quotes only"
        elif found in "/#":
            hint = ": JSON has no comments"
        elif found == "\ufeff":
            shown, hint = "a byte-order mark", ": remove it"
        elif shown.lstrip("+-") in ("NaN", "Infinity", "nan", "inf"):
            hint = ": JSON has finite numbers only"
        elif shown in ("None", "True", "False"):
            hint = ": JSON writes null, true and false"
        return JsonSyntaxError(f"{what} is expected here, not {shown}{hint}", self.at)


def _string_message(error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Unterminated"):
        return "the text that begins here has no closing quote"
    if error.msg.startswith("Invalid control character"):
        return "a text cannot contain a line break or another control character: write an escape such as \\n"
    return "this is no escape of JSON: a backslash itself is written twice"
