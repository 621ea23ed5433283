"""From an agent file to a suite that is ready to run.

Load checks the shapes of everything; bind resolves every name. Both gather what is wrong, and all of it is raised at
once: nothing is sent to an agent before its whole configuration, the case file included, has been found right.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from holodeck_core.api.suite import Suite
from holodeck_core.config.bind_agent import bind_backend, check_required, make_host
from holodeck_core.config.bind_cases import CaseBinder, CaseDefaults
from holodeck_core.config.bind_metrics import MetricBinder
from holodeck_core.config.build_matcher import MatcherBuilder
from holodeck_core.config.cases import find_cases
from holodeck_core.config.document import Document
from holodeck_core.config.reading import read_document
from holodeck_core.config.settings import resolve_settings
from holodeck_core.config.shapes import AGENT
from holodeck_core.config.validate import validate
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.config import ExecutionConfig
from holodeck_core.plugins.host import PluginHost


def load_suite(
    path: str | os.PathLike[str],
    *,
    settings: ExecutionConfig | Mapping[str, Any] | None = None,
    plugins: PluginHost | None = None,
) -> Suite:
    """Read an agent file, check all of it and bind it.

    ``settings`` are execution settings that go before those of the file. ``plugins`` is the host that resolves names;
    by default one is made with what the file says under ``plugins``. Raises ConfigError with every mistake found.
    """
    file = Path(path)
    overrides = _checked(settings)
    document = read_document(file, AGENT)
    problems = list(document.problems)
    agent = _read_agent(document, problems)
    host = plugins if plugins is not None else make_host(agent, document, problems)
    check_required(host, agent, document, problems)
    execution = resolve_settings(overrides, agent.execution if agent else None)
    backend = bind_backend(agent, host, document, file.parent, problems)
    metric_binder = MetricBinder(host, file.parent)
    agent_metrics = agent.evaluations.metrics if agent and agent.evaluations else []
    defaults = CaseDefaults(
        metrics=metric_binder.bind(agent_metrics, document, ("evaluations", "metrics"), problems),
        tool_order=execution.tool_order or "any",
        extra_calls=execution.extra_calls or "allow",
        on_turn_failure=execution.on_turn_failure or "continue",
    )

    def binder(folder: Path) -> CaseBinder:
        return CaseBinder(
            matchers=MatcherBuilder(host), metrics=metric_binder, backend=backend, defaults=defaults, folder=folder
        )

    models, cases = find_cases(document, file, agent, binder, problems)
    if agent is None or backend is None or problems:
        raise ConfigError(sorted(problems, key=lambda problem: _place(problem, document)))
    return Suite(
        agent=agent.model_copy(update={"test_cases": models}),
        backend=backend,
        cases=cases,
        parallel=execution.parallel_test_cases or 1,
        llm_timeout=execution.llm_timeout or 60.0,
        path=file,
        plugins={record.id: record.version for record in host.used()},
    )


def _checked(settings: ExecutionConfig | Mapping[str, Any] | None) -> ExecutionConfig | None:
    """The settings that the caller gives, as the model. Raises ConfigError for what they cannot be."""
    if settings is None or isinstance(settings, ExecutionConfig):
        return settings
    try:
        return ExecutionConfig.model_validate(dict(settings))
    except ValidationError as error:
        raise ConfigError(
            [Problem(line["msg"], path=".".join(map(str, ("settings", *line["loc"])))) for line in error.errors()]
        ) from None


def _read_agent(document: Document, problems: list[Problem]) -> Agent | None:
    """The agent without its cases, which are checked one by one."""
    value = document.value
    if isinstance(value.get("test_cases"), list):
        value = {**value, "test_cases": []}
    return validate(Agent, value, document, (), problems)


def _place(problem: Problem, document: Document) -> tuple[bool, int]:
    """In the order of the agent file; problems of other files come after it, in the order in which they were found."""
    own = problem.file == document.file
    return not own, (problem.line or 0) if own else 0
