"""The instructions of an agent: their text, wherever the agent file has it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from holodeck_core.config.binding.referenced import read_named
from holodeck_core.config.messages.validate import sound_part
from holodeck_core.config.reading.decode import display
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.shapes import Shape
from holodeck_core.config.reading.source import Source
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.models.agent import Agent, Instructions

_FENCE: Final = re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
_ANYTHING: Final = Shape(accepts=(dict, list, str, int, float, bool, type(None)))


def bind_instructions(
    agent: Agent | None, document: Document, folder: Path, problems: list[Problem]
) -> Instructions | None:
    """The instructions as text: what a file holds stands ``inline``, without its front matter.

    ``folder`` is where the path starts from. Line breaks are single line feeds, and blank lines at both ends are left
    out. None where there are none, or what is wrong with them went to ``problems``. ``agent`` is None where the agent
    file has mistakes: its instructions are looked at all the same.
    """
    value = document.value.get("instructions")
    written = sound_part(Instructions, value) if agent is None else agent.instructions
    if written is None:
        return None
    if written.file is None:
        at, text = ("instructions", "inline"), written.inline
    else:
        at, path = ("instructions", "file"), folder / written.file
        text = read_named(path, document, at, problems)
        if text is not None:
            text = _without_front_matter(text.replace("\r\n", "\n"), display(path), problems)
    if text is None:
        return None
    if not text.strip():
        problems.append(document.problem("the instructions are empty: the agent would be told nothing", at))
        return None
    return Instructions(inline=text if written.file is None else text.strip("\n"))


def _without_front_matter(text: str, file: str, problems: list[Problem]) -> str | None:
    """What follows the YAML between two lines of ``---``, if the first line is one; None where that YAML is wrong."""
    opening = _FENCE.match(text)
    if opening is None:
        return text
    closing = _FENCE.search(text, opening.end())
    if closing is None:
        message = (
            "this line begins front matter, and no other line `---` ends it; "
            "put an empty line above it if it belongs to the text"
        )
        problems.append(Source(file, text).problem(message, 0))
        return None
    try:
        # With its first line, so that its places are those of the file.
        front = read_yaml(text[: closing.start()], file, _ANYTHING)
    except ConfigError as error:
        problems.extend(error.problems)
        return None
    problems.extend(front.problems)
    if not isinstance(front.value, dict):
        message = (
            "the front matter, between the lines `---`, must hold keys and values; "
            "put an empty line above the first if this belongs to the text"
        )
        problems.append(front.problem(message))
        return None
    return text[closing.end() :]
