"""The backends ``openai`` and ``azure_openai``."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from holodeck_core.api.backend import Backend, CaseRef, Fault, Session
from holodeck_core.backends.functions.load import load_function
from holodeck_core.backends.semantic_kernel.extra import import_runtime, what_is_missing
from holodeck_core.backends.semantic_kernel.options import (
    AZURE,
    OPENAI,
    PROVIDERS,
    AzureOpenAIOptions,
    ChatModelOptions,
    OpenAIOptions,
    api_key,
    key_fault,
)
from holodeck_core.backends.semantic_kernel.prompt_tool import own_options, prompt_faults
from holodeck_core.backends.semantic_kernel.schemas import reference_fault, schema_fault
from holodeck_core.engine.workers import Workers
from holodeck_core.models.agent import Agent
from holodeck_core.models.tool import FunctionTool, PromptTool, Tool

if TYPE_CHECKING:
    from holodeck_core.backends.semantic_kernel.runtime import Runtime


class SemanticKernelBackend(Backend):
    """Runs an agent that the file describes: a chat model, instructions, tools.

    Semantic Kernel is imported by ``warm_up`` or the first ``open``, in a thread; until then nothing of it is. All
    sessions share the connections, which ``close`` ends; afterwards the backend can be used again.
    """

    needs_instructions = True
    provider: ClassVar[str]

    def __init__(self, options: ChatModelOptions, folder: Path) -> None:
        super().__init__(options, folder.absolute())
        self._chat_options = options
        self._workers = Workers()
        self._making = threading.Lock()
        self._runtimes: list[tuple[Agent, Runtime]] = []
        self._models: dict[str, ChatModelOptions] = {}

    def check_tool(self, tool: Tool) -> Iterator[Fault]:
        match tool:
            case FunctionTool():
                try:
                    load_function(tool, self.folder, self._workers)
                except ValueError as error:
                    yield Fault(("function",), str(error))
            case PromptTool():
                yield from prompt_faults(tool, self.folder)
                if tool.model is not None and tool.model.provider in PROVIDERS:
                    self._models[tool.name] = own_options(tool.model)
            case _:
                kind = getattr(tool, "type", "")
                yield Fault(
                    ("type",),
                    f"tools of the type `{kind}` are not supported yet with the provider `{self.provider}`; "
                    "`function` and `prompt` are",
                )

    def check_response_format(self, schema: Mapping[str, Any]) -> Iterator[Fault]:
        if found := schema_fault(schema) or reference_fault(schema):
            path, why = found
            yield Fault(path, why)

    def lacks(self) -> Iterator[Fault]:
        if missing := what_is_missing(self.provider):
            yield Fault(("provider",), missing)
        yield from self._lacking_key(self._chat_options, "")
        for tool, options in self._models.items():
            yield from self._lacking_key(options, f"the prompt {tool!r}: ")

    def _lacking_key(self, options: ChatModelOptions, whose: str) -> Iterator[Fault]:
        if api_key(options, self.environ) is None:
            provider = AZURE if isinstance(options, AzureOpenAIOptions) else OPENAI
            yield Fault(
                ("provider",),
                f"{whose}no key for the provider `{provider}`: set {options.key_variable} or `api_key`",
            )
        if unsendable := key_fault(options, self.environ):
            yield Fault(("provider",), f"{whose}{unsendable}")

    async def warm_up(self) -> None:
        await self._workers.call(lambda: import_runtime(self.provider), key="Semantic Kernel")

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        runtime = self._found(agent)
        if runtime is None:
            runtime = await self._workers.call(lambda: self._made(agent), key="Semantic Kernel")
        return runtime.open()

    async def close(self) -> None:
        runtimes, self._runtimes = self._runtimes, []
        self._workers.close()
        self._workers = Workers()
        for _, runtime in runtimes:
            await runtime.close()

    def _found(self, agent: Agent) -> Runtime | None:
        return next((runtime for known, runtime in self._runtimes if known is agent), None)

    def _made(self, agent: Agent) -> Runtime:
        """Called in a thread, perhaps in several at once: making a runtime takes a while the first time."""
        with self._making:
            found = self._found(agent)
            if found is None:
                found = import_runtime(self.provider).Runtime(
                    agent, self._chat_options, self.environ, self.folder, self._workers
                )
                self._runtimes.append((agent, found))
            return found


class OpenAIBackend(SemanticKernelBackend):
    """Models of OpenAI, and of any server that speaks as OpenAI does."""

    Options = OpenAIOptions
    provider = OPENAI


class AzureOpenAIBackend(SemanticKernelBackend):
    """Deployments of Azure OpenAI."""

    Options = AzureOpenAIOptions
    provider = AZURE
