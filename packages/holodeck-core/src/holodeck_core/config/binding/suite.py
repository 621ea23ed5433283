"""Binding: what was read becomes a suite that is ready to run, whether it was read from a file or built in code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from holodeck_core.api.backend import Backend
from holodeck_core.api.settings import ResolvedSettings
from holodeck_core.api.suite import Suite
from holodeck_core.config.binding.agent import (
    bind_agent_metrics,
    bind_backend,
    check_required,
    make_host,
    what_is_lacking,
)
from holodeck_core.config.binding.agent_sections import AgentSections
from holodeck_core.config.binding.agent_tools import check_tools
from holodeck_core.config.binding.case import CaseBinder, CaseDefaults
from holodeck_core.config.binding.cases import find_cases
from holodeck_core.config.binding.fingerprint import configuration, fingerprint
from holodeck_core.config.binding.instructions import bind_instructions
from holodeck_core.config.binding.matchers import MatcherBuilder
from holodeck_core.config.binding.metrics import MetricBinder
from holodeck_core.config.binding.response_format import bind_response_format
from holodeck_core.config.binding.used_files import used_files
from holodeck_core.config.messages.secret_keys import mask_problems
from holodeck_core.config.messages.secret_values import secret_texts, variables_of_secrets
from holodeck_core.config.messages.validate import distinct
from holodeck_core.config.reading.document import Document
from holodeck_core.config.settings.concealed import as_told
from holodeck_core.config.settings.variables import Variables
from holodeck_core.config.warnings.suite import SuiteWarnings
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.plugins.host import PluginHost
from holodeck_core.redaction import Redactor


@attrs.frozen(kw_only=True)
class Unbound:
    """A suite whose shapes have been looked at. ``problems`` has what was found, and takes what is still to be found.

    ``written`` is the document's value before variables were replaced; ``folder`` is where relative paths start from.
    ``backend`` is None where ``model.provider`` names it; ``graders`` are those that need not be looked up.
    """

    document: Document
    written: Mapping[str, Any]
    sections: AgentSections
    execution: ResolvedSettings
    folder: Path
    variables: Variables
    problems: list[Problem]
    path: Path | None = None
    backend: Backend | None = None
    graders: Mapping[str, Callable[..., Any]] = attrs.field(factory=dict)


def bind_suite(unbound: Unbound, plugins: PluginHost | None, *, to_run: bool = True) -> Suite:
    """Resolve every name. ``plugins`` and ``to_run`` are as for ``load_suite``.

    Raises ConfigError with every mistake found.
    """
    document, sections, execution = unbound.document, unbound.sections, unbound.execution
    problems, variables = unbound.problems, unbound.variables
    folder = unbound.folder.absolute()  # an agent may change the working directory
    host = plugins if plugins is not None else make_host(sections, document, problems)
    check_required(host, sections, document, problems)
    backend = unbound.backend
    if backend is None:
        backend = bind_backend(sections, host, document, folder, variables.values, problems)
    instructions = bind_instructions(sections.agent, document, unbound.folder, problems)
    check_tools(sections.agent, host, backend, document, unbound.folder, problems)
    response_format = bind_response_format(sections.agent, backend, document, unbound.folder, problems)
    lacking = [] if backend is None else what_is_lacking(backend, document)
    if to_run:
        problems += lacking
    metric_binder = MetricBinder(host, folder, unbound.graders)
    defaults = CaseDefaults(
        metrics=bind_agent_metrics(sections, metric_binder, document, problems),
        tool_order=execution.tool_order,
        extra_calls=execution.extra_calls,
        on_turn_failure=execution.on_turn_failure,
    )

    def binder(folder: Path) -> CaseBinder:
        return CaseBinder(
            matchers=MatcherBuilder(host),
            metrics=metric_binder,
            backend=backend,
            defaults=defaults,
            folder=folder,
        )

    warnings = None if sections.agent is None else SuiteWarnings(sections.agent, defaults.metrics)
    models, cases = find_cases(document, unbound.folder, sections, binder, warnings, problems)
    if sections.agent is None or warnings is None or backend is None or problems:
        found = distinct(problems, document.problems)
        found.sort(key=lambda problem: _place(problem, document))
        raise ConfigError(mask_problems(as_told(found, variables), document.value, document.source.text))
    kept = configuration(unbound.written)
    return Suite(
        agent=sections.agent.model_copy(
            update={"test_cases": models, "instructions": instructions, "response_format": response_format}
        ),
        backend=backend,
        cases=cases,
        parallel=execution.parallel_test_cases,
        llm_timeout=execution.llm_timeout,
        retries=execution.retries,
        path=unbound.path,
        plugins={record.id: record.version for record in host.used()},
        fingerprint=fingerprint(
            kept,
            None if instructions is None else instructions.inline,
            used_files(backend, sections.agent, metric_binder.graders, folder),
            folder,
        ),
        configuration=kept,
        warnings=tuple(
            mask_problems(
                as_told([*lacking, *warnings.gathered(document)], variables),
                document.value,
                document.source.text,
            )
        ),
        settings=execution,
        secrets=Redactor(
            [
                *secret_texts(document.value),
                *(variables.used.get(name, "") for name in variables_of_secrets(unbound.written)),
                *metric_binder.secrets,
            ]
        ),
    )


def _place(problem: Problem, document: Document) -> tuple[bool, int, int]:
    """In the order of the agent file; problems of other files come after it, in the order in which they were found."""
    own = problem.file == document.file
    return not own, (problem.line or 0) if own else 0, (problem.column or 0) if own else 0
