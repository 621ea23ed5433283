"""The schema of an expected value: a literal, in which matchers may stand at any depth. Pure.

These are the rules of ``holodeck_core.models.matcher_shape``, as far as a schema can say them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from holodeck_core.config.schema.keywords import Schema, any_case, ref
from holodeck_core.models.matcher_shape import MATCHER_NAMES, PLUGIN_NAME, SLIPS

MEANINGS: Final[Mapping[str, str]] = {
    "literal": "The value itself, in which nothing is a matcher.",
    "fuzzy": "Equal, ignoring case, white space and how numbers are written.",
    "regex": "The whole text matches a pattern of Python's `re`.",
    "any_of": "One of several values or matchers.",
    "unordered": "A list of these values or matchers, in any order.",
    "absent": "The argument is not given.",
    "contains": "A text with this part, a list with this item, a mapping with these keys.",
    "type": "Any value of one JSON type: integer, number, string, boolean, array or object.",
    "approx": "A number within `tolerance` of this one, or within a millionth of it.",
}
"""What each matcher that is known by its bare name accepts."""

EXAMPLES: Final[Mapping[str, Any]] = {
    "literal": {"regex": "a literal of this shape"},
    "fuzzy": "206,588",
    "regex": r"LM-\d{4}",
    "any_of": ["high", "urgent"],
    "unordered": [{"sku": "LAMP"}, {"sku": "WICK"}],
    "absent": True,
    "contains": "order",
    "type": "integer",
    "approx": 68.5,
}

_ONE_KEY: Final[Schema] = {"maxProperties": 1}
_IS_PLUGIN: Final = rf"^{PLUGIN_NAME.pattern}$"


def expected_value(installed: Mapping[str, str]) -> Schema:
    """The schema of one expected value, which is to be the definition ``expected``.

    ``installed`` are the names of all matchers, each with what it is.
    """
    plugin_matchers = {name: summary for name, summary in installed.items() if "/" in name}
    return {
        "title": "Expected value",
        "description": "What a value must be: itself, or a matcher, which may also stand anywhere inside of it.",
        "examples": [17, {"fuzzy": "206,588"}],
        "properties": _properties(plugin_matchers),
        "items": ref("expected"),
        "if": {"type": "object", "maxProperties": 1, "anyOf": [{"required": ["literal"]}, _HAS_PLUGIN_KEY]},
        "then": _known(plugin_matchers),
        "else": {"additionalProperties": ref("expected")},
        "allOf": [
            _alone("fuzzy"),
            _alone("regex"),
            _plugin_alone(),
            _operands(),
            _tolerance(),
            _no_slip(),
        ],
    }


def _properties(plugin_matchers: Mapping[str, str]) -> Schema:
    named = {name: {"description": text, "examples": [EXAMPLES[name]]} for name, text in MEANINGS.items()}
    return named | {name: {"description": text} for name, text in plugin_matchers.items()}


_HAS_PLUGIN_KEY: Final[Schema] = {"not": {"propertyNames": {"not": {"pattern": _IS_PLUGIN}}}}


def _known(plugin_matchers: Mapping[str, str]) -> Schema:
    """A sole key that is a plugin's is that of one which is installed."""
    message = "no installed plugin has this matcher; a literal with such a key is written {literal: {…}}"
    return {"propertyNames": {"enum": ["literal", *plugin_matchers], "errorMessage": message}}


def _alone(name: str) -> Schema:
    only = {"const": name, "errorMessage": f"`{name}` makes this a matcher, which has no other keys"}
    return {"if": {"type": "object", "required": [name]}, "then": {"propertyNames": only}}


def _plugin_alone() -> Schema:
    message = "a key `plugin/name` makes this a matcher, which has no other keys"
    only = {"pattern": _IS_PLUGIN, "patternErrorMessage": message}
    return {"if": {"type": "object", **_HAS_PLUGIN_KEY}, "then": {**_ONE_KEY, "propertyNames": only}}


def _operands() -> Schema:
    """What the matchers that are known by their key take."""
    return {
        "if": {"type": "object", **_ONE_KEY},
        "then": {
            "properties": {
                "fuzzy": {"type": ["string", "number", "boolean"]},
                "regex": {"type": "string"},
                "any_of": {"minItems": 1},
            }
        },
    }


def _tolerance() -> Schema:
    keys = ("approx", "tolerance")
    both = {"required": list(keys), "properties": {key: {"type": "number"} for key in keys}}
    return {
        "if": {"type": "object", "maxProperties": 2, **both},
        "then": {"properties": {"tolerance": {"minimum": 0}}},
    }


def _no_slip() -> Schema:
    """A sole key that looks like a slip is refused."""
    exact = "|".join(sorted(MATCHER_NAMES))
    slips = "|".join([*sorted(SLIPS), *map(any_case, sorted(MATCHER_NAMES))])
    message = f"no matcher has this name: they are {', '.join(sorted(MATCHER_NAMES))}"
    name = {"pattern": f"^(?:{exact})$|^(?!(?:{slips})$)", "patternErrorMessage": message}
    return {"if": {"type": "object", **_ONE_KEY}, "then": {"propertyNames": name}}
