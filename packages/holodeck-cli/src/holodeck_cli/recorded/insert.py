"""One more test case in the text of a file; everything else in it stays as it is, comments included. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from holodeck_cli.json_text import json_text
from holodeck_cli.recorded.spans import Span, spans
from holodeck_cli.recorded.yaml_text import block, flow
from holodeck_core.config.reading.json_nodes import compose_json
from holodeck_core.config.reading.nodes import find, start
from holodeck_core.config.reading.scalars import NULLS

CASES_KEY: Final = "test_cases"
FILE_KEY: Final = "test_cases_file"

_STEP: Final = 2
_WHITE_SPACE: Final = " \t\r\n"
_COMMENTS_ABOVE: Final = re.compile(r"(?:^#.*\n)*\Z", re.MULTILINE)


class CannotInsert(ValueError):
    """The place for the case is not one that can be written to; the message says why, ``index`` where."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


def into_yaml(text: str, case: dict[str, Any], *, under_key: bool) -> str:
    """The YAML text with the case at the end of its list of cases, which is made where there is none.

    The list is the whole document, or, ``under_key``, the value of `test_cases`. Raises CannotInsert.
    """
    root = spans(text)
    if not under_key:
        return _into_list(text, root, case)
    found = root.pair(CASES_KEY)
    if found is None:
        return _with_key(text, root, case)
    key, value = found
    if _is_nothing(text, value) and not root.flow:
        before = text[: value.start].rstrip(" ")
        lines = block([case], _column(text, key.start) + _STEP)
        return _with_lines(before + text[value.end :], len(before), lines)
    return _into_list(text, value, case)


def into_json(text: str, case: dict[str, Any], *, under_key: bool) -> str:
    """As ``into_yaml``, for the text of a JSON document that holds a list, or an object."""
    root = compose_json(text)
    if under_key and not any(key.value == CASES_KEY for key, _ in root.value):
        return _before_bracket(text, start(root), f"{json_text(CASES_KEY)}: [{json_text(case)}]")
    return _before_bracket(text, start(find(root, (CASES_KEY,) if under_key else ())), json_text(case))


def without_cases(text: str) -> str | None:
    """The text of an agent file in YAML without the keys that name its cases, and what was written right above them.

    None where the file is not written as a block.
    """
    root = spans(text)
    if root.pairs is None or root.flow:
        return None
    for key, value in reversed(root.pairs):
        if key.scalar in (CASES_KEY, FILE_KEY):
            above = _COMMENTS_ABOVE.search(text, 0, key.start)
            begin = key.start if above is None else above.start()
            text = text[:begin] + text[_line_end(text, value.end) :]
    return text


def _into_list(text: str, value: Span, case: dict[str, Any]) -> str:
    if value.items is None:
        raise CannotInsert("a test case can be added only to a list that is written out here", value.start)
    if value.flow:
        if not value.items:
            return text[: value.end - 1] + flow(case) + text[value.end - 1 :]
        last = value.items[-1].end
        return f"{text[:last]}, {flow(case)}{text[last:]}"
    dash = value.start
    if text[dash] != "-":  # an anchor stands there
        dash = text.rindex("-", 0, value.items[0].start)
    return _with_lines(text, value.end, block([case], _column(text, dash)))


def _with_key(text: str, root: Span, case: dict[str, Any]) -> str:
    if root.pairs is None:
        raise CannotInsert("the file must hold a mapping", root.start)
    if root.flow:
        last = root.pairs[-1][1].end if root.pairs else root.end - 1
        return f"{text[:last]}{', ' if root.pairs else ''}{CASES_KEY}: [{flow(case)}]{text[last:]}"
    column = _column(text, root.pairs[0][0].start)
    lines = f"{' ' * column}{CASES_KEY}:\n{block([case], column + _STEP)}"
    if not text[: _line_end(text, root.end)].endswith(("\n\n", "\n\r\n")):
        # Where there is an empty line already, it may be part of a text that keeps what is at its end.
        lines = f"\n{lines}"
    return _with_lines(text, root.end, lines)


def _with_lines(text: str, index: int, lines: str) -> str:
    """The text with lines behind the line that ends, or goes on, at the index."""
    if "\r\n" in text:
        lines = lines.replace("\n", "\r\n")
    at = _line_end(text, index)
    missing = "\n" if at and not text[:at].endswith(("\n", "\r")) else ""
    return text[:at] + missing + lines + text[at:]


def _line_end(text: str, index: int) -> int:
    """Where the line after the index begins; the index itself where it begins a line, as behind a block scalar."""
    if index and text[index - 1] == "\n":
        return index
    found = text.find("\n", index)
    return len(text) if found < 0 else found + 1


def _column(text: str, index: int) -> int:
    return index - (text.rfind("\n", 0, index) + 1)


def _is_nothing(text: str, value: Span) -> bool:
    return text[value.start : value.end] == "[]" or (value.plain and value.scalar in NULLS)


def _before_bracket(text: str, begin: int, item: str) -> str:
    """The JSON text with one item more in the list or object that begins there."""
    _, end = json.JSONDecoder().raw_decode(text, begin)
    last = len(text[: end - 1].rstrip(_WHITE_SPACE))
    comma = "" if last == begin + 1 else ","
    first = re.compile(r"[{\[](\s*)").match(text, begin)
    space = first.group(1) if comma and first else ""
    return f"{text[:last]}{comma}{space or ' ' * bool(comma)}{item}{text[last:]}"
