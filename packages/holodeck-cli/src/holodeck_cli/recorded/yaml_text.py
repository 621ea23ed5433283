"""JSON values as YAML that people edit, and that the reader of agent files reads as the very same values. Pure.

No library writes the core schema of YAML 1.2: they write ``1e3`` as plain text, say, or invisible characters as they
are. Text stands plain only where every reader of YAML takes it for text; what cannot be seen stands as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from holodeck_core.config.reading.scalars import resolve

_WIDTH: Final = 100
_STEP: Final = 2

# Words that are no text for readers of YAML 1.1.
_OTHER_BOOLS: Final = frozenset(("y", "n", "yes", "no", "on", "off"))
_NEVER_PLAIN: Final = frozenset(":#\"'`")
_NOT_IN_FLOW: Final = frozenset(",[]{}")
_SHORT_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_TRAILING_SPACE: Final = re.compile(r"[ \t]$", re.MULTILINE)


def block(value: Any, indent: int = 0) -> str:
    """The value as lines, each of them ended by a line break, ``indent`` columns from the left."""
    return "".join(f"{line}\n" for line in _lines(value, indent))


def flow(value: Any) -> str:
    """The value on one line, as it may stand anywhere in YAML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{scalar(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value)


def scalar(value: bool | int | float | str | None) -> str:
    """A scalar on one line."""
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _lines(value: Any, indent: int) -> Iterable[str]:
    left = " " * indent
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _entry(f"{left}{scalar(key)}:", item, indent)
    elif isinstance(value, list) and value:
        for item in value:
            yield from _item(item, indent)
    else:
        yield f"{left}{scalar(value) if not isinstance(value, dict | list) else flow(value)}"


def _entry(head: str, item: Any, indent: int) -> Iterable[str]:
    """``key: value``; a collection below its key, or beside it where it is small and holds scalars only."""
    if isinstance(item, str) and _is_literal(item):
        yield from _literal(f"{head} ", item, indent + _STEP)
    elif not isinstance(item, dict | list):
        yield f"{head} {scalar(item)}"
    elif _is_small(item) and len(beside := f"{head} {flow(item)}") <= _WIDTH:
        yield beside
    else:
        yield head
        yield from _lines(item, indent + _STEP)


def _item(item: Any, indent: int) -> Iterable[str]:
    """``- value``; a collection begins on the line of its dash."""
    left = " " * indent
    if isinstance(item, str) and _is_literal(item):
        yield from _literal(f"{left}- ", item, indent + _STEP)
    elif isinstance(item, dict | list) and item:
        first, *rest = _lines(item, indent + _STEP)
        yield f"{left}- {first[indent + _STEP :]}"
        yield from rest
    else:
        yield f"{left}- {flow(item)}"


def _is_small(value: dict[str, Any] | list[Any]) -> bool:
    items = value.values() if isinstance(value, dict) else value
    return not any(item and isinstance(item, dict | list) for item in items)


def _is_plain(text: str) -> bool:
    return (
        text[:1].isalpha()
        and text.isprintable()
        and text[-1] != " "
        and _NEVER_PLAIN.isdisjoint(text)
        and _NOT_IN_FLOW.isdisjoint(text)
        and text.lower() not in _OTHER_BOOLS
        and resolve(text) == text
    )


def _quoted(text: str) -> str:
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if short := _SHORT_ESCAPES.get(character):
        return short
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_literal(text: str) -> bool:
    """Whether the text is read as it was written in a literal block, and seen as it is."""
    return (
        "\n" in text
        and not text[0].isspace()
        and text.replace("\n", "").replace("\t", "").isprintable()
        and not _TRAILING_SPACE.search(text)
    )


def _literal(head: str, text: str, indent: int) -> Iterable[str]:
    left = " " * indent
    kept = text.removesuffix("\n")
    yield head + ("|-" if kept == text else "|+" if kept.endswith("\n") else "|")
    for line in kept.split("\n"):
        yield f"{left}{line}" if line else ""
