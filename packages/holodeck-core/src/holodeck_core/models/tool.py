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
    given,
    problem,
    rule,
)
from holodeck_core.models.llm import LLMProvider


class Tool(StrictModel):
    """What all tools have in common."""

    name: Text
    description: str | None = None


class FunctionTool(Tool, GatheringModel):
    """A Python function of a `file` or a `module`; its parameters come from its signature and docstring."""

    type: Literal["function"] = "function"
    file: Text | None = None
    module: Text | None = None
    function: Text

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "file", "module")


class MCPTool(Tool, GatheringModel):
    """The tools of an MCP server, started by `command` or reached at `url`. `timeout` is in seconds."""

    type: Literal["mcp"] = "mcp"
    transport: Literal["stdio", "sse", "http", "websocket"] = "stdio"
    command: Text | None = None
    args: list[str] = Field(default_factory=list)
    # Both often hold tokens.
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    url: Text | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    timeout: Number | None = Field(default=None, gt=0)

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        transport = data.get("transport", "stdio")
        needed = "command" if transport == "stdio" else "url"
        if transport in ("stdio", "sse", "http", "websocket") and not given(data, needed):
            yield problem((), f"an MCP server over {transport} needs `{needed}`", data)


class PromptTool(Tool, GatheringModel):
    """A prompt `template` (or a `file` that holds one) that a language model answers."""

    type: Literal["prompt"] = "prompt"
    template: Prose | None = None
    file: Text | None = None
    parameters: JsonObject | None = None
    model: LLMProvider | None = None

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "template", "file")


class VectorstoreTool(Tool):
    """Search by meaning in the files of `source`."""

    type: Literal["vectorstore"] = "vectorstore"
    source: Text
    top_k: Whole = Field(default=5, ge=1)
    min_similarity_score: Number | None = Field(default=None, ge=0, le=1)
    chunk_size: Whole | None = Field(default=None, gt=0)
    chunk_overlap: Whole | None = Field(default=None, ge=0)
    embedding_model: Text | None = None
    database: MappingOrText | None = None

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
        raise rule(
            f"a tool needs a `type`, one of {', '.join(_MODELS)}" + (f"; not {kind!r}" if kind else "")
        )
    return model.model_validate(value)


ToolType: TypeAlias = Annotated[FunctionTool | MCPTool | PromptTool | VectorstoreTool, WrapValidator(_tool)]
