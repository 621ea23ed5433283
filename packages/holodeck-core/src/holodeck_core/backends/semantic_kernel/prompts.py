"""Prompt templates: ``{{$name}}`` stands for a parameter. Pure.

Everything else is sent as it stands, other braces included, and what a parameter holds is not looked at again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_PLACEHOLDER: Final = re.compile(r"\{\{[ \t]*\$([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}")


def placeholders(template: str) -> list[str]:
    """The names of the parameters that a template uses, each once, in order."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(template)))


def fill(template: str, values: Mapping[str, Any]) -> str:
    """The template with its parameters in place: texts as they are, other values as JSON. One without a value is
    empty."""
    return _PLACEHOLDER.sub(lambda match: text_of_value(values.get(match[1], "")), template)


def text_of_value(value: Any) -> str:
    """A JSON value as a model reads it: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parameters_schema(template: str, declared: Mapping[str, Any] | None) -> dict[str, Any]:
    """The JSON schema of the arguments: those that are declared, or a text for each that the template uses.

    All are required but those whose schema has a ``default``.
    """
    properties = (
        {name: {"type": "string"} for name in placeholders(template)} if declared is None else dict(declared)
    )
    required = [name for name, schema in properties.items() if not _has_default(schema)]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def with_defaults(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, and the defaults of those that were left out."""
    declared: Mapping[str, Any] = schema["properties"]
    defaults = {name: part["default"] for name, part in declared.items() if _has_default(part)}
    return {**defaults, **arguments}


def _has_default(schema: Any) -> bool:
    return isinstance(schema, Mapping) and "default" in schema
