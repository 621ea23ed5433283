"""Where secrets stand in the lines of a file that may not even be readable. Pure.

What a line is part of is guessed from its looks. The guesses err on the side of hiding too much: a source line is shown
for the place of a mistake, and that is told in words as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from holodeck_core.config.reading.secret_names import ENVIRONMENT, names_secret

_KEY: Final = re.compile(r"(?<!\w)(?P<name>[A-Za-z_][\w.-]{0,80})[\"']?\s*[:=]\s*")
# The value of a key that names a secret. What follows an unquoted value on its line goes with it.
_VALUE: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^']|'')*'?|[^\"'].*")
_VALUE_IN_BRACES: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^']|'')*'?|\[[^]]*\]?|[^\"',}][^,}]*")
# `--api-key x`, `"--api-key", "x"`
_OPTION: Final = re.compile(
    r"(?<![\w-])--?(?P<name>[A-Za-z][\w-]*)[\"']?(?:\s*,\s*|\s+)[\"']?(?P<value>[^\s,\]\"'-][^\s,\]\"']*)"
)
# A key whose colon was forgotten: one word, a text in quotes or an authorization follows it.
_NO_COLON: Final = re.compile(
    r"(?:^|[{,])\s*(?:-\s+)?[\"']?(?P<name>[A-Za-z_][\w-]*)[\"']?\s+"
    r"(?P<value>[\"'].*|(?:Bearer|Basic)\s.*|[^\s,{}\[\]:]\S*?)\s*(?=$|[,}#]|\s#)"
)
# What stands before the host of an address: user and password.
_USER_INFO: Final = re.compile(r"(?<=://)[^/\s@\"']+(?=@)")
_OPENS: Final = re.compile(
    r"(?:-\s+)?[\"']?(?P<name>[A-Za-z_][\w.-]*)[\"']?\s*:\s*(?:&\S+\s*)?(?:[|>][-+0-9]*\s*|[{\[]\s*)?(?:#.*)?$"
)
_AROUND: Final = " \t\"'{}[],"
_BETWEEN: Final = re.compile(r"[\s,]+")
_BLOCK: Final = re.compile(r":\s*[|>]")


def masked_line(line: str, parent: str = "", before: str = "") -> str:
    """The line with every secret in it replaced by as many asterisks. ``parent`` is the line that it is nested in,
    ``before`` the one above it."""
    for start, end in secret_spans(line, parent, before):
        line = f"{line[:start]}{'*' * (end - start)}{line[end:]}"
    return line


def secrets_in_lines(text: str) -> Iterator[str]:
    """Every text that ``masked_line`` would hide, without quotes, and the words of it."""
    parents: list[str] = []  # the lines that the current one is nested in
    before = ""
    for line in text.splitlines():
        if line.isspace() or not line:
            continue
        while parents and _indent(parents[-1]) >= _indent(line):
            parents.pop()
        for start, end in secret_spans(line, parents[-1] if parents else "", before):
            found = line[start:end]
            yield found.strip(_AROUND)
            # A word in front of a colon is a key.
            yield from (word.strip(_AROUND) for word in _BETWEEN.split(found) if not word.endswith(":"))
        parents.append(line)
        before = line


def secret_spans(line: str, parent: str = "", before: str = "") -> list[tuple[int, int]]:
    """Where secrets stand in the line. See ``masked_line``."""
    above = _opened(parent) or _opened(before if _hides_all(_opened(before)) else "")
    hidden = _hides_all(above)
    if hidden and (_BLOCK.search(parent) or not _KEY.search(line)):
        return [(_indent(line), len(line.rstrip()))]
    spans = [match.span() for match in _USER_INFO.finditer(line)]
    spans += _after_keys(line, above)
    spans += [match.span("value") for match in _OPTION.finditer(line) if names_secret(match["name"])]
    spans += [match.span("value") for match in _NO_COLON.finditer(line) if _is_secret(match["name"], above)]
    return spans


def parent_of(line: str, above: Iterable[str]) -> str:
    """The line that ``line`` is nested in, of those ``above`` it, the nearest first."""
    indent = _indent(line)
    return next((other for other in above if other.strip() and _indent(other) < indent), "")


def _after_keys(line: str, above: str) -> Iterator[tuple[int, int]]:
    brace = line.find("{") % (len(line) + 1)
    done = 0
    while key := _KEY.search(line, done):
        done = key.end()
        if _is_secret(key["name"], above):
            values = _VALUE_IN_BRACES if brace < key.start() else _VALUE
            if value := values.match(line, done):
                done = value.end()
                yield value.span()


def _opened(line: str) -> str:
    """The key whose value begins below the line."""
    found = _OPENS.match(line.strip())
    return found["name"] if found else ""


def _is_secret(name: str, above: str) -> bool:
    """Names in capitals are those of an environment."""
    return names_secret(above, above.isupper()) or names_secret(name, above == ENVIRONMENT or name.isupper())


def _hides_all(name: str) -> bool:
    return names_secret(name, name.isupper())


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
