"""Problems without the values of variables, which may be secrets: they show as ``${NAME}``. Pure.

Messages are made in many places, some of them plugins, of values that have been replaced long before. So what a
variable holds is looked for in the finished message, also where it is shown with escapes or with its middle left out.
A part that a message takes out of it by itself is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from holodeck_core.config.reading.source import printable
from holodeck_core.config.settings.variables import Variables
from holodeck_core.errors import Problem
from holodeck_core.text import one_line, show_value

_CUT: Final = re.compile(r"\.\.\.|…")  # where the middle or the end of a text was left out
# A value shorter than this is hidden where it stands alone in quotes: `1` is in many a message that does not show it.
_SHORT: Final = 4

_Span: TypeAlias = tuple[int, int, str]  # from, to, and what is shown in its place


def as_told(problems: Iterable[Problem], variables: Variables) -> list[Problem]:
    """The problems, without those that only follow from a variable that could not be replaced and without the value
    of any variable.

    A file that was read keeps its name, by which it is found; one that was not is named as it is written.
    """
    concealed = _Concealed(variables.used)
    unresolved = set(variables.unresolved)
    places = {(problem.file, problem.line, problem.column) for problem in variables.unresolved}
    return [
        concealed.problem(problem)
        for problem in problems
        if problem in unresolved
        or not (
            (problem.file, problem.line, problem.column) in places
            or (
                problem.line is None
                and any(text in (problem.file or "") for text in variables.unresolved_texts)
            )
        )
    ]


class _Concealed:
    def __init__(self, used: dict[str, str]) -> None:
        self._forms = {form: f"${{{name}}}" for name, value in used.items() for form in _forms(value)}

    def problem(self, problem: Problem) -> Problem:
        if not self._forms:
            return problem
        file = problem.file
        if file is not None and problem.line is None:
            file = self._text(file)
        # Up to the first name, which is in quotes, a path is keys, and those are never replaced.
        keys, quote, names = problem.path.partition('"')
        path = keys + self._text(quote + names)
        return problem._replace(message=self._text(problem.message), path=path, file=file)

    def _text(self, text: str) -> str:
        spans = sorted(
            (span for form, written in self._forms.items() for span in _spans(form, written, text)),
            key=lambda span: (span[0], -span[1]),
        )
        parts: list[str] = []
        done = 0
        for start, end, written in spans:
            if start >= done:
                parts += (text[done:start], written)
            done = max(done, end)
        return "".join([*parts, text[done:]])


def _forms(value: str) -> set[str]:
    """How messages show a value: as it is, trimmed, on one line, or with escapes."""
    texts = {value, value.strip(), one_line(value)} - {""}
    width = 12 * len(value)  # more than any escape needs
    return {
        form
        for text in texts
        for form in (text, printable(text), show_value(text, width)[1:-1], repr(text)[1:-1])
    }


def _spans(form: str, written: str, text: str) -> Iterator[_Span]:
    """Where ``text`` shows the form of a value, or the end of it that is left where it was cut."""
    quotes = ("(?<=[\"'`])", "(?=[\"'`])") if len(form) < _SHORT else ("", "")
    for match in re.finditer(re.escape(form).join(quotes), text):
        yield match.start(), match.end(), written
    for cut in _CUT.finditer(text):
        start, end = cut.span()
        for length in range(min(len(form), start), _SHORT - 1, -1):
            if text.endswith(form[:length], 0, start):
                yield start - length, start, written
                break
        for length in range(min(len(form), len(text) - end), _SHORT - 1, -1):
            if text.startswith(form[-length:], end):
                yield end, end + length, written
                break
