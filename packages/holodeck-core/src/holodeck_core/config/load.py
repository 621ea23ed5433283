"""From an agent file to a suite that is ready to run.

Load checks the shapes of everything; bind resolves every name. Both gather what is wrong, and all of it is raised at
once: nothing is sent to an agent before its whole configuration, the case file included, has been found right.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holodeck_core.api.suite import Suite
from holodeck_core.config.binding.agent_sections import read_sections
from holodeck_core.config.binding.suite import Unbound, bind_suite
from holodeck_core.config.reading.read import read_document
from holodeck_core.config.reading.shapes import AGENT
from holodeck_core.config.settings.concealed import as_told
from holodeck_core.config.settings.env_file import read_env_file
from holodeck_core.config.settings.resolve import command_line_level, environment_level, resolve_settings
from holodeck_core.config.settings.settings_files import (
    file_level,
    find_project_file,
    find_user_file,
    read_settings_file,
)
from holodeck_core.config.settings.variables import Variables
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.models.config import ExecutionConfig
from holodeck_core.plugins.host import PluginHost


def load_suite(
    path: str | os.PathLike[str],
    *,
    settings: ExecutionConfig | Mapping[str, Any] | None = None,
    plugins: PluginHost | None = None,
    env_file: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
    to_run: bool = True,
) -> Suite:
    """Read an agent file, check all of it and bind it.

    ``settings`` are execution settings that go before those of all files. ``plugins`` is the host that resolves names;
    by default one is made with what the file says under ``plugins``. ``env_file`` names a file of ``NAME=VALUE`` lines
    for variables that ``environ`` (by default the environment of the process) does not set; neither it nor any other
    is read unless it is named, and the environment of the process stays as it is. What this machine lacks to run the
    agent, such as a package or a key, is a mistake; with ``to_run=False`` it is a warning.

    Raises ConfigError with every mistake found.
    """
    file = Path(path)
    environ = os.environ if environ is None else environ
    from_file = {} if env_file is None else read_env_file(Path(env_file))
    variables = Variables({**{name: entry.value for name, entry in from_file.items()}, **environ})
    places = {name: entry.place for name, entry in from_file.items() if name not in environ}
    problems: list[Problem] = []
    nearest = command_line_level(settings, problems)
    farther = (
        read_settings_file(find_project_file(file), variables, problems),
        read_settings_file(find_user_file(environ), variables, problems),
        environment_level(variables.values, places, problems),
    )
    try:
        document = read_document(file, AGENT)
    except ConfigError as error:
        raise ConfigError(as_told([*error.problems, *problems], variables)) from None
    written = document.value
    variables.replace(document)
    problems += document.problems
    sections = read_sections(document, problems)
    own = file_level(document, sections.execution)
    execution = resolve_settings(level for level in (nearest, own, *farther) if level is not None)
    unbound = Unbound(
        document=document,
        written=written,
        sections=sections,
        execution=execution,
        folder=file.parent,
        variables=variables,
        problems=problems,
        path=file,
    )
    return bind_suite(unbound, plugins, to_run=to_run)
