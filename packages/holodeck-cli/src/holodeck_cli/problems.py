"""Problems of a configuration, as text: where, what, and the source line with a caret. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from holodeck_core.cells import width_of
from holodeck_core.errors import Problem
from holodeck_core.text import one_line, sanitize_tool_output

_INDENT = "    "
_SOURCE_WIDTH = 100
_CUT = "..."


def problem_lines(problem: Problem, prefix: str = "") -> list[str]:
    """The problem in one to three lines, each safe for a terminal, the caret under the place."""
    lines = [prefix + one_line(problem.headline())]
    if problem.source and problem.column is not None:
        # Where the caret stands in the source line, which may be a part of a long one, only its own text
        # knows.
        drawn = str(problem).rpartition("\n")[2]
        lines += _marked(problem.source, drawn.index("^") - len(_INDENT))
    return lines


def count_line(problems: Sequence[Problem], noun: str = "problem") -> str:
    """How many there are, and in how many files where that is more than one."""
    files = {problem.file for problem in problems if problem.file is not None}
    count = f"{len(problems)} {noun}{'' if len(problems) == 1 else 's'}"
    if not files:
        return count
    return f"{count} in {one_line(files.pop()) if len(files) == 1 else f'{len(files)} files'}"


def _marked(source: str, position: int) -> list[str]:
    """The part of the line around the position, and a caret below it."""
    start = 0
    if len(source) > _SOURCE_WIDTH:
        start = max(0, min(position - _SOURCE_WIDTH // 2, len(source) - _SOURCE_WIDTH))
    before, after = (
        _visible(text) for text in (source[start:position], source[position : start + _SOURCE_WIDTH])
    )
    head = _CUT if start else ""
    tail = _CUT if start + _SOURCE_WIDTH < len(source) else ""
    # A tab is as wide below as above; any other character is a space, or two where it is wide.
    below = "".join("\t" if character == "\t" else " " * width_of(character) for character in before)
    return [f"{_INDENT}{head}{before}{after}{tail}".rstrip(), f"{_INDENT}{' ' * len(head)}{below}^"]


def _visible(text: str) -> str:
    return sanitize_tool_output(text).replace("\n", " ")
