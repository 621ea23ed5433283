"""What is wrong with an agent file is told when it is loaded, with its place; nothing is sent or imported for it."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import AgentError, ConfigError, load_suite
from holodeck_core.backends.semantic_kernel import extra

from .conftest import functions

OPENAI = {"provider": "openai", "name": "small", "endpoint": "http://127.0.0.1:1/v1"}
AZURE = {"provider": "azure_openai", "name": "small", "endpoint": "https://lamps.example.org", "api_key": "k"}
TOOL = {"type": "prompt", "name": "p", "template": "{{$text}}"}


def written(folder: Path, **keys: Any) -> Path:
    whole = {"name": "clerk", "model": OPENAI, "instructions": {"inline": "Help."}, **keys}
    path = folder / "agent.yaml"
    path.write_text(
        json.dumps({key: value for key, value in whole.items() if value is not None}), encoding="utf-8"
    )
    return path


def problems(folder: Path, environ: dict[str, str] | None = None, **keys: Any) -> list[tuple[str, str]]:
    try:
        load_suite(written(folder, **keys), environ=environ or {})
    except ConfigError as error:
        return [(problem.path, problem.message) for problem in error.problems]
    return []


# what it shows; keys of the file; where; the beginning of what is said
MISTAKES: list[tuple[str, dict[str, Any], str, str]] = [
    ("the model's name is missing", {"model": {"provider": "openai", "api_key": "k"}}, "model.name",
     "this key is missing"),
    ("no instructions", {"instructions": None}, "", "the provider `openai` needs `instructions`"),
    ("a misspelt key", {"model": {**OPENAI, "steam": True}}, "model.steam",
     "unknown key `steam`; did you mean \"stream\""),
    ("no address", {"model": {**OPENAI, "endpoint": "localhost:8000"}}, "model.endpoint",
     "must be the address of a server, such as https://api.openai.com/v1: it begins with neither http:// nor https://"),
    ("an address with a query", {"model": {**OPENAI, "endpoint": "https://x.example.org/v1?key=1"}}, "model.endpoint",
     "must be the address of a server, such as https://api.openai.com/v1: it holds a query"),
    ("an address of requests", {"model": {**OPENAI, "endpoint": "http://x.example.org/v1/chat/completions/"}},
     "model.endpoint", "must end before `/chat/completions`, which each request adds to it"),
    ("a user and a key", {"model": {**OPENAI, "endpoint": "https://ada:pass@x.example.org/v1", "api_key": "k"}},
     "model.api_key", "`endpoint` names a user, who is sent in the place of the key: keep one of them"),
    ("a key of two lines", {"model": {**OPENAI, "api_key": "sk-first\nsk-second"}}, "model.provider",
     "`api_key` is no key that can be sent: it holds a line break or another character that is not printable ASCII"),
    ("a key with a dash of typography", {"model": {**OPENAI, "api_key": "sk\u2013first"}}, "model.provider",
     "`api_key` is no key that can be sent"),
    ("two limits", {"model": {**OPENAI, "max_tokens": 1, "max_completion_tokens": 1}}, "model.max_completion_tokens",
     "`max_tokens` and `max_completion_tokens` are one setting: keep one"),
    ("a version for OpenAI", {"model": {**OPENAI, "api_version": "2024-10-21"}}, "model.api_version",
     "`api_version` belongs to the provider `azure_openai`"),
    ("no rounds", {"model": {**OPENAI, "max_tool_rounds": 0}}, "model.max_tool_rounds", "must be "),
    ("Azure without a resource", {"model": {"provider": "azure_openai", "name": "m", "api_key": "k"}}, "model.endpoint",
     "this key is missing"),
    ("Azure's newer interface", {"model": {**AZURE, "endpoint": "https://lamps.example.org/openai/v1/"}},
     "model.endpoint", "this is an address for the provider `openai`: write that, with the same `endpoint`"),
    ("the deployment in the address", {"model": {**AZURE, "endpoint": "https://x.example.org/openai/deployments/m"}},
     "model.endpoint", "must end before `/openai/deployments`: the deployment is the `name`"),
    ("an MCP server", {"tools": [{"type": "mcp", "name": "m", "command": "x"}]}, "tools[0].type",
     "tools of the type `mcp` are not supported yet with the provider `openai`; `function` and `prompt` are"),
    ("a search", {"tools": [{"type": "vectorstore", "name": "v", "source": "."}]}, "tools[0].type",
     "tools of the type `vectorstore` are not supported yet"),
    ("a parameter that is not declared", {"tools": [{**TOOL, "parameters": {"txt": {"type": "string"}}}]},
     "tools[0].template", "the prompt uses {{$text}}, which `parameters` do not declare; did you mean \"txt\"?"),
    ("a parameter of no type", {"tools": [{**TOOL, "parameters": {"text": {"type": "strnig"}}}]},
     "tools[0].parameters.text.type", "no JSON schema: 'strnig' is not valid"),
    ("a parameter of a type that is nowhere", {"tools": [{**TOOL, "parameters": {"text": {"$ref": "#/$defs/t"}}}]},
     'tools[0].parameters.text["$ref"]', 'no JSON schema: nothing in it is the `$ref` "#/$defs/t"'),
    ("a pattern that is none", {"tools": [{**TOOL, "parameters": {"text": {"type": "string", "pattern": "("}}}]},
     "tools[0].parameters.text.pattern", "no JSON schema: '(' is not a 'regex'"),
    ("a prompt's model without its name", {"tools": [{**TOOL, "model": {"provider": "openai"}}]}, "tools[0].model.name",
     "this key is missing"),
    ("a prompt's model with a misspelt key", {"tools": [{**TOOL, "model": {**OPENAI, "steam": True}}]},
     "tools[0].model.steam", "unknown key `steam`; did you mean \"stream\""),
    ("a prompt's model that is none", {"tools": [{**TOOL, "model": {"provider": "scripted", "replies": []}}]},
     "tools[0].model.provider", "a prompt is answered by `openai` or `azure_openai`, not by another provider"),
    ("a function that takes anything",
     {"tools": [{"type": "function", "name": "f", "file": "anything.py", "function": "anything"}]},
     "tools[0].function", "it takes **keys"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "path", "message"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES]
)
def test_mistakes(tmp_path: Path, keys: dict[str, Any], path: str, message: str) -> None:
    (tmp_path / "anything.py").write_text("def anything(**keys): ...\n")
    [(where, what)] = problems(tmp_path, **keys)
    assert (re.sub(' "."', "", where), what[: len(message)]) == (path, message)


@pytest.mark.parametrize(
    "model", [OPENAI, {**OPENAI, "stream": True, "api_key": "k"}, AZURE], ids=["o", "s", "a"]
)
def test_what_is_right_is_loaded(
    tmp_path: Path, model: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "own_tools", raising=False)
    (tmp_path / "own_tools.py").write_text("def add(a: int, b: int) -> int: return a + b\n")
    assert problems(tmp_path, model=model, tools=[*functions("add"), TOOL]) == []
    del sys.modules["own_tools"]


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ({"provider": "openai", "name": "small"}, "OPENAI_API_KEY"),
        ({key: value for key, value in AZURE.items() if key != "api_key"}, "AZURE_OPENAI_API_KEY"),
        ({**AZURE, "api_key": " "}, "AZURE_OPENAI_API_KEY"),
    ],
)
def test_a_key_may_come_from_the_environment(tmp_path: Path, model: dict[str, Any], variable: str) -> None:
    provider = model["provider"]
    assert problems(tmp_path, model=model) == [
        ("model.provider", f"no key for the provider `{provider}`: set {variable} or `api_key`")
    ]
    assert problems(tmp_path, {variable: "k"}, model=model) == []
    suite = load_suite(written(tmp_path, model=model), environ={}, to_run=False)
    assert [warning.path for warning in suite.warnings] == ["model.provider"]


def test_a_model_of_a_prompt_needs_its_own_key(tmp_path: Path) -> None:
    tools = [{**TOOL, "model": {"provider": "openai", "name": "other"}}]
    missing = "the prompt 'p': no key for the provider `openai`: set OPENAI_API_KEY or `api_key`"
    assert problems(tmp_path, tools=tools) == [("model.provider", missing)]
    assert problems(tmp_path, {"OPENAI_API_KEY": "k"}, tools=tools) == []
    suite = load_suite(written(tmp_path, tools=tools), environ={}, to_run=False)
    assert [warning.message for warning in suite.warnings] == [missing]


def test_a_key_may_come_from_the_file_of_variables(tmp_path: Path) -> None:
    (tmp_path / "secrets.env").write_text("OPENAI_API_KEY=k\n")
    path = written(tmp_path, model={"provider": "openai", "name": "small"})
    suite = load_suite(path, environ={}, env_file=tmp_path / "secrets.env")
    assert suite.backend.environ["OPENAI_API_KEY"] == "k"


def test_without_the_extra_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == "semantic_kernel" else object())
    command = "pip install 'holodeck-core[semantic-kernel]'"
    expected = f"the provider `openai` needs semantic_kernel, not installed here: {command}"
    assert problems(tmp_path) == [("model.provider", expected)]
    suite = load_suite(written(tmp_path), environ={}, to_run=False)
    assert [warning.message for warning in suite.warnings] == [expected]
    with pytest.raises(AgentError, match="needs semantic_kernel, not installed here"):
        asyncio.run(suite.backend.open(suite.agent))


def test_a_key_that_no_request_can_carry_is_never_shown(tmp_path: Path) -> None:
    key = "sk-first\nsk-second"
    [(where, what)] = problems(tmp_path, {"OPENAI_API_KEY": key})
    assert (where, what.split(":")[0]) == ("model.provider", "OPENAI_API_KEY is no key that can be sent")
    suite = load_suite(written(tmp_path), environ={"OPENAI_API_KEY": key}, to_run=False)
    with pytest.raises(
        ValueError, match="the model small: OPENAI_API_KEY is no key that can be sent"
    ) as failed:
        asyncio.run(suite.backend.open(suite.agent))
    assert "first" not in f"{what}{failed.value}"


def test_without_a_key_no_session_is_opened(tmp_path: Path) -> None:
    suite = load_suite(
        written(tmp_path, model={"provider": "openai", "name": "small"}), environ={}, to_run=False
    )
    with pytest.raises(ValueError, match="no key for the model small: set `api_key` or OPENAI_API_KEY"):
        asyncio.run(suite.backend.open(suite.agent))
