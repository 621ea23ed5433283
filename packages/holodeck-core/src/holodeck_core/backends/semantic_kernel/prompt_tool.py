"""A prompt as a tool: a template that is filled in, and a model that answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from holodeck_core.api.backend import Fault
from holodeck_core.api.faults import TooManyAbandoned
from holodeck_core.api.values import text_of
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.semantic_kernel.completion import Completion
from holodeck_core.backends.semantic_kernel.options import PROVIDERS, ChatModelOptions
from holodeck_core.backends.semantic_kernel.prompts import (
    fill,
    parameters_schema,
    placeholders,
    with_defaults,
)
from holodeck_core.backends.semantic_kernel.schemas import misfits, reference_fault, schema_fault
from holodeck_core.config.reading.decode import read_text
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.engine.workers import Workers
from holodeck_core.errors import AgentError
from holodeck_core.models.llm import LLMProvider
from holodeck_core.models.token_usage import TokenUsage
from holodeck_core.models.tool import PromptTool


def own_options(model: LLMProvider) -> ChatModelOptions:
    """The options of a prompt's own model. Raises ValueError where another provider would have to answer."""
    if model.provider not in PROVIDERS:
        raise ValueError(f"a prompt is answered by {' or '.join(PROVIDERS)}, not by `{model.provider}`")
    given = {key: getattr(model, key) for key in model.model_fields_set - {"provider"}}
    return PROVIDERS[model.provider].model_validate({**given, **model.options})


def template_of(tool: PromptTool, folder: Path) -> str:
    """The prompt, wherever the agent file has it. Raises ConfigError for a file that cannot be read."""
    return read_text(folder / tool.file) if tool.file is not None else tool.template or ""


def prompt_faults(tool: PromptTool, folder: Path) -> Iterator[Fault]:
    """What makes a prompt unusable as a tool."""
    if tool.model is not None and tool.model.provider not in PROVIDERS:
        yield Fault(
            ("model", "provider"),
            f"a prompt is answered by `{'` or `'.join(PROVIDERS)}`, not by another provider",
        )
    if tool.parameters is None:
        return
    unsound = {name: found for name, schema in tool.parameters.items() if (found := schema_fault(schema))}
    for name, (path, why) in unsound.items():
        yield Fault(("parameters", name, *path), why)
    if not unsound and (dangling := reference_fault({"properties": dict(tool.parameters)})):
        path, why = dangling
        yield Fault(("parameters", *path[1:]), why)
    key = "template" if tool.file is None else "file"
    for name in placeholders(template_of(tool, folder)):
        if name not in tool.parameters:
            advice = did_you_mean(name, tool.parameters)
            yield Fault((key,), f"the prompt uses {{{{${name}}}}}, which `parameters` do not declare{advice}")


@attrs.frozen
class PromptOutcome(ToolOutcome):
    """The answer of the model, and the tokens that it reported."""

    usage: TokenUsage | None = None


class PromptFunction:
    """A prompt that a model answers. ``ask`` sends a text and gives the answer; it may raise AgentError."""

    def __init__(
        self,
        name: str,
        description: str | None,
        template: str,
        parameters: Mapping[str, Any] | None,
        ask: Callable[[str], Awaitable[Completion]],
        workers: Workers,
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = parameters_schema(template, parameters)
        self._template = template
        self._ask = ask
        self._workers = workers

    async def call(self, args: Mapping[str, Any]) -> ToolOutcome:
        """The answer to the prompt with these arguments; a failure is told as the error of the call."""
        values = with_defaults(args, self.parameters)
        try:
            why = await self._workers.call(
                lambda: misfits(values, self.parameters), key="checks of arguments"
            )
            if why is not None:
                return ToolOutcome(error=f"the arguments do not fit: {why}")
            answer = await self._ask(fill(self._template, values))
        except (AgentError, TooManyAbandoned) as error:
            return ToolOutcome(error=text_of(error))
        return PromptOutcome(result=answer.text, usage=answer.usage)
