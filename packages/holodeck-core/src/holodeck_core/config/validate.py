"""From the values of a file to models: what pydantic finds becomes problems with a place, in the words of the file."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from holodeck_core.errors import Problem
from holodeck_core.models.base import RULE
from holodeck_core.text import show_value

M = TypeVar("M", bound=BaseModel)
Path = tuple[str | int, ...]


class Place(Protocol):
    """A document, or a part of one, that can say where a value stands."""

    def problem(
        self, message: str, path: Path = (), *, key: bool = False, missing: bool = False
    ) -> Problem: ...


def validate(model: type[M], value: Any, place: Place, path: Path, problems: list[Problem]) -> M | None:
    """The model of ``value``, which stands at ``path``; None where it has mistakes, which go to ``problems``."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems.extend(to_problems(error, place, path))
        return None


def to_problems(error: ValidationError, place: Place, path: Path) -> list[Problem]:
    """Every mistake of a validation error, with its place below ``path``."""
    return [_to_problem(line, place, path) for line in error.errors(include_url=False)]


def _to_problem(line: ErrorDetails, place: Place, path: Path) -> Problem:
    loc = (*path, *line["loc"])
    kind = line["type"]
    if kind == "missing":
        return place.problem("this key is missing", loc, missing=True)
    if kind == "extra_forbidden":
        return place.problem(f"unknown key `{loc[-1]}`", loc, key=True)
    return place.problem(_words(line), loc)


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}

_RULES = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "literal_error": "must be one of {expected}",
    "finite_number": "must be a finite number",
    "string_too_short": "must not be empty",
}


def _words(line: ErrorDetails) -> str:
    kind, context = line["type"], line.get("ctx", {})
    if kind == RULE:
        return line["msg"]
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, got {_kind(line['input'])}"
    if kind in _RULES:
        return f"{_RULES[kind].format(**context)}, got {show_value(line['input'], 60)}"
    if kind == "too_short":
        return f"must have at least {context['min_length']} item{'s' if context['min_length'] > 1 else ''}"
    if kind == "too_long":
        return f"must have at most {context['max_length']} items"
    return line["msg"]


def _kind(value: Any) -> str:
    match value:
        case None:
            return "nothing (null)"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {show_value(value, 60)}"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return type(value).__name__
