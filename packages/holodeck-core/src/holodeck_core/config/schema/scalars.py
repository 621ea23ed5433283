"""What the reader and the models take for a number, for true and false, and for text. Pure.

A number may be spelled as text (`"3"`), and any text may hold a variable (`${RETRIES}`), which stands for text.
Where the models want text that the reader takes from the source (see ``shapes``), a number is text as well.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from holodeck_core.config.reading.shapes import Shape
from holodeck_core.config.schema.keywords import VARIABLE, Schema, any_case, branches, changed, ref

_DIGITS = "[0-9](?:_?[0-9])*"
_WHOLE = rf"\s*[-+]?{_DIGITS}(?:\.0*)?\s*"
_NUMBER = rf"\s*[-+]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?\s*"
_WORDS = ("true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "1", "0")


def _spelled(types: list[str], pattern: str, message: str, **further: Any) -> Schema:
    return {
        "type": [*types, "string"],
        "pattern": rf"^(?:{pattern})$|\$\{{",
        "patternErrorMessage": message,
        **further,
    }


SCALARS: Final[dict[str, Schema]] = {
    "whole_number": _spelled(["integer"], _WHOLE, "expected a whole number"),
    "number": _spelled(["number"], _NUMBER, "expected a number"),
    "boolean": _spelled(
        ["boolean", "integer"],
        "|".join(map(any_case, _WORDS)),
        "expected true or false",
        minimum=0,
        maximum=1,
    ),
    "variable": VARIABLE,
}
"""Definitions that every schema of a file has."""

_NAMES: Final = {"integer": "whole_number", "number": "number", "boolean": "boolean"}
_BOUNDS: Final = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def with_bounds(schema: Schema) -> Schema:
    """pydantic's bounds of optional numbers, in the words of JSON Schema."""
    return changed(schema, lambda part: {_BOUNDS.get(key, key): value for key, value in part.items()})


def as_written(schema: Schema) -> Schema:
    """The schema of values as they may stand in a file, from that of values as the models hold them."""
    return changed(with_bounds(schema), _as_written)


def _as_written(schema: Schema) -> Schema:
    kind = schema.get("type")
    if kind in _NAMES:
        return ref(_NAMES[kind]) | {key: value for key, value in schema.items() if key != "type"}
    if "enum" in schema:
        further = {key: value for key, value in schema.items() if key not in ("enum", "type")}
        return {"anyOf": [{"enum": schema["enum"]}, ref("variable")], **further}
    if "anyOf" in schema:
        parts = [part["anyOf"] if list(part) == ["anyOf"] else [part] for part in schema["anyOf"]]
        return {**schema, "anyOf": [*chain.from_iterable(parts)]}
    return schema


def mark_text(schema: Schema, shape: Shape, definitions: Schema) -> None:
    """Let numbers, true and false stand, in place, wherever the reader takes a scalar as text."""
    for part in branches(schema, definitions):
        if shape.text and part.get("type") == "string":
            part["type"] = ["string", "number", "boolean"]
        for name, below in part.get("properties", {}).items():
            _mark_below(below, shape, shape.fields.get(name, shape.other), definitions)
        for key, child in (("items", shape.items), ("additionalProperties", shape.other)):
            _mark_below(part.get(key), shape, child, definitions)


def _mark_below(schema: Any, shape: Shape, child: Shape, definitions: Schema) -> None:
    if isinstance(schema, dict) and child is not shape and child.leads_to_text:
        mark_text(schema, child, definitions)
