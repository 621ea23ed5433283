"""A path through a document in the words of its file. Pure.

test_cases[3] "name" turns[1].expected_tools[0] "subtract".args.a.regex
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from holodeck_core.config.reading.source import printable
from holodeck_core.text import shorten

DocumentPath: TypeAlias = tuple[str | int, ...]
"""Keys and indices, from the whole document down to a value."""

_BARE_KEY: Final = re.compile(r"\w[\w/$-]*")
_LONGEST: Final = 60
_LONGEST_PATH: Final = 400


def render(path: Iterable[str | int], value: Any, *, case: bool = False, missing: bool = False) -> str:
    """The path through ``value`` as a reader of the file would say it; "" is the document itself.

    Args:
        path: keys and indices. What ``value`` does not have (the name of a model among them) is left out.
        value: the document's value. Items of a list that have a ``name`` are shown with it.
        case: ``value`` is itself a test case, and shown with its name.
        missing: the last element is a key that ought to be there: it is shown though ``value`` does not have it.
    """
    elements = tuple(path)
    words = f"{_name(value)} " if case and _name(value) else ""
    in_cases = isinstance(value, list)
    for position, element in enumerate(elements):
        if isinstance(value, list) and isinstance(element, int) and 0 <= element < len(value):
            value = value[element]
            words += f"[{element}]"
            if name := _name(value):
                words += f" {name} " if in_cases else f" {name}"
            in_cases = False
        elif isinstance(value, dict) and isinstance(element, str) and element in value:
            in_cases = element == "test_cases" and not words
            value = value[element]
            words += _key(element, words)
        elif missing and isinstance(element, str) and position == len(elements) - 1:
            words += _key(element, words)
    return shorten(words.rstrip(), _LONGEST_PATH)


def _name(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else None
    return f'"{shorten(printable(name), _LONGEST)}"' if isinstance(name, str) and name else ""


def _key(key: str, before: str) -> str:
    if not _BARE_KEY.fullmatch(key):
        return f"[{json.dumps(shorten(printable(key), _LONGEST), ensure_ascii=False)}]"
    joint = "" if not before or before.endswith(" ") else "."
    return f"{joint}{shorten(key, _LONGEST)}"
