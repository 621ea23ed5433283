"""The agent file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Field, model_validator
from pydantic_core import InitErrorDetails

from holodeck_core.models.base import (
    GatheringModel,
    JsonObject,
    MappingOrText,
    NullIsEmpty,
    Prose,
    Text,
    exactly_one,
    given,
    problem,
)
from holodeck_core.models.config import ExecutionConfig, PluginsConfig
from holodeck_core.models.evaluation import EvaluationConfig
from holodeck_core.models.llm import EmbeddingProvider, LLMProvider
from holodeck_core.models.test_case import TestCaseModel
from holodeck_core.models.tool import Tool, ToolType


class Instructions(GatheringModel):
    """The system prompt: its text (`inline`), or the `file` that holds it."""

    inline: Prose | None = None
    file: Text | None = None

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "inline", "file")


class Agent(GatheringModel):
    """An agent and its test cases. Keys that start with `x-` are the user's own and are ignored.

    None for `tools` says nothing about tools, `[]` that there are none.
    """

    name: Text
    description: str | None = None
    author: str | None = None
    model: LLMProvider
    instructions: Instructions | None = None
    response_format: MappingOrText | None = None
    tools: list[ToolType] | None = None
    evaluations: EvaluationConfig | None = None
    test_cases: list[TestCaseModel] | None = None
    test_cases_file: Text | None = None
    execution: Annotated[ExecutionConfig, NullIsEmpty] = Field(default_factory=ExecutionConfig)
    observability: JsonObject | None = None
    embedding_provider: EmbeddingProvider | None = None
    plugins: Annotated[PluginsConfig, NullIsEmpty] = Field(default_factory=PluginsConfig)

    @model_validator(mode="before")
    @classmethod
    def _without_own_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {key: value for key, value in data.items() if not str(key).startswith("x-")}

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        if len(given(data, "test_cases", "test_cases_file")) == 2:
            yield problem(
                ("test_cases_file",), "`test_cases` and `test_cases_file` exclude each other: keep one"
            )
        tools = data.get("tools")
        seen: dict[str, int] = {}
        for index, tool in enumerate(tools if isinstance(tools, list) else ()):
            name = _name(tool)
            if isinstance(name, str) and seen.setdefault(name, index) != index:
                yield problem(
                    ("tools", index, "name"), f"two tools are named {name!r}: this and tools[{seen[name]}]"
                )


def _name(tool: Any) -> Any:
    if isinstance(tool, Tool):
        return tool.name
    return tool.get("name") if isinstance(tool, Mapping) else None


AgentConfig: TypeAlias = Agent
