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
    """The prompt itself. Example: `You are the help desk of a lamp shop.`"""
    file: Text | None = None
    """The file that holds the prompt, relative to this one. YAML front matter in it is not sent.
    Example: `prompt.md`
    """

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "inline", "file")


class Agent(GatheringModel):
    """An agent and its test cases. Keys that start with `x-` are the user's own and are ignored.

    None for `tools` says nothing about tools, `[]` that there are none.
    """

    name: Text
    """The agent's name in reports. Example: `help desk`"""
    description: str | None = None
    """What the agent is for, for people who read the file. Example: `Finds orders and arranges refunds.`"""
    author: str | None = None
    """Who wrote the file. Example: `The support team`"""
    model: LLMProvider
    """Which agent answers: its `provider`, and the keys of that provider.
    Example: `{provider: python, agent: "desk:open_desk"}`
    """
    instructions: Instructions | None = None
    """The system prompt, for providers that send one. Example: `{file: prompt.md}`"""
    response_format: MappingOrText | None = None
    """The format that replies must have, for providers that can ask for one: a JSON schema, or the name of
    a file that holds it.
    Example: `reply.schema.json`
    """
    tools: list[ToolType] | None = None
    """The tools that the agent may call. Without this key its tools are unknown; `[]` says that it has none.
    Example: `[{type: function, name: add, file: tools.py, function: add}]`
    """
    evaluations: EvaluationConfig | None = None
    """The metrics for every turn, unless its case or the turn itself sets others.
    Example: `{metrics: [{type: standard, metric: equality}]}`
    """
    test_cases: list[TestCaseModel] | None = None
    """The conversations to hold. Example: `[{input: What is 3 + 4?, ground_truth: 7}]`"""
    test_cases_file: Text | None = None
    """A file of test cases in place of `test_cases`: a list in YAML or JSON, or JSON Lines with one case a
    line.
    Example: `cases.jsonl`
    """
    execution: Annotated[ExecutionConfig, NullIsEmpty] = Field(default_factory=ExecutionConfig)
    """How cases are run. Example: `{parallel_test_cases: 4}`"""
    observability: JsonObject | None = None
    """Where `holodeck chat --observability` sends its traces: `exporter` (`console` or `otlp`), `endpoint`, `headers`,
    `service_name`, `record_content`. Example: `{exporter: otlp, endpoint: "http://localhost:4318"}`
    """
    embedding_provider: EmbeddingProvider | None = None
    """The model that turns text into vectors. Example: `{provider: openai, name: text-embedding-3-small}`"""
    plugins: Annotated[PluginsConfig, NullIsEmpty] = Field(default_factory=PluginsConfig)
    """Short names for plugins, and which of them must or must not be used.
    Example: `{required: ["acme>=1.2"]}`
    """

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
