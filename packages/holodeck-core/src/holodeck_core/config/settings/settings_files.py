"""The files that hold execution settings beside those of the agent file: the project's and the user's.

Both hold ``execution``, with the keys that it has in an agent file, and keys of the user's own that begin with ``x-``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from holodeck_core.config.messages.validate import validate
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.read import read_document
from holodeck_core.config.reading.shapes import SETTINGS
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.config.settings.resolve import Level
from holodeck_core.config.settings.variables import Variables
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.models.config import ExecutionConfig

PROJECT_FILE: Final = "holodeck.yaml"
USER_FILE: Final = Path("holodeck", "config.yaml")


def find_project_file(agent_file: Path) -> Path | None:
    """The nearest ``holodeck.yaml``, beside the agent file or in a folder above it; never the agent file itself."""
    folder = Path(os.path.abspath(agent_file.parent))
    for candidate in (agent_file.parent / PROJECT_FILE, *(above / PROJECT_FILE for above in folder.parents)):
        if os.path.exists(candidate) and not _is_same(candidate, agent_file):
            return candidate
    return None


def _is_same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def find_user_file(environ: Mapping[str, str]) -> Path | None:
    """``$XDG_CONFIG_HOME/holodeck/config.yaml``, by default below ``~/.config``; None where there is none.

    A relative XDG_CONFIG_HOME is ignored, as its specification asks.
    """
    folder = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(folder):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return None
        folder = os.path.join(home, ".config")
    file = folder / USER_FILE
    return file if os.path.exists(file) else None


def read_settings_file(path: Path | None, variables: Variables, problems: list[Problem]) -> Level | None:
    """What a project's or a user's file sets; None where there is no such file, or where it has mistakes."""
    if path is None:
        return None
    try:
        document = read_document(path, SETTINGS)
    except ConfigError as error:
        problems += error.problems
        return None
    variables.replace(document)
    problems += document.problems
    for key in document.value:
        if key != "execution" and not key.startswith("x-"):
            problems.append(document.problem(_unknown(key), (key,), key=True))
    execution = document.value.get("execution")
    values = validate(
        ExecutionConfig, {} if execution is None else execution, document, ("execution",), problems
    )
    return None if values is None else file_level(document, values)


def file_level(document: Document, values: ExecutionConfig) -> Level:
    """The level of a document that holds ``values`` under ``execution``."""
    return Level(values, lambda name: f"{document.file}:{document.line_of(('execution', name))}")


def _unknown(key: str) -> str:
    if key in ExecutionConfig.model_fields:
        return f"unknown key `{key}`: it belongs under `execution`"
    return f"unknown key `{key}`: a settings file has only `execution`{did_you_mean(key, ('execution',))}"
