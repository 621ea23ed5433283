"""One expected argument value: which matcher, and what it compares with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from pydantic import GetCoreSchemaHandler, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import InitErrorDetails, core_schema

from holodeck_core.models.base import gathered, problem, rule
from holodeck_core.models.matcher_shape import (
    reads_as_alias,
    reads_as_matchers,
    shape_of,
    shape_problems,
)


class ArgMatcher:
    """An expected value as written in the file. Nothing is resolved here: matchers are built when the suite is bound.

    ``kind`` is ``"literal"``, another matcher's name, or ``"plugin/name"``; ``value`` is what is under it.
    ``verbatim`` is True for a literal written as `{literal: X}` in which something would otherwise be read
    as a matcher, or could be by an alias; in any other literal, matchers may stand at any depth. Instances
    compare by these three.
    """

    __slots__ = ("kind", "value", "verbatim")

    def __init__(self, kind: str, value: Any, verbatim: bool = False) -> None:
        self.kind: Final = kind
        self.value: Final = value
        self.verbatim: Final = verbatim

    @classmethod
    def from_yaml(cls, value: Any) -> ArgMatcher:
        """Read the YAML value. Raises pydantic's ValidationError with every problem, each at its place."""
        if isinstance(value, ArgMatcher):
            return value
        if problems := _problems(value, ()):
            raise gathered("ArgMatcher", problems)
        return _read(value)

    def to_yaml(self) -> Any:
        """The value as it stands in a file: ``ArgMatcher.from_yaml`` makes an equal matcher of it."""
        if self.kind == "literal":
            return {"literal": self.value} if self.verbatim else self.value
        if self.kind == "approx" and isinstance(self.value, dict):
            return self.value
        return {self.kind: self.value}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ArgMatcher):
            return NotImplemented
        return (self.kind, self.value, self.verbatim) == (other.kind, other.value, other.verbatim)

    __hash__ = None  # type: ignore[assignment]  # the value may be a list or a mapping

    def __repr__(self) -> str:
        return f"ArgMatcher({self.to_yaml()!r})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.from_yaml,
            serialization=core_schema.plain_serializer_function_ser_schema(
                cls.to_yaml, return_schema=core_schema.any_schema()
            ),
            json_schema_input_schema=core_schema.any_schema(),
        )


_FORBIDDEN = frozenset(".[]")
_BAD_NAME = (
    "an argument name is not empty and has no `.`, `[` or `]`; "
    "to look inside an argument, write its value as a mapping or a list"
)
_SCALARS = frozenset({str, int, bool, type(None)})


def can_name_argument(name: str) -> bool:
    """Whether an argument of this name can stand in `args`."""
    return bool(name) and _FORBIDDEN.isdisjoint(name)


def _problems(value: Any, path: tuple[str | int, ...]) -> list[InitErrorDetails]:
    if type(value) in _SCALARS:
        return []
    return [problem((*path, *below), message, value) for below, message in shape_problems(value)]


def _read(value: Any) -> ArgMatcher:
    shape = shape_of(value)
    if shape is None:
        return ArgMatcher("literal", value)
    kind, operand = shape
    verbatim = kind == "literal" and (reads_as_matchers(operand) or reads_as_alias(operand))
    return ArgMatcher(kind, operand, verbatim)


def _args(value: Any, handler: ValidatorFunctionWrapHandler) -> dict[str, ArgMatcher]:
    """Read all arguments in one go: a suite may hold hundreds of thousands of them."""
    if not isinstance(value, Mapping):
        raise rule("`args` is a mapping of argument names to expected values")
    problems: list[InitErrorDetails] = []
    matchers: dict[str, ArgMatcher] = {}
    for name, expected in value.items():
        if not isinstance(name, str):
            problems.append(problem((), f"the argument name {name!r} must be text: quote it"))
            continue
        if not can_name_argument(name):
            problems.append(problem((name,), _BAD_NAME))
        if isinstance(expected, ArgMatcher):
            matchers[name] = expected
            continue
        found = _problems(expected, (name,))
        if found:
            problems += found
        else:
            matchers[name] = _read(expected)
    if problems:
        raise gathered("args", problems)
    return matchers


ArgMatchers: TypeAlias = Annotated[dict[str, ArgMatcher], WrapValidator(_args)]
