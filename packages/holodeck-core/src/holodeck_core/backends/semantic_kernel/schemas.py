"""JSON Schema: what fits one, and how a reply is asked for in its form.

Needs ``jsonschema``, which comes with the extra ``semantic-kernel``; it is imported when it is first used. What a model
says may take a while to be checked: that is done in a thread.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from holodeck_core.backends.semantic_kernel.patterns import NotDecided, is_pattern
from holodeck_core.text import shorten, show_value

_LONGEST: Final = 200
_MOST: Final = 3

# What OpenAI's structured outputs know; a schema with other keywords is asked for without their strictness.
_STRICT_KEYWORDS: Final = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"),
        *("$ref", "$defs", "definitions", "description", "title", "pattern", "format", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "$schema"),
    }
)
_OF_SCHEMAS: Final = frozenset({"properties", "$defs", "definitions"})


def schema_fault(schema: Any) -> tuple[tuple[str | int, ...], str] | None:
    """What makes this no JSON schema: where, and why; None where nothing does, or ``jsonschema`` is not installed."""
    try:
        from jsonschema import FormatChecker
        from jsonschema.exceptions import SchemaError, best_match
    except ModuleNotFoundError:
        return None
    from holodeck_core.backends.semantic_kernel.bounded import validator_class

    formats = FormatChecker(())
    formats.checks("regex")(lambda pattern: not isinstance(pattern, str) or is_pattern(pattern))
    validator = validator_class(schema)
    error: SchemaError | None = best_match(
        validator(validator.META_SCHEMA, format_checker=formats).iter_errors(schema)
    )
    return None if error is None else (tuple(error.absolute_path), f"no JSON schema: {_reason(error)}")


def reference_fault(schema: Mapping[str, Any]) -> tuple[tuple[str | int, ...], str] | None:
    """Which reference in a sound schema leads nowhere: where, and what is wrong; None where each leads to a part of it,
    or ``jsonschema`` is not installed."""
    try:
        from referencing import Registry
        from referencing.exceptions import Unresolvable
        from referencing.jsonschema import DRAFT202012, specification_with
    except ModuleNotFoundError:
        return None
    dialect = schema.get("$schema")
    known = specification_with(str(dialect), default=DRAFT202012) if dialect else DRAFT202012
    root = known.create_resource(schema)
    left = [(root, Registry().resolver_with_root(root))]
    while left:
        resource, resolver = left.pop()
        reference = resource.contents.get("$ref") if isinstance(resource.contents, Mapping) else None
        if isinstance(reference, str):
            try:
                found = resolver.lookup(reference).contents
            except (Unresolvable, ValueError):  # ValueError: a name in the place of an index
                found = None
            if not isinstance(found, Mapping | bool):
                why = f"no JSON schema: nothing in it is the `$ref` {show_value(reference, _LONGEST)}"
                return next(_places(schema, reference), ()), why
        left += [(part, resolver.in_subresource(part)) for part in resource.subresources()]
    return None


def _places(part: Any, reference: str) -> Iterator[tuple[str | int, ...]]:
    """Where the reference stands."""
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(part, Mapping):
        items = part.items()
        if part.get("$ref") == reference:
            yield ("$ref",)
    elif isinstance(part, list):
        items = enumerate(part)
    for key, value in items:
        for rest in _places(value, reference):
            yield key, *rest


def misfits(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Where and why ``value`` does not fit the schema; None where it does. Nothing is fetched from a network.

    Blocks: a value may be made to take long, which is given a few seconds.
    """
    from referencing.exceptions import Unresolvable

    from holodeck_core.backends.semantic_kernel.bounded import MOST_ERRORS, errors_of

    try:
        found = errors_of(value, schema)
    except Unresolvable as error:
        return f"the schema cannot be applied: {error}"
    except NotDecided as error:
        return str(error)
    except RecursionError:
        return "it is nested too deeply to be checked, or the schema refers to itself without an end"
    if not found:
        return None
    errors = sorted(found, key=lambda error: list(map(str, error.absolute_path)))
    told = [f"{_place(error.absolute_path)}: {_reason(error)}" for error in errors[:_MOST]]
    many = "many" if len(errors) == MOST_ERRORS else str(len(errors) - _MOST)
    return "; ".join([*told, f"and {many} more"] if len(errors) > _MOST else told)


def reply_fault(text: str, schema: Mapping[str, Any]) -> str | None:
    """Why the text of a reply is not JSON of this form; None where it is. Blocks, as ``misfits`` does."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return f"the reply is not JSON ({error}): {show_value(text, _LONGEST)}"
    why = misfits(value, schema)
    return None if why is None else f"the reply does not fit `response_format`: {why}"


def as_request(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The ``response_format`` of a request; None for a schema that providers do not take, as it is of no object."""
    if schema.get("type") != "object":
        return None
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", str(schema.get("title") or "reply")).strip("_")[:64]
    return {
        "type": "json_schema",
        "json_schema": {"name": name or "reply", "schema": dict(schema), "strict": is_strict(schema)},
    }


def is_strict(schema: Any) -> bool:
    """Whether a provider can keep a model to the schema: objects are closed, with every property required, and no
    keyword is used that structured outputs do not know."""
    return all(_closed(part) and part.keys() <= _STRICT_KEYWORDS for part in _parts(schema))


def _closed(schema: Mapping[str, Any]) -> bool:
    if schema.get("type") != "object" and "properties" not in schema:
        return True
    properties = schema.get("properties", {})
    return schema.get("additionalProperties") is False and set(properties) == set(schema.get("required", ()))


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """The schema and all schemas in it."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    for key, value in schema.items():
        if key in _OF_SCHEMAS and isinstance(value, Mapping):
            for part in value.values():
                yield from _parts(part)
        elif key in ("items", "additionalProperties"):
            yield from _parts(value)
        elif key == "anyOf" and isinstance(value, list):
            for part in value:
                yield from _parts(part)


def _place(path: Iterable[str | int]) -> str:
    told = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return shorten(told.removeprefix("."), _LONGEST) or "the whole"


def _reason(error: Any) -> str:
    return shorten(str(error.message), _LONGEST)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
