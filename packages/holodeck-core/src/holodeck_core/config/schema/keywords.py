"""Parts that schemas are made of, and the way through them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

_MAPS: Final = ("properties", "patternProperties", "$defs")
_LISTS: Final = ("anyOf", "allOf", "oneOf")
_ONES: Final = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

VARIABLE: Final[Schema] = {"type": "string", "pattern": r"\$\{"}
"""Text with a variable in it, whose value nobody knows before the file is loaded."""


def ref(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def target(schema: Schema) -> str:
    """The name of the definition that a schema refers to; empty where it refers to none."""
    return str(schema.get("$ref", "")).removeprefix("#/$defs/")


def definition(kind: str, name: str) -> str:
    """The name of the definition of a contribution; names of plugins' contributions hold a `/`."""
    return f"{kind}.{name.replace('/', '.')}"


def any_case(word: str) -> str:
    """A pattern for an ASCII word in capital and small letters."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in word)


def changed(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """The schema with ``change`` made to every schema in it, the innermost first.

    Raises TypeError where something stands in the place of a schema that is none.
    """
    result = dict(schema)
    for key, value in schema.items():
        if key in _MAPS:
            result[key] = {name: _changed_part(part, change) for name, part in dict(value).items()}
        elif key in _LISTS:
            result[key] = [_changed_part(part, change) for part in value]
        elif key in _ONES:
            result[key] = _changed_part(value, change)
    return change(result)


def references(schema: Schema) -> set[str]:
    """The names of all definitions that a schema, or a part of it, refers to."""
    found: set[str] = set()

    def note(part: Schema) -> Schema:
        found.update({target(part)} - {""})
        return part

    changed(schema, note)
    return found


def _changed_part(part: Any, change: Callable[[Schema], Schema]) -> Any:
    if isinstance(part, bool):
        return part
    if not isinstance(part, dict):
        raise TypeError(f"a schema is a mapping, true or false, not {part!r}")
    return changed(part, change)


def branches(schema: Schema, definitions: Schema) -> Iterator[Schema]:
    """The schema and all others that say something about the very same value."""
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting.append(definitions.get(target(part)))
        waiting += [part.get("then"), part.get("else")]
        waiting += [below for key in _LISTS for below in part.get(key, ())]


def given(key: str) -> Schema:
    """A key is there; null is not there."""
    return {"required": [key], "properties": {key: {"not": {"type": "null"}}}}


def either(first: str, second: str, message: str) -> Schema:
    """One of two keys is there, or both; ``message`` is what editors may say where neither is."""
    return {"anyOf": [{**given(first), "errorMessage": message}, given(second)]}


def excludes(key: str, others: Mapping[str, str]) -> Schema:
    """Where a key is there, none of the others is; editors may say their messages."""
    absent = {other: {"type": "null", "errorMessage": message} for other, message in others.items()}
    return {"if": given(key), "then": {"properties": absent}}


def not_both(first: str, second: str) -> Schema:
    """At most one of two keys is there."""
    return excludes(first, {second: f"`{first}` and `{second}` exclude each other: keep one"})


def exactly_one(first: str, second: str) -> Schema:
    """One of two keys is there, and the other is not."""
    needs = either(first, second, f"needs `{first}` or `{second}`")
    return {"allOf": [needs, not_both(first, second)]}


def has_value(key: str, value: Any) -> Schema:
    """A key is there and has this value."""
    return {"required": [key], "properties": {key: {"const": value}}}


def by_value(key: str, cases: Mapping[str, Schema], otherwise: Schema | None = None) -> Schema:
    """A mapping whose other keys depend on the value of one."""
    parts: list[Schema] = [{"if": has_value(key, value), "then": then} for value, then in cases.items()]
    if otherwise is not None:
        parts.append({"if": {"properties": {key: {"not": {"enum": list(cases)}}}}, "then": otherwise})
    return {"type": "object", "required": [key], "allOf": parts}
