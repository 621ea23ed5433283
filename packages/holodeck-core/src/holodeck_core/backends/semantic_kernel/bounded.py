"""``jsonschema``, held to a time: a reply of a model decides how much work a schema makes, and may mean it.

Alternatives in a schema that refers to itself double with each level of the reply, unique items are compared each with
each, and patterns are searched for by ``re``. So each keyword looks at the clock, items are compared by their hash, and
patterns are those of ``patterns.py`` (but for those that ``unevaluatedProperties`` looks for). Needs ``jsonschema``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from itertools import islice
from time import thread_time
from typing import Any, Final, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend, validator_for
from referencing import Registry

from holodeck_core.backends.semantic_kernel.patterns import NotDecided, is_found, needs_a_process

CHECK_SECONDS: Final = 2.0
MOST_ERRORS: Final = 1000
# So many calls must still fit on the stack, or the check is given up: `jsonschema` keeps its types and references in
# tables that are written in Rust, and those end with a panic, and not with RecursionError, where the stack does.
_SPARE_CALLS: Final = 40
# What a search in another process is reckoned at.
_A_PROCESS_S: Final = 0.1

_Check: TypeAlias = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
_end: ContextVar[list[float]] = ContextVar("end")


def validator_class(schema: Any) -> Any:
    """The class of validators that ``$schema`` names."""
    named = isinstance(schema, Mapping) and isinstance(schema.get("$schema"), str)
    return validator_for(schema, default=Draft202012Validator) if named else Draft202012Validator


def errors_of(value: Any, schema: Mapping[str, Any]) -> list[ValidationError]:
    """What of the value does not fit the schema; of very many misfits the first ones. Nothing is fetched anywhere.

    Blocks for ``CHECK_SECONDS`` of this thread's processor time at most, then raises NotDecided. Raises Unresolvable
    for a reference that leads nowhere, and RecursionError for what is nested too deeply.
    """
    rest = {
        key: part for key, part in schema.items() if key != "$schema"
    }  # it would lead back to the class as it was
    judge = _timed_class(validator_class(schema))(rest, registry=Registry())
    token = _end.set([thread_time() + CHECK_SECONDS])
    try:
        return list(islice(judge.iter_errors(value), MOST_ERRORS))
    finally:
        _end.reset(token)


@cache
def _timed_class(base: Any) -> Any:
    checks: dict[str, _Check] = dict(base.VALIDATORS)
    checks |= {"pattern": _pattern, "patternProperties": _pattern_properties, "uniqueItems": _unique_items}
    checks["additionalProperties"] = _of_no_pattern(checks["additionalProperties"])
    return extend(base, {keyword: _timed(check) for keyword, check in checks.items()})


def _timed(check: _Check) -> _Check:
    def timed(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if thread_time() > _end.get()[0]:
            raise NotDecided(f"it could not be checked within {CHECK_SECONDS:g} s")
        _descend(_SPARE_CALLS)
        yield from check(validator, wanted, instance, schema) or ()

    return timed


def _descend(calls: int) -> None:
    """Raises RecursionError where so many calls do not fit on the stack."""
    if calls:
        _descend(calls - 1)


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, schema in patterns.items():
            for name, value in instance.items():
                if _found(pattern, name):
                    yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _of_no_pattern(check: _Check) -> _Check:
    """The check, asked about the properties that match no pattern."""

    def checked(
        validator: Any, wanted: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterable[ValidationError] | None:
        patterns = schema.get("patternProperties", {})
        if patterns and isinstance(instance, dict):
            instance = {
                name: value
                for name, value in instance.items()
                if not any(_found(pattern, name) for pattern in patterns)
            }
            schema = {key: part for key, part in schema.items() if key != "patternProperties"}
        return check(validator, wanted, instance, schema)

    return checked


def _unique_items(_: Any, wanted: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list) and len(set(map(_hashable, instance))) < len(instance):
        yield ValidationError(f"{instance!r} has non-unique elements")


def _hashable(value: Any) -> Any:
    """Equal for JSON values that are equal: 1 and 1.0 are, 1 and true are not."""
    match value:
        case bool():
            return bool, value
        case list():
            return tuple(map(_hashable, value))
        case dict():
            return frozenset((key, _hashable(item)) for key, item in value.items())
        case _:
            return value


def _found(pattern: str, text: str) -> bool:
    if needs_a_process(pattern):
        _end.get()[0] -= _A_PROCESS_S
    return is_found(pattern, text)
