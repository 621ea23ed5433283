"""Files of variables: ``NAME=VALUE`` lines, as ``.env`` files have them.

A line may begin with ``export``; ``#`` begins a comment, at the start of a line or after white space. What stands in
single quotes is the value as it is; in double quotes ``\\n \\r \\t \\" \\\\ \\$`` are escapes; both may go over several
lines. A value without quotes is trimmed. Nothing is put in for a ``$``.

The reader is our own because a mistake has to be told with its place, and never with the text around it: what stands in
such a file may be a secret.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from holodeck_core.config.reading.decode import display, read_text
from holodeck_core.config.reading.source import Source
from holodeck_core.config.settings.variables import NAME
from holodeck_core.errors import ConfigError, Problem

_END: Final = r"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n|\Z)"
_EMPTY_LINE: Final = re.compile(_END)
_REST_OF_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_SPACE: Final = re.compile(r"[ \t\f]*")
_NAME: Final = re.compile(rf"(?:export[ \t]+)?(?P<name>{NAME})[ \t]*=(?P<space>[ \t]*)")
_QUOTED: Final = re.compile(r"'(?P<single>[^']*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"", re.DOTALL)
_UNQUOTED: Final = re.compile(r"[^\r\n]*")
_COMMENT: Final = re.compile(r"[ \t]#.*")
_ESCAPE: Final = re.compile(r"\\([nrt\"\\$])")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


class EnvValue(NamedTuple):
    """A variable's value, and the ``file:line`` where it is set."""

    value: str
    place: str


def read_env_file(path: Path) -> dict[str, EnvValue]:
    """The variables of a file. Raises ConfigError with every mistake in it; no problem holds a source line."""
    file = display(path)
    try:
        source = Source(file, read_text(path))
    except ConfigError as error:
        raise ConfigError(problem._replace(source=None) for problem in error.problems) from None
    reader = _Reader(source)
    reader.read()
    if reader.problems:
        raise ConfigError(reader.problems)
    return reader.values


class _Reader:
    """One reading of one text."""

    def __init__(self, source: Source) -> None:
        self.values: dict[str, EnvValue] = {}
        self.problems: list[Problem] = []
        self._source = source
        self._text = source.text
        self._at = 0

    def read(self) -> None:
        while self._at < len(self._text):
            if self._skip(_EMPTY_LINE):
                continue
            self._skip(_SPACE)
            name = _NAME.match(self._text, self._at)
            if name is None:
                self._refuse(
                    "expected NAME=VALUE, with a NAME of letters, digits and _ (no digit first)", self._at
                )
                self._skip(_REST_OF_LINE)
            else:
                self._set(name)

    def _set(self, match: re.Match[str]) -> None:
        name, start = match["name"], match.start("name")
        self._at = match.end()
        if self._text[self._at : self._at + 1] in ("'", '"'):
            value = self._quoted(name)
        else:
            unquoted = _UNQUOTED.match(self._text, match.start("space"))
            assert unquoted is not None
            value = _COMMENT.sub("", unquoted.group()).strip()
            self._skip(_REST_OF_LINE)
        if name in self.values:
            self._refuse(f"{name} is set twice (first in {self.values[name].place})", start)
        self.values.setdefault(name, EnvValue(value, f"{self._source.file}:{self._source.line(start)}"))

    def _quoted(self, name: str) -> str:
        quoted = _QUOTED.match(self._text, self._at)
        if quoted is None:
            self._refuse(f"the quote that begins the value of {name} is not closed", self._at)
            self._at = len(self._text)
            return ""
        self._at = quoted.end()
        if not self._skip(_EMPTY_LINE):
            self._refuse(f"only a comment may follow the closing quote of {name}", self._at)
            self._skip(_REST_OF_LINE)
        if (single := quoted["single"]) is not None:
            return single
        return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted["double"])

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        if found is None:
            return False
        self._at = found.end()
        return True

    def _refuse(self, message: str, index: int) -> None:
        place = self._source.position(index)
        self.problems.append(Problem(message, self._source.file, place.line, place.column))
