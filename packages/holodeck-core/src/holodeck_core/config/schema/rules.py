"""What the models check in code, as far as a schema can say it. Pure."""

from __future__ import annotations

from typing import Final

from holodeck_core.config.schema.keywords import Schema, either, exactly_one, excludes, given, not_both, ref
from holodeck_core.models.matcher_shape import PLUGIN_NAME
from holodeck_core.models.test_case import KEYS_OF_A_TURN

_NAME_PARTS: Final = r"^[^.\[\]]+$"
# A bare name may be an alias of the file; where it has none, `known_names` refuses it.
_GRADER: Final = rf"^[^\s:/]+:[^\s:/.]+$|^{PLUGIN_NAME.pattern}$|^[a-z][a-z0-9]*([_-][a-z0-9]+)*$|\$\{{"


def _input_or_turns() -> Schema:
    beside = {
        key: f"`turns` and `{key}` exclude each other: `{key}` belongs to a turn" for key in KEYS_OF_A_TURN
    }
    needs = either("input", "turns", "needs `input` (one turn) or `turns` (several)")
    return {"allOf": [needs, excludes("turns", beside)]}


def _mcp_transport() -> Schema:
    started = {"properties": {"transport": {"const": "stdio"}}}
    reached = {"required": ["transport"], "properties": {"transport": {"enum": ["sse", "http", "websocket"]}}}
    return {
        "allOf": [{"if": started, "then": given("command")}, {"if": reached, "then": given("url")}],
    }


RULES: Final[dict[str, Schema]] = {
    "Agent": {
        "patternProperties": {"^x-": {"description": "Your own; it is ignored. Anchors may live here."}},
        "allOf": [not_both("test_cases", "test_cases_file")],
    },
    "Instructions": exactly_one("inline", "file"),
    "FunctionTool": exactly_one("file", "module"),
    "PromptTool": exactly_one("template", "file"),
    "FileInput": exactly_one("path", "url"),
    "MCPTool": _mcp_transport(),
    "TestCaseModel": _input_or_turns(),
}
"""What is added to the schema of a model, by its name."""

_ARGS: Final[Schema] = {
    "type": "object",
    "propertyNames": {"pattern": _NAME_PARTS, "errorMessage": "an argument name has no `.`, `[` or `]`"},
    "additionalProperties": ref("expected"),
}
_NULL: Final[Schema] = {"type": "null"}


def _tool_names(model: str) -> Schema:
    name_or_more = {"anyOf": [{"type": "string", "pattern": r"\S"}, ref(model)]}
    return {"anyOf": [{"type": "array", "items": name_or_more}, _NULL]}


_METRICS: Final[Schema] = {"type": "array", "items": ref("metric")}
_OF_A_TURN: Final[dict[str, Schema]] = {
    "expected_tools": _tool_names("ExpectedTool"),
    "forbidden_tools": _tool_names("ForbiddenTool"),
    "evaluations": {"anyOf": [_METRICS, _NULL]},
}

FIELDS: Final[dict[str, dict[str, Schema]]] = {
    "Agent": {
        "model": ref("model"),
        "tools": {"anyOf": [{"type": "array", "items": ref("tool")}, _NULL]},
        "execution": {"anyOf": [ref("ExecutionConfig"), _NULL]},
        "plugins": {"anyOf": [ref("PluginsConfig"), _NULL]},
    },
    "EvaluationConfig": {"metrics": _METRICS},
    "Turn": _OF_A_TURN,
    "TestCaseModel": {
        **_OF_A_TURN,
        "conversation": {"anyOf": [{"type": ["string", "number"], "minLength": 1}, _NULL]},
    },
    "ExpectedTool": {
        "args": {"anyOf": [_ARGS, _NULL]},
        "result": ref("expected"),
        "count": {**ref("whole_number"), "minimum": 1},
        "max_count": {"anyOf": [{**ref("whole_number"), "minimum": 1}, _NULL]},
    },
    "CodeMetric": {
        "grader": {
            "type": "string",
            "pattern": _GRADER,
            "patternErrorMessage": "a grader is `module.path:callable`, or `plugin/name`",
        }
    },
}
"""What a field accepts, where its own schema says less, by model and field."""
