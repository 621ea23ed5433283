"""Which names of plugins' contributions a file may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from holodeck_core.config.schema.installed import Installed
from holodeck_core.config.schema.keywords import Schema, has_value, ref

_HAS_ALIASES: Final[Schema] = {
    "required": ["plugins"],
    "properties": {
        "plugins": {
            "type": "object",
            "required": ["aliases"],
            "properties": {"aliases": {"type": "object", "minProperties": 1}},
        }
    },
}


def known_names(metrics: list[Installed], backends: list[Installed], graders: Mapping[str, str]) -> Schema:
    """Every metric, grader and provider of the file is an installed one.

    In a file with aliases any name may be one of these, and nothing is said. A metric that is switched off need not be
    installed.
    """
    items = {"items": _metric(metrics, graders)}
    case = {"properties": {"evaluations": items, "turns": {"items": {"properties": {"evaluations": items}}}}}
    providers = _choice((each.name, each.summary) for each in backends)
    return {
        "if": _HAS_ALIASES,
        "else": {
            "properties": {
                "model": {"properties": {"provider": providers}},
                "evaluations": {"properties": {"metrics": items}},
                "test_cases": {"items": case},
            }
        },
    }


def _metric(metrics: list[Installed], graders: Mapping[str, str]) -> Schema:
    types = [("standard", "a metric that `metric` names")]
    types += [(each.name, each.summary) for each in metrics if each.is_type]
    standard = _choice((each.name, each.summary) for each in metrics if each.is_standard)
    own_grader: Schema = {"type": "string", "pattern": ":"}
    return {
        "if": {"properties": {"enabled": {"const": True}}},
        "then": {
            "properties": {"type": _choice(types)},
            "allOf": [
                {"if": has_value("type", "standard"), "then": {"properties": {"metric": standard}}},
                {
                    "if": has_value("type", "code"),
                    "then": {"properties": {"grader": _choice(graders.items(), own_grader)}},
                },
            ],
        },
    }


def _choice(choices: Iterable[tuple[str, str]], *others: Schema) -> Schema:
    """One of several names, each with what it means, or a variable."""
    named = [{"const": name, "description": meaning} for name, meaning in choices]
    return {"anyOf": [*named, *others, ref("variable")]}
