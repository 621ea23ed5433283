"""From the values of a file to models: what pydantic finds becomes problems with a place, in the words of the file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from holodeck_core.api.faults import describe
from holodeck_core.api.values import text_of
from holodeck_core.config.messages.forms import form_hint
from holodeck_core.config.messages.secret_keys import is_secret, without_secrets_of
from holodeck_core.config.messages.unions import NO_MEMBER, settled
from holodeck_core.config.messages.valid_keys import ValidKeys, shown_key
from holodeck_core.config.messages.wording import foreign, not_expected, words
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import PluginError, Problem
from holodeck_core.models.base import RULE, Loc

M = TypeVar("M", bound=BaseModel)

_KEY: Final = "[key]"  # how pydantic ends the place of an error about a key itself
_NEEDED: Final = re.compile(r"`(\w+)`")


class Place(Protocol):
    """A document, or a part of one, that can say where a value stands."""

    def problem(
        self, message: str, path: DocumentPath = (), *, key: bool = False, missing: bool = False
    ) -> Problem: ...


def validate(
    model: type[M], value: Any, place: Place, path: DocumentPath, problems: list[Problem]
) -> M | None:
    """The model of ``value``, which stands at ``path``; None where it has mistakes, which go to ``problems``."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems.extend(to_problems(error, model, value, place, path))
        return None


def sound_part(model: type[M], value: Any) -> M | None:
    """The model of what is left of the mapping ``value`` without the keys at which it has mistakes; None if that has
    some as well. For looking further where the mistakes have been reported."""
    if not isinstance(value, Mapping):
        return None
    for _ in range(2):
        try:
            return model.model_validate(value)
        except ValidationError as error:
            wrong = {line["loc"][0] for line in error.errors(include_url=False) if line["loc"]}
            value = {key: item for key, item in value.items() if key not in wrong}
    return None


def to_problems(
    error: ValidationError,
    model: type[BaseModel],
    value: Any,
    place: Place,
    path: DocumentPath = (),
    also: Iterable[str] = (),
) -> list[Problem]:
    """Every mistake of a validation error, each once.

    Args:
        error: what ``model`` finds in ``value``.
        place: the document in which the value stands at ``path``.
        also: keys that the value may have though the model does not know them.
    """
    lines = settled(error.errors(include_url=False), model, value)
    valid = ValidKeys(model, value, also)
    slips = {
        (line["loc"][:-1], meant)
        for line in lines
        if line["type"] == "extra_forbidden" and (meant := valid.meant(line["loc"])) is not None
    }
    problems = [_to_problem(line, valid, place, path) for line in lines if not _follows(line, slips)]
    return list(dict.fromkeys(problems))


def told(error: BaseException, given: Any = None) -> str:
    """What an exception says of the values that were given, without the secrets among them.

    The plugin host's are in words that may be shown; of all others the message is somebody else's.
    """
    if isinstance(error, PluginError):
        return str(error)
    text = text_of(error) if isinstance(error, ValueError) else describe(error)
    return without_secrets_of(given, foreign(text))


def key_named(message: str, keys: Collection[str]) -> DocumentPath:
    """Where below the value with these ``keys`` a message belongs: at the one that it begins with, in backticks."""
    named = _NEEDED.match(message)
    return (named[1],) if named is not None and named[1] in keys else ()


def distinct(problems: Iterable[Problem], reading: Sequence[Problem] = ()) -> list[Problem]:
    """Each mistake once.

    What several aliases stand for is checked for each of them, and where reading found something wrong (``reading``),
    what stands in for it is checked as well.
    """
    faulty = {(problem.file, problem.line, problem.column) for problem in reading}
    known = {id(problem) for problem in reading}
    first: dict[Any, Problem] = {}
    for problem in problems:
        place = (problem.file, problem.line, problem.column)
        if id(problem) in known or place not in faulty:
            first.setdefault((*place, problem.message, None if problem.line else problem.path), problem)
    return list(first.values())


def _follows(line: ErrorDetails, slips: set[tuple[Loc, str]]) -> bool:
    """Whether the line only says that a key is missing which is there, but misspelled."""
    loc = line["loc"]
    if line["type"] == "missing":
        return (loc[:-1], str(loc[-1])) in slips
    if line["type"] == RULE and "needs `" in line["msg"]:
        return any((loc, key) in slips for key in _NEEDED.findall(line["msg"]))
    return False


def _to_problem(line: ErrorDetails, valid: ValidKeys, place: Place, path: DocumentPath) -> Problem:
    loc = (*path, *line["loc"])
    kind = line["type"]
    if kind == "extra_forbidden":
        return place.problem(valid.message(line["loc"]), loc, key=True)
    secret = is_secret(loc)
    if kind == NO_MEMBER:
        return place.problem(not_expected(line["ctx"]["kinds"], line["input"], secret=secret), loc)
    message = words(line, secret=secret)
    if kind == "missing" and (meant := valid.meant_by(line["loc"])) is not None:
        message += f": is it meant by {shown_key(meant)}?"
    if kind == "list_type" and isinstance(line["input"], str) and valid.takes_texts(line["loc"]):
        message += ": write a list, […], also of one"
    if message.startswith("expected "):
        message += form_hint(loc, line["input"])
    if kind != RULE:
        message = without_secrets_of(line["input"], message, loc)
    if loc[-1:] == (_KEY,):
        return place.problem(f"the key {message}", loc[:-1], key=True)
    return place.problem(message, loc, missing=kind == "missing")
