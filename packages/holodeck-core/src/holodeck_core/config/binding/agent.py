"""The parts of an agent file that are bound once: its plugins, its backend and the metrics of every turn."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from holodeck_core.api.backend import Backend
from holodeck_core.api.faults import describe
from holodeck_core.api.suite import BoundMetric
from holodeck_core.config.binding.agent_sections import AgentSections
from holodeck_core.config.binding.metrics import MetricBinder
from holodeck_core.config.binding.options import options_of
from holodeck_core.config.messages.expected_keys import keys_of
from holodeck_core.config.messages.validate import key_named, to_problems, told
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import ConfigError, PluginError, Problem
from holodeck_core.models.llm import LLMProvider
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.switches import checked_aliases


def make_host(sections: AgentSections, document: Document, problems: list[Problem]) -> PluginHost:
    """A plugin host with what the file says under ``plugins``."""
    wanted = sections.plugins
    aliases: dict[str, str] = {}
    for alias, name in wanted.aliases.items():
        try:
            aliases |= checked_aliases({alias: name})
        except ValueError as error:
            problems.append(document.problem(str(error), ("plugins", "aliases", alias)))
    try:
        return PluginHost(aliases=aliases, disabled=wanted.disabled)
    except ValueError as error:
        problems.append(document.problem(str(error), ("plugins", "disabled")))
        return PluginHost(aliases=aliases)


def check_required(
    host: PluginHost, sections: AgentSections, document: Document, problems: list[Problem]
) -> None:
    """Every plugin under ``plugins.required`` is installed, in a version that fits, and works.

    Where the host is strict, all that are installed do.
    """
    for index, spec in enumerate(sections.plugins.required):
        problems.extend(
            document.problem(message, ("plugins", "required", index))
            for message in host.check_required([spec])
        )
    if host.strict:
        for record in host.records():
            if record.status in ("broken", "misnamed", "incompatible"):
                why = "; ".join(record.problems)
                problems.append(
                    Problem(f"the plugin {record.distribution} {record.version} is {record.status}: {why}")
                )


def bind_backend(
    sections: AgentSections,
    host: PluginHost,
    document: Document,
    folder: Path,
    environ: Mapping[str, str],
    problems: list[Problem],
) -> Backend | None:
    """The backend that ``model.provider`` names; None where it is not available, with the reason in ``problems``."""
    model = sections.model
    if model is None:
        return None
    found = _options(model, host, document, ("model",), problems)
    if found is None:
        return None
    backend_class, options, given = found
    try:
        backend = backend_class(options, folder)
        backend.environ = environ
        lacks_instructions = backend.needs_instructions and not sections.has_instructions
    except ValidationError as error:
        problems.extend(_misfits(error, backend_class, given, document, ("model",)))
        return None
    except ConfigError as error:  # of a file that the backend reads
        problems.extend(error.problems)
        return None
    except ValueError as error:
        message = told(error, given)
        problems.append(document.problem(message, ("model", *key_named(message, given))))
        return None
    except BaseException as error:  # noqa: BLE001 - boundary: building a plugin's backend runs its code
        pass_interruptions(error)
        problems.append(
            document.problem(f"the provider `{model.provider}` failed: {told(error, given)}", ("model",))
        )
        return None
    if lacks_instructions:
        problems.append(document.problem(f"the provider `{model.provider}` needs `instructions`", ()))
    return backend


def check_model(
    model: LLMProvider, host: PluginHost, document: Document, at: DocumentPath, problems: list[Problem]
) -> None:
    """A ``model`` section that stands elsewhere names a provider and holds what its options allow."""
    _options(model, host, document, at, problems)


def what_is_lacking(backend: Backend, document: Document) -> list[Problem]:
    """What the backend does not find on this machine."""
    found: list[Problem] = []
    try:
        found.extend(document.problem(fault.message, ("model", *fault.path)) for fault in backend.lacks())
    except BaseException as error:  # noqa: BLE001 - boundary: a plugin's backend is asked
        pass_interruptions(error)
        why = f"the provider failed to look for what it needs: {describe(error)}"
        found.append(document.problem(why, ("model",)))
    return found


def bind_agent_metrics(
    sections: AgentSections, binder: MetricBinder, document: Document, problems: list[Problem]
) -> tuple[BoundMetric, ...]:
    """The metrics that hold for every turn; where the file has mistakes, those that are sound are looked at."""
    path = ("evaluations", "metrics")
    if sections.agent is not None:
        evaluations = sections.agent.evaluations
        return () if evaluations is None else binder.bind(evaluations.metrics, document, path, problems)
    written = document.value.get("evaluations")
    if isinstance(written, Mapping):
        binder.check_parts(written.get("metrics"), document, path, problems)
    return ()


def _options(
    model: LLMProvider, host: PluginHost, document: Document, at: DocumentPath, problems: list[Problem]
) -> tuple[type[Backend], BaseModel, dict[str, Any]] | None:
    """The backend that a ``model`` section names, its options, and what they were made of."""
    try:
        backend_class: type[Backend] = host.backend(model.provider, Backend).object
    except PluginError as error:
        problems.append(document.problem(str(error), (*at, "provider")))
        return None
    given: dict[str, Any] = dict(model.options)
    try:
        options = options_of(backend_class)
        given = {**_general(model, options), **given}
        return backend_class, options.model_validate(given), given
    except ValidationError as error:
        problems.extend(_misfits(error, backend_class, given, document, at))
    except BaseException as error:  # noqa: BLE001 - boundary: the options of a plugin's backend run its code
        pass_interruptions(error)
        problems.append(document.problem(f"the provider `{model.provider}` failed: {told(error, given)}", at))
    return None


def _misfits(
    error: ValidationError,
    backend_class: type[Backend],
    given: Mapping[str, Any],
    document: Document,
    at: DocumentPath,
) -> list[Problem]:
    return to_problems(error, backend_class.Options, given, document, at, also=keys_of(LLMProvider))


def _general(model: LLMProvider, options: type[BaseModel]) -> dict[str, Any]:
    """Of the keys that every provider may be given (``temperature``, …), those that the backend's options know too."""
    takes_any = options.model_config.get("extra") == "allow"
    return {
        key: getattr(model, key)
        for key in model.model_fields_set - {"provider"}
        if key in options.model_fields or (takes_any and key != "name" and key in LLMProvider.model_fields)
    }
