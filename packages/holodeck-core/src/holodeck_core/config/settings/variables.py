"""Variables in the text of files: ``${NAME}`` and ``${NAME:-default}``, and ``$${`` for a literal ``${``. Pure.

They are replaced in values after a file has been parsed, never in keys, so that what a variable holds can change
neither the structure of the file nor the type of a value: it stays text, which is read where a number is meant. What
was put in is not looked at again. As in a shell, a default holds where the variable is not set or is empty; it is the
text up to the first ``}`` and holds no variables itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.nodes import Trail, path_of
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.errors import Problem

NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"

# A ${ that begins nothing well-formed matches alone, without groups.
_FORM: Final = re.compile(rf"\$\$\{{|\$\{{(?:(?P<name>{NAME})(?::-(?P<default>[^}}]*))?\}})?")
_OTHER_FORM: Final = re.compile(rf"{NAME}\s*[-:=?+]")
_ESCAPE: Final = "for a literal ${ write $${"

_Found: TypeAlias = dict[tuple[int | None, int | None, str], Problem]


class VariableMistakes(ValueError):
    """Variables that cannot be replaced: ``missing`` names those without a value, ``messages`` says the rest."""

    def __init__(self, missing: list[str], messages: list[str]) -> None:
        super().__init__("; ".join([*(f"{name} is not set" for name in missing), *messages]))
        self.missing = missing
        self.messages = messages


def replace_in_text(text: str, values: Mapping[str, str], used: dict[str, str] | None = None) -> str:
    """The text with its variables replaced; those that were put in are added to ``used`` with their values.

    Raises VariableMistakes for variables that have neither a value nor a default, or that hold what is no text, and
    for every ``${`` that begins something else.
    """
    missing: dict[str, None] = {}
    messages: dict[str, None] = {}

    def put(match: re.Match[str]) -> str:
        form = match.group()
        name, default = match["name"], match["default"]
        if form == "$${":
            return "${"
        if name is None:
            messages[_malformed(text, match.end())] = None
        elif default is not None and "${" in default:
            messages["a default cannot hold a variable: it is the text up to the first }"] = None
        elif (value := values.get(name)) or (value is not None and default is None):
            if not _is_text(value):
                messages[f"the variable {name} holds bytes that are not UTF-8"] = None
            elif used is not None:
                used[name] = value
            return value
        elif default is not None:
            return default
        else:
            missing[name] = None
        return form

    replaced = _FORM.sub(put, text)
    if missing or messages:
        raise VariableMistakes(list(missing), list(messages))
    return replaced


def escape_in_text(text: str) -> str:
    """What a file has to say for the text to be its value: ``replace_in_text`` gives it back as it is."""
    return text.replace("${", "$${")


def _malformed(text: str, inside: int) -> str:
    """What is wrong with the ``${`` before the index ``inside``. The text is not repeated: it may be a secret."""
    end = text.find("}", inside)
    rest = text[inside:end]
    if end < 0:
        what = "this `${` has no closing `}`"
    elif not rest.strip():
        what = "`${}` names no variable"
    elif _OTHER_FORM.match(rest):
        what = "a variable is written ${NAME}, and with a default ${NAME:-default}"
    else:
        what = "this `${…}` does not hold the name of a variable (letters, digits and _, no digit first)"
    lines = text.count("\n", 0, inside)
    where = f" (line {lines + 1} of the text)" if lines else ""
    return f"{what}{where}; {_ESCAPE}"


def _is_text(value: str) -> bool:
    """Whether the value is Unicode text; the environment may hold any bytes, which Python reads as surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class Variables:
    """The variables of one configuration, and what has come of replacing them in its files.

    ``used`` has the values of those that were put in. ``unresolved`` has the problems that were found, and
    ``unresolved_texts`` the texts in which they stand.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.used: dict[str, str] = {}
        self.unresolved: list[Problem] = []
        self.unresolved_texts: set[str] = set()
        self._messages: dict[str, str] = {}

    def replace(self, document: Document) -> None:
        """Replace the variables in the value of a document that is a mapping; mistakes go to its problems.

        The document gets a new value, and one taken from it before stays as it is written. Keys at the top that begin
        with ``x-`` are left alone, as nobody reads them; where their values are aliased they are replaced there.
        """
        # An escape in quoted text may write either character otherwise.
        if "${" not in (text := document.source.text) and "\\" not in text:
            return
        value = document.value
        read = {key: item for key, item in value.items() if not key.startswith("x-")}
        found: _Found = {}
        document.value = {**value, **self._collection(read, None, document, found)}
        document.problems += found.values()
        self.unresolved += found.values()

    def _collection(self, collection: Any, trail: Trail, document: Document, found: _Found) -> Any:
        """The collection itself, or a copy of it where something in it was replaced."""
        changed: dict[Any, Any] = {}
        is_dict = type(collection) is dict
        for key, item in collection.items() if is_dict else enumerate(collection):
            kind = type(item)
            if kind is str:
                if "${" in item:
                    changed[key] = self._text(item, (trail, key), document, found)
            elif kind is dict or kind is list:
                replaced = self._collection(item, (trail, key), document, found)
                if replaced is not item:
                    changed[key] = replaced
        if not changed:
            return collection
        if is_dict:
            return {**collection, **changed}
        return [changed.get(index, item) for index, item in enumerate(collection)]

    def _text(self, text: str, trail: Trail, document: Document, found: _Found) -> str:
        try:
            return replace_in_text(text, self.values, self.used)
        except VariableMistakes as mistakes:
            self.unresolved_texts.add(text)
            path = path_of(trail)
            for message in [*map(self._missing, mistakes.missing), *mistakes.messages]:
                problem = document.problem(message, path)
                # What stands in several places by aliases is wrong once.
                found.setdefault((problem.line, problem.column, message), problem)
            return text

    def _missing(self, name: str) -> str:
        if name not in self._messages:
            hint = did_you_mean(name, self.values)
            self._messages[name] = (
                f"the variable {name} is not set: set it, or write a default, ${{{name}:-…}}{hint}"
            )
        return self._messages[name]
