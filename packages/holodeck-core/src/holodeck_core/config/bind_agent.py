"""The parts of an agent file that are bound once: its plugins and its backend."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ValidationError

from holodeck_core.api.backend import Backend
from holodeck_core.api.faults import USER_FAULTS, describe
from holodeck_core.config.document import Document
from holodeck_core.config.validate import to_problems
from holodeck_core.errors import PluginError, Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.config import PluginsConfig
from holodeck_core.models.llm import LLMProvider
from holodeck_core.plugins.host import PluginHost


def make_host(agent: Agent | None, document: Document, problems: list[Problem]) -> PluginHost:
    """A plugin host with what the file says under ``plugins``."""
    wanted = agent.plugins if agent is not None else PluginsConfig()
    try:
        return PluginHost(aliases=wanted.aliases, disabled=wanted.disabled)
    except ValueError as error:
        problems.append(document.problem(str(error), ("plugins",)))
        return PluginHost()


def check_required(host: PluginHost, agent: Agent | None, document: Document, problems: list[Problem]) -> None:
    """Every plugin under ``plugins.required`` is installed, in a version that fits, and works."""
    for index, spec in enumerate(agent.plugins.required if agent is not None else ()):
        problems.extend(
            document.problem(message, ("plugins", "required", index)) for message in host.check_required([spec])
        )


def bind_backend(
    agent: Agent | None, host: PluginHost, document: Document, folder: Path, problems: list[Problem]
) -> Backend | None:
    """The backend that ``model.provider`` names; None where it cannot be had, with the reason in ``problems``."""
    if agent is None:
        return None
    provider = agent.model.provider
    try:
        backend_class: type[Backend] = host.backend(provider, Backend).object
        backend = backend_class(_options(agent.model, backend_class.Options), folder)
    except PluginError as error:
        problems.append(document.problem(str(error), ("model", "provider")))
        return None
    except ValidationError as error:
        problems.extend(to_problems(error, document, ("model",)))
        return None
    except ValueError as error:
        problems.append(document.problem(str(error), ("model",)))
        return None
    except USER_FAULTS as error:  # boundary: building a plugin's backend runs its code
        problems.append(document.problem(f"the provider `{provider}` failed: {describe(error)}", ("model",)))
        return None
    if backend.needs_instructions and agent.instructions is None:
        problems.append(document.problem(f"the provider `{provider}` needs `instructions`", ()))
    return backend


def _options(model: LLMProvider, options: type[BaseModel]) -> BaseModel:
    """The backend's own keys, with those of the general ones (``temperature``, …) that its options know as well."""
    takes_any = options.model_config.get("extra") == "allow"
    general = {
        key: getattr(model, key)
        for key in model.model_fields_set - {"provider", "name"}
        if key in options.model_fields or (takes_any and key in LLMProvider.model_fields)
    }
    return options.model_validate({**general, **model.options})
