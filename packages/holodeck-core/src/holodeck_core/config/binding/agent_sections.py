"""The sections of an agent file. A mistake in one of them does not keep the others from being looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from holodeck_core.config.messages.validate import sound_part, validate
from holodeck_core.config.reading.document import Document
from holodeck_core.errors import Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.config import ExecutionConfig, PluginsConfig
from holodeck_core.models.llm import LLMProvider


@attrs.frozen(kw_only=True)
class AgentSections:
    """What an agent file says, section by section. ``agent`` is the whole, None where anything in it is wrong.

    The other fields then hold what is sound: ``model`` is None where it cannot even be told which provider is meant.
    ``has_instructions`` also where these are faulty.
    """

    agent: Agent | None
    model: LLMProvider | None
    has_instructions: bool
    execution: ExecutionConfig
    plugins: PluginsConfig
    test_cases_file: str | None


def read_sections(document: Document, problems: list[Problem]) -> AgentSections:
    """The sections of the document, without the test cases, which are checked one by one."""
    value = document.value
    if isinstance(value.get("test_cases"), list):
        value = {**value, "test_cases": []}
    agent = validate(Agent, value, document, (), problems)
    if agent is None:
        return _sound_sections(value)
    return AgentSections(
        agent=agent,
        model=agent.model,
        has_instructions=agent.instructions is not None,
        execution=agent.execution,
        plugins=agent.plugins,
        test_cases_file=agent.test_cases_file,
    )


def _sound_sections(value: Mapping[str, Any]) -> AgentSections:
    file = value.get("test_cases_file")
    return AgentSections(
        agent=None,
        model=sound_part(LLMProvider, value.get("model")),
        has_instructions=value.get("instructions") is not None,
        execution=sound_part(ExecutionConfig, value.get("execution")) or ExecutionConfig(),
        plugins=sound_part(PluginsConfig, value.get("plugins")) or PluginsConfig(),
        test_cases_file=file.strip() or None if isinstance(file, str) else None,
    )
