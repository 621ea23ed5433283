"""What the sessions of one agent share: connections, models and tools. Imports Semantic Kernel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holodeck_core.backends.functions.load import load_function
from holodeck_core.backends.semantic_kernel.chat_model import ChatModel
from holodeck_core.backends.semantic_kernel.connector import Connector, connector, http_client
from holodeck_core.backends.semantic_kernel.conversation import Conversation
from holodeck_core.backends.semantic_kernel.options import (
    ChatModelOptions,
    Target,
    api_key,
    key_fault,
    target,
)
from holodeck_core.backends.semantic_kernel.prompt_tool import PromptFunction, own_options, template_of
from holodeck_core.backends.semantic_kernel.schemas import as_request
from holodeck_core.backends.semantic_kernel.tools import ModelTool, Toolset
from holodeck_core.engine.workers import Workers
from holodeck_core.models.agent import Agent
from holodeck_core.models.tool import FunctionTool, PromptTool, ToolType


class Runtime:
    """An agent, ready to be talked to. Raises ValueError for what of it cannot be used."""

    def __init__(
        self,
        agent: Agent,
        options: ChatModelOptions,
        environ: Mapping[str, str],
        folder: Path,
        workers: Workers,
    ) -> None:
        schema = agent.response_format
        if isinstance(schema, str):
            raise ValueError(
                f"`response_format` is the schema itself by now, not the name of its file: {schema}"
            )
        self._options = options
        self._environ = environ
        self._folder = folder
        self._workers = workers
        self._http = http_client()
        self._connectors: dict[Target, Connector] = {}
        self._instructions = None if agent.instructions is None else agent.instructions.inline
        self._schema = schema
        self._tools = Toolset(map(self._tool, agent.tools or ()))
        form = None if schema is None else as_request(schema)
        self._model = self._chat_model(options, tools=self._tools.definitions(), response_format=form)

    def open(self) -> Conversation:
        """A new conversation."""
        return Conversation(
            self._model,
            self._tools,
            self._instructions,
            self._options.max_tool_rounds,
            self._workers,
            self._schema,
        )

    async def close(self) -> None:
        """End all connections."""
        await self._http.aclose()

    def _chat_model(self, options: ChatModelOptions, **request: Any) -> ChatModel:
        if api_key(options, self._environ) is None:
            raise ValueError(f"no key for the model {options.name}: set `api_key` or {options.key_variable}")
        if unsendable := key_fault(options, self._environ):
            raise ValueError(f"the model {options.name}: {unsendable}")
        where = target(options, self._environ)
        if where not in self._connectors:
            self._connectors[where] = connector(where, self._http)
        return ChatModel(self._connectors[where], where, options, **request)

    def _tool(self, tool: ToolType) -> ModelTool:
        match tool:
            case FunctionTool():
                return load_function(tool, self._folder, self._workers)
            case PromptTool():
                options = self._options if tool.model is None else own_options(tool.model)
                model = self._chat_model(options.model_copy(update={"stream": False}))
                template = template_of(tool, self._folder)
                return PromptFunction(
                    tool.name, tool.description, template, tool.parameters, model.answer, self._workers
                )
            case _:
                raise ValueError(
                    f"the tool {tool.name!r}: tools of the type `{tool.type}` are not supported yet"
                )
