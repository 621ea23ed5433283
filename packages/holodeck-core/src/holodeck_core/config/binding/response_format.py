"""The form that replies must have: a JSON schema, wherever the agent file has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from holodeck_core.api.backend import Backend
from holodeck_core.api.faults import describe
from holodeck_core.config.binding.referenced import read_named
from holodeck_core.config.messages.validate import Place
from holodeck_core.config.reading.decode import display
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import read_json
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.config.reading.shapes import PLAIN
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.models.agent import Agent
from holodeck_core.plugins.foreign import pass_interruptions

_KEY: Final = ("response_format",)


def bind_response_format(
    agent: Agent | None, backend: Backend | None, document: Document, folder: Path, problems: list[Problem]
) -> dict[str, Any] | None:
    """The schema, read from its file (JSON, or YAML) where the agent file names one; None where there is none, or what
    is wrong with it went to ``problems``. Relative paths start from ``folder``."""
    written = None if agent is None else agent.response_format
    if written is None:
        return None
    place: Place = document
    at: DocumentPath = _KEY
    schema = written
    if isinstance(schema, str):
        path = folder / schema
        text = read_named(path, document, _KEY, problems)
        if text is None:
            return None
        read = read_json if path.suffix.casefold() == ".json" else read_yaml
        try:
            place = found = read(text, display(path), PLAIN)
        except ConfigError as error:
            problems.extend(error.problems)
            return None
        problems.extend(found.problems)
        schema, at = found.value, ()
    if backend is not None:
        try:
            problems.extend(
                place.problem(fault.message, (*at, *fault.path))
                for fault in backend.check_response_format(schema)
            )
        except BaseException as error:  # noqa: BLE001 - boundary: a plugin's backend is asked
            pass_interruptions(error)
            problems.append(document.problem(f"the provider failed to check this: {describe(error)}", _KEY))
    return schema
