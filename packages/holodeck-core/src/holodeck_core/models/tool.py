"""`tools`: what the agent may call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator, field_validator
from pydantic_core import InitErrorDetails

from holodeck_core.models.base import (
    GatheringModel,
    JsonObject,
    MappingOrText,
    Number,
    Prose,
    StrictModel,
    Text,
    Whole,
    exactly_one,
    gathered,
    given,
    problem,
    rule,
)
from holodeck_core.models.llm import LLMProvider
from holodeck_core.plugins.names import near


class Tool(StrictModel):
    """What all tools have in common."""

    name: Text
    """The name by which the agent calls the tool. It must be unique. Example: `add`"""
    description: str | None = None
    """What the tool does, in words for the model. Example: `Adds two numbers.`"""


class FunctionTool(Tool, GatheringModel):
    """A Python function of a `file` or a `module`; its parameters come from its signature and docstring."""

    type: Literal["function"] = "function"
    """A Python function."""
    file: Text | None = None
    """The Python file that holds the function, relative to this one. Example: `tools.py`"""
    module: Text | None = None
    """The Python module that holds the function. Example: `shop.tools`"""
    function: Text
    """The name of the function. Example: `add`"""
    timeout: Number = Field(default=30, gt=0)
    """How long one call may take, in seconds. Example: `5`"""

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "file", "module")


class MCPTool(Tool, GatheringModel):
    """The tools of an MCP server, started by `command` or reached at `url`. `timeout` is in seconds."""

    type: Literal["mcp"] = "mcp"
    """The tools of an MCP server."""
    transport: Literal["stdio", "sse", "http", "websocket"] = "stdio"
    """How the server is reached: started by `command` (`stdio`), or already running at `url`."""
    command: Text | None = None
    """The program that is the server. Example: `npx`"""
    args: list[str] = Field(default_factory=list)
    """The arguments of the program. Example: `[-y, "@acme/orders"]`"""
    # Both often hold tokens.
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    """Environment variables for the program. Example: `{SHOP: lamps}`"""
    url: Text | None = None
    """Where the server is. Example: `https://mcp.example.org/orders`"""
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    """HTTP headers that are sent to the server. Example: `{Authorization: "Bearer ${TOKEN}"}`"""
    timeout: Number | None = Field(default=None, gt=0)
    """How long one call may take, in seconds. Example: `30`"""

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        transport = data.get("transport", "stdio")
        needed = "command" if transport == "stdio" else "url"
        if transport in ("stdio", "sse", "http", "websocket") and not given(data, needed):
            yield problem((), f"an MCP server over {transport} needs `{needed}`", data)


class PromptTool(Tool, GatheringModel):
    """A prompt `template` (or a `file` that holds one) that a language model answers."""

    type: Literal["prompt"] = "prompt"
    """A prompt that a language model answers."""
    template: Prose | None = None
    """The prompt itself. Example: `Answer in one sentence.`"""
    file: Text | None = None
    """The file that holds the prompt, relative to this one. Example: `summary.md`"""
    parameters: JsonObject | None = None
    """The prompt's parameters by name, each as a JSON schema. Example: `{text: {type: string}}`"""
    model: LLMProvider | None = None
    """The model that answers; left out, the agent's own. Example: `{provider: openai, name: gpt-4o-mini}`"""

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "template", "file")


class VectorstoreTool(Tool):
    """Search by meaning in the files of `source`."""

    type: Literal["vectorstore"] = "vectorstore"
    """Search by meaning in files."""
    source: Text
    """The file or the folder that is searched, relative to this one. Example: `manuals`"""
    top_k: Whole = Field(default=5, ge=1)
    """How many passages a search finds at most. Example: `3`"""
    min_similarity_score: Number | None = Field(default=None, ge=0, le=1)
    """How similar a passage must be to be found. Example: `0.5`"""
    chunk_size: Whole | None = Field(default=None, gt=0)
    """The length of a passage. Example: `500`"""
    chunk_overlap: Whole | None = Field(default=None, ge=0)
    """How much of a passage the next one repeats; less than `chunk_size`. Example: `50`"""
    embedding_model: Text | None = None
    """The model that turns text into vectors. Example: `text-embedding-3-small`"""
    database: MappingOrText | None = None
    """Where the vectors are kept. Example: `{provider: chromadb}`"""

    @field_validator("chunk_overlap")
    @classmethod
    def _smaller_than_a_chunk(cls, overlap: int | None, info: ValidationInfo) -> int | None:
        size = info.data.get("chunk_size")
        if overlap is not None and size is not None and overlap >= size:
            raise rule(f"must be less than `chunk_size` ({size})")
        return overlap


_MODELS: dict[str, type[Tool]] = {
    "function": FunctionTool,
    "mcp": MCPTool,
    "prompt": PromptTool,
    "vectorstore": VectorstoreTool,
}


def _tool(value: Any, handler: ValidatorFunctionWrapHandler) -> Tool:
    """The model that `type` asks for. (A tagged union would put its tag into the places of errors.)"""
    if isinstance(value, Tool):
        return value
    if not isinstance(value, Mapping):
        raise rule("a tool is a mapping with `type` and `name`")
    kind = value.get("type")
    model = _MODELS.get(kind) if isinstance(kind, str) else None
    if model is None:
        needed = f"a tool needs a `type`, one of {', '.join(_MODELS)}"
        if not kind:
            raise rule(needed)
        meant = near(kind, _MODELS) if isinstance(kind, str) else []
        hint = f'; did you mean "{meant[0]}"?' if meant else ""
        raise gathered("tool", [problem(("type",), f"{needed}; not {kind!r}{hint}", kind)])
    return model.model_validate(value)


ToolType: TypeAlias = Annotated[FunctionTool | MCPTool | PromptTool | VectorstoreTool, WrapValidator(_tool)]
