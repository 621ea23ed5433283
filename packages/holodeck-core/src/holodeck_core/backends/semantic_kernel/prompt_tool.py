"""A prompt as a tool: a template that is filled in, and a model that answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs

from holodeck_core.api.values import text_of
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.semantic_kernel.completion import Completion
from holodeck_core.backends.semantic_kernel.prompts import fill, parameters_schema, with_defaults
from holodeck_core.backends.semantic_kernel.schemas import misfits
from holodeck_core.errors import AgentError
from holodeck_core.models.token_usage import TokenUsage


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
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = parameters_schema(template, parameters)
        self._template = template
        self._ask = ask

    async def call(self, args: Mapping[str, Any]) -> ToolOutcome:
        """The answer to the prompt with these arguments; a failure is told as the error of the call."""
        values = with_defaults(args, self.parameters)
        if why := misfits(values, self.parameters):
            return ToolOutcome(error=f"the arguments do not fit: {why}")
        try:
            answer = await self._ask(fill(self._template, values))
        except AgentError as error:
            return ToolOutcome(error=text_of(error))
        return PromptOutcome(result=answer.text, usage=answer.usage)
