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
from holodeck_core.config.binding.agent import (
    bind_agent_metrics,
    bind_backend,
    check_required,
    make_host,
    what_is_lacking,
)
from holodeck_core.config.binding.agent_sections import read_sections
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
from holodeck_core.config.warnings.suite import SuiteWarnings
from holodeck_core.errors import ConfigError, Problem
from holodeck_core.models.config import ExecutionConfig
from holodeck_core.plugins.host import PluginHost
from holodeck_core.redaction import Redactor


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
    folder = file.parent.absolute()  # an agent may change the working directory
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
    host = plugins if plugins is not None else make_host(sections, document, problems)
    check_required(host, sections, document, problems)
    backend = bind_backend(sections, host, document, folder, variables.values, problems)
    instructions = bind_instructions(sections.agent, document, file.parent, problems)
    check_tools(sections.agent, host, backend, document, file.parent, problems)
    response_format = bind_response_format(sections.agent, backend, document, file.parent, problems)
    lacking = () if backend is None else tuple(what_is_lacking(backend, document))
    if to_run:
        problems += lacking
    metric_binder = MetricBinder(host, folder)
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
    models, cases = find_cases(document, file, sections, binder, warnings, problems)
    if sections.agent is None or warnings is None or backend is None or problems:
        found = distinct(problems, document.problems)
        found.sort(key=lambda problem: _place(problem, document))
        raise ConfigError(mask_problems(as_told(found, variables), document.value, document.source.text))
    kept = configuration(written)
    return Suite(
        agent=sections.agent.model_copy(
            update={"test_cases": models, "instructions": instructions, "response_format": response_format}
        ),
        backend=backend,
        cases=cases,
        parallel=execution.parallel_test_cases,
        llm_timeout=execution.llm_timeout,
        retries=execution.retries,
        path=file,
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
                *(variables.used.get(name, "") for name in variables_of_secrets(written)),
                *metric_binder.secrets,
            ]
        ),
    )


def _place(problem: Problem, document: Document) -> tuple[bool, int, int]:
    """In the order of the agent file; problems of other files come after it, in the order in which they were found."""
    own = problem.file == document.file
    return not own, (problem.line or 0) if own else 0, (problem.column or 0) if own else 0
