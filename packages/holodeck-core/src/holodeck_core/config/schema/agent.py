"""The schema of the agent file."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from holodeck_core.config.reading.shapes import AGENT
from holodeck_core.config.schema.installed import Installed, installed, names
from holodeck_core.config.schema.keywords import (
    DIALECT,
    Schema,
    by_value,
    definition,
    given,
    has_value,
    ref,
    target,
)
from holodeck_core.config.schema.known_names import known_names
from holodeck_core.config.schema.matchers import expected_value
from holodeck_core.config.schema.models import ModelSchemas
from holodeck_core.config.schema.rules import FIELDS, RULES
from holodeck_core.config.schema.scalars import SCALARS, as_written, mark_text
from holodeck_core.models.agent import Agent
from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG
from holodeck_core.plugins.host import PluginHost

_ABOUT: Final = ("description", "examples", "default")
_STRUCTURE: Final = ("title", "description", "type", "properties", "required", "additionalProperties")


def agent_schema(host: PluginHost) -> Schema:
    """The JSON Schema of the agent file, with what the installed plugins contribute.

    It accepts every file that loads, and refuses what can be told from the file alone. Broken plugins add nothing.
    """
    schemas = ModelSchemas(as_written)
    agent = schemas.of(Agent)
    metrics = list(installed(host, "metric", schemas))
    backends = list(installed(host, "backend", schemas))
    expected = expected_value(names(host, "matcher"))
    parts = {**schemas.definitions, **deepcopy(SCALARS), "expected": expected}
    tool_types = _by_type(agent["properties"]["tools"]["anyOf"][0], parts)
    metric_types = _by_type(parts["EvaluationConfig"]["properties"]["metrics"], parts)
    for kind in metric_types.keys() - {"standard", *(metric.name for metric in metrics)}:
        del parts[target(metric_types.pop(kind))]
    _apply_rules({**parts, "Agent": agent})
    parts |= _tools(tool_types)
    parts |= _metrics(metrics, metric_types, parts["PluginMetric"])
    parts |= _models(backends, parts["LLMProvider"])
    agent["allOf"] += [known_names(metrics, backends, names(host, "grader")), *_instructions(backends)]
    mark_text(agent, AGENT, parts)
    return {
        "$schema": DIALECT,
        "$id": "urn:holodeck:agent-file",
        "$comment": "Made by `holodeck schema` for the plugins that are installed; make it again when they change.",
        **agent,
        "title": "HoloDeck agent file",
        "$defs": dict(sorted(parts.items())),
    }


def _apply_rules(models: Schema) -> None:
    """Add to the schemas of the core's models, in place, what these check in code."""
    for model, rules in deepcopy(RULES).items():
        models[model] |= rules
    for model, fields in deepcopy(FIELDS).items():
        properties = models[model]["properties"]
        for name, accepted in fields.items():
            about = {key: properties[name][key] for key in _ABOUT if key in properties[name]}
            properties[name] = accepted | about
    for key, value in DEFAULT_EXECUTION_CONFIG.items():
        models["ExecutionConfig"]["properties"][key]["default"] = value


def _by_type(items: Schema, parts: Schema) -> dict[str, Schema]:
    """The models that a list may hold, by their `type`, which is made a key that must be there."""
    found = {}
    for model in items["items"]["anyOf"]:
        part = parts[target(model)]
        kind = part["properties"]["type"]
        if "const" in kind:
            del kind["default"]
            part["required"] = ["type", *part["required"]]
            found[kind["const"]] = model
    return found


def _tools(types: dict[str, Schema]) -> Schema:
    kind = {"anyOf": [{"enum": list(types)}, ref("variable")], "description": "What kind of tool it is."}
    return {"tool": {**by_value("type", types), "properties": {"type": kind}}}


def _metrics(metrics: list[Installed], types: dict[str, Schema], base: Schema) -> Schema:
    """The definition ``metric``, which depends on `type`, and those of the metrics that are known as a type."""
    own = {
        metric.name: _with_options(metric, base, shared=base)
        for metric in metrics
        if metric.is_type and metric.name not in types
    }
    by_type = {**types, **{name: ref(definition("metric", name)) for name in own}}
    return {
        "metric": by_value("type", by_type, otherwise=ref("PluginMetric")),
        **{definition("metric", name): schema for name, schema in own.items()},
    }


def _models(backends: list[Installed], base: Schema) -> Schema:
    """The definition ``model``, which depends on `provider`, and those of the providers."""
    own = {backend.name: _with_options(backend, base, shared=backend.options or {}) for backend in backends}
    by_provider = {name: ref(definition("model", name)) for name in own}
    return {
        "model": by_value("provider", by_provider, otherwise=ref("LLMProvider")),
        **{definition("model", name): schema for name, schema in own.items()},
    }


def _with_options(each: Installed, base: Schema, *, shared: Schema) -> Schema:
    """The keys of ``base`` and those of the options; ``shared`` says what a key is that both have."""
    options = each.options or {}
    properties = {**base["properties"], **options.get("properties", {}), **shared.get("properties", {})}
    return {
        **{key: value for key, value in options.items() if key not in _STRUCTURE},
        "title": each.name,
        "description": each.summary,
        "type": "object",
        "properties": properties,
        "required": list(dict.fromkeys([*base["required"], *options.get("required", [])])),
        "additionalProperties": options.get("additionalProperties", True),
    }


def _instructions(backends: list[Installed]) -> list[Schema]:
    """Providers that send a system prompt need one."""
    return [
        {
            "if": {"required": ["model"], "properties": {"model": has_value("provider", backend.name)}},
            "then": given("instructions"),
        }
        for backend in backends
        if backend.needs_instructions
    ]
