"""The execution settings in force: each of them from the first level that sets it. Pure.

The levels are the command line, the agent file, the project file, the user's file, the environment
(``HOLODECK_LLM_TIMEOUT`` and so on, one variable a setting), and last ``DEFAULT_EXECUTION_CONFIG``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import attrs

from holodeck_core.api.settings import ResolvedSettings
from holodeck_core.config.messages.validate import validate
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import Problem
from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG, ExecutionConfig

PREFIX: Final = "HOLODECK_"


@attrs.frozen
class Level:
    """What one level sets: a field that is None is not set there. ``origin`` says where a field is."""

    values: ExecutionConfig
    origin: Callable[[str], str]


def resolve_settings(levels: Iterable[Level]) -> ResolvedSettings:
    """Merge the levels, nearest first, field by field; the defaults come last."""
    levels = (*levels, Level(ExecutionConfig.model_validate(DEFAULT_EXECUTION_CONFIG), lambda _: "default"))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name in ExecutionConfig.model_fields:
        level = next(level for level in levels if getattr(level.values, name) is not None)
        values[name] = getattr(level.values, name)
        origins[name] = level.origin(name)
    return ResolvedSettings(**values, origins=origins)


def command_line_level(
    settings: ExecutionConfig | Mapping[str, Any] | None, problems: list[Problem]
) -> Level | None:
    """The settings that the caller gives, which go before all others."""
    if isinstance(settings, ExecutionConfig):
        return Level(settings, lambda _: "command line")
    place = _NoFile(lambda name: f"settings.{name}")
    values = validate(ExecutionConfig, dict(settings or {}), place, (), problems)
    return None if values is None else Level(values, lambda _: "command line")


def environment_level(
    values: Mapping[str, str], places: Mapping[str, str], problems: list[Problem]
) -> Level | None:
    """The settings in ``HOLODECK_…`` variables; one that is empty is not set.

    ``places`` has ``file:line`` for the variables that a file sets.
    """

    def origin(name: str) -> str:
        variable = variable_of(name)
        return f"{variable} ({places[variable]})" if variable in places else variable

    given = {
        name: text
        for name in ExecutionConfig.model_fields
        if (text := values.get(variable_of(name), "").strip())
    }
    level = validate(ExecutionConfig, given, _NoFile(origin), (), problems)
    return None if level is None else Level(level, origin)


def variable_of(name: str) -> str:
    """The variable of the environment that sets a field."""
    return f"{PREFIX}{name.upper()}"


@attrs.frozen
class _NoFile:
    """The place of settings that stand in no file: each is shown by a name of its own."""

    show: Callable[[str], str]

    def problem(
        self, message: str, path: DocumentPath = (), *, key: bool = False, missing: bool = False
    ) -> Problem:
        return Problem(message, path=self.show(str(path[0])))
