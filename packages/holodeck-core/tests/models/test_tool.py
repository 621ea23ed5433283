from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter

from holodeck_core.models.tool import FunctionTool, MCPTool, PromptTool, ToolType, VectorstoreTool

Problems = Callable[[Any, Any], list[tuple[str, str]]]
Places = Callable[[Any, Any], list[str]]

TOOLS: dict[str, dict[str, Any]] = {
    "function": {"type": "function", "name": "t", "file": "tools.py", "function": "add"},
    "mcp": {"type": "mcp", "name": "t", "command": "server"},
    "prompt": {"type": "prompt", "name": "t", "template": "Say {{x}}"},
    "vectorstore": {"type": "vectorstore", "name": "t", "source": "docs/"},
}


@pytest.mark.parametrize(
    ("kind", "model"),
    [("function", FunctionTool), ("mcp", MCPTool), ("prompt", PromptTool), ("vectorstore", VectorstoreTool)],
)
def test_the_type_decides_the_model(kind: str, model: type) -> None:
    tool = TypeAdapter(ToolType).validate_python(TOOLS[kind])
    assert type(tool) is model
    assert TypeAdapter(ToolType).validate_python(tool.model_dump(exclude_none=True)) == tool


@pytest.mark.parametrize(
    ("value", "at", "hint"),
    [
        ({"name": "t"}, "", "one of function, mcp, prompt, vectorstore"),
        ({"name": "t", "type": "fn"}, "type", "not 'fn'"),
        ({"name": "t", "type": "functon"}, "type", "not 'functon'; did you mean \"function\"?"),
        ({"name": "t", "type": ["mcp"]}, "type", "one of function, mcp, prompt, vectorstore"),
        ("add", "", "a tool is a mapping"),
    ],
    ids=repr,
)
def test_a_tool_of_no_known_type_is_one_clear_error(
    problems: Problems, value: Any, at: str, hint: str
) -> None:
    [(place, message)] = problems(ToolType, value)
    assert place == at
    assert hint in message


def test_defaults() -> None:
    assert FunctionTool(name="t", file="tools.py", function="add").timeout == 30
    mcp = MCPTool(name="t", command="server")
    assert (mcp.transport, mcp.args, mcp.env, mcp.headers, mcp.timeout) == ("stdio", [], {}, {}, None)
    store = VectorstoreTool(name="t", source="docs/")
    assert (store.top_k, store.min_similarity_score, store.chunk_size, store.database) == (
        5,
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("kind", "keys", "place"),
    [
        ("function", {"name": None}, "name"),
        ("function", {"name": " "}, "name"),
        ("function", {"file": None}, ""),
        ("function", {"module": "tools"}, "module"),
        ("function", {"function": None}, "function"),
        ("function", {"parameters": {}}, "parameters"),
        ("function", {"timeout": 0}, "timeout"),
        ("function", {"timeout": True}, "timeout"),
        ("mcp", {"command": None}, ""),
        ("mcp", {"transport": "http"}, ""),
        ("mcp", {"transport": "sse"}, ""),
        ("mcp", {"transport": "websocket"}, ""),
        ("mcp", {"transport": "tcp"}, "transport"),
        ("mcp", {"args": "-v"}, "args"),
        ("mcp", {"args": [5]}, "args[0]"),
        ("mcp", {"env": {"PORT": 5}}, "env.PORT"),
        ("mcp", {"timeout": 0}, "timeout"),
        ("prompt", {"template": None}, ""),
        ("prompt", {"file": "p.md"}, "file"),
        ("prompt", {"parameters": ["x"]}, "parameters"),
        ("prompt", {"model": {}}, "model.provider"),
        ("vectorstore", {"source": ""}, "source"),
        ("vectorstore", {"top_k": 0}, "top_k"),
        ("vectorstore", {"min_similarity_score": 1.5}, "min_similarity_score"),
        ("vectorstore", {"chunk_size": 0}, "chunk_size"),
        ("vectorstore", {"chunk_overlap": -1}, "chunk_overlap"),
        ("vectorstore", {"chunk_size": 100, "chunk_overlap": 100}, "chunk_overlap"),
        ("vectorstore", {"database": 5}, "database"),
    ],
    ids=repr,
)
def test_refuses(places: Places, kind: str, keys: dict[str, Any], place: str) -> None:
    assert places(ToolType, {**TOOLS[kind], **keys}) == [place]


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("function", {"file": None, "module": "tools.math", "timeout": 0.5}),
        ("mcp", {"transport": "http", "command": None, "url": "https://host.example"}),
        ("mcp", {"args": ["-v"], "env": {"A": "b"}, "timeout": 1.5}),
        ("prompt", {"template": None, "file": "p.md", "parameters": {"x": {"type": "string"}}}),
        ("vectorstore", {"chunk_size": 100, "chunk_overlap": 99, "database": "memory"}),
        ("vectorstore", {"database": {"provider": "chroma"}, "embedding_model": "m"}),
    ],
    ids=repr,
)
def test_takes(places: Places, kind: str, keys: dict[str, Any]) -> None:
    assert places(ToolType, {**TOOLS[kind], **keys}) == []


def test_tokens_of_a_server_are_not_in_its_repr() -> None:
    tool = MCPTool(name="t", command="c", env={"TOKEN": "secret-1"}, headers={"Authorization": "secret-2"})
    assert "secret" not in repr(tool)
