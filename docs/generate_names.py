"""The page of the public names, from their docstrings; ``generate.py`` writes it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any, Final

import holodeck_core
from holodeck_core.config.schema.attribute_docs import first_paragraph

_INTRODUCTION: Final = """\
# Public names

Written by `python docs/generate.py` from the docstrings. Everything here is imported from `holodeck_core`, and costs
its import when it is first used; `help(name)` shows more. [Compatibility](../compatibility.md) says what is
promised about these names.
"""

_SECTIONS: Final = {
    "Suites and runs": ("config.load", "build", "engine.start", "engine.run", "api.suite", "api.settings"),
    "Agents": ("api.reply", "api.backend"),
    "Graders, metrics and matchers": (
        "api.grader",
        "api.metric",
        "api.matcher",
        "api.literal",
        "api.tool_checks",
    ),
    "Reporters, events and validators": ("api.reporter", "api.events", "api.validator"),
    "Results": ("models.test_result", "models.token_usage"),
    "Agent files": (
        "models.agent",
        "models.llm",
        "models.tool",
        "models.test_case",
        "models.evaluation",
        "models.config",
    ),
    "Conversations in a chat": ("models.chat", "models.chat_history", "models.tool_execution"),
    "Plugins": ("plugins.contribution", "plugins.hookspecs", "plugins.host"),
    "Errors": ("errors",),
    "Values and text": ("api.values", "text"),
}

# What has no docstring of its own.
_VALUES: Final = {
    "ABSENT": "Stands for an argument that was not given, where a matcher accepts that.",
    "DEFAULT_EXECUTION_CONFIG": "The execution settings that hold where nothing sets them.",
    "Grader": "A function of `GraderContext` that gives a `GraderResult`, a bool or a number, or an awaitable of one.",
    "JsonValue": "What JSON can hold.",
    "MetricType": "Any of the models of metrics, for annotations.",
    "ReplyEvent": "Any of the events of a reply, for annotations.",
    "RunEvent": "Any of the events of a run, for annotations.",
    "ToolType": "Any of the models of tools, for annotations.",
    "hookimpl": "Marks a function of a plugin as the implementation of the hook of its name.",
}


def page() -> str:
    """The whole page. Raises ValueError for a module whose names have no section."""
    homes: dict[str, tuple[str, ...]] = holodeck_core._HOMES
    if missing := set(homes) - {home for section in _SECTIONS.values() for home in section}:
        raise ValueError(f"no section for the names of {', '.join(sorted(missing))}")
    parts = [_INTRODUCTION]
    for title, section in _SECTIONS.items():
        parts += [f"## {title}\n", "| name | what it is |", "| --- | --- |"]
        parts += [_row(name, home) for home in section for name in homes[home]]
        parts.append("")
    return "\n".join(parts)


def _row(name: str, home: str) -> str:
    value = getattr(importlib.import_module(f"holodeck_core.{home}"), name)
    return f"| `{name}` | {_about(name, value).replace('|', chr(92) + '|')} |"


def _about(name: str, value: Any) -> str:
    if inspect.isclass(value) and value.__name__ != name:
        return f"Another name of `{value.__name__}`."
    if name in _VALUES:
        return _VALUES[name]
    if not (inspect.isclass(value) or inspect.isfunction(value)) or not value.__doc__:
        raise ValueError(f"nothing says what {name} is")
    return next(_sentences(first_paragraph(value.__doc__)))


def _sentences(text: str) -> Iterator[str]:
    """The first sentence: the text up to a full stop before a capital letter or the end."""
    for position, character in enumerate(text):
        rest = text[position + 1 :]
        if character == "." and (
            not rest.strip() or (rest[0] == " " and (rest[1].isupper() or rest[1] == "`"))
        ):
            yield text[: position + 1]
            return
    yield text
