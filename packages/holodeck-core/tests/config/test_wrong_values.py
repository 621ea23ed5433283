"""Every value of every kind, put in the place of every other: what comes of it is told in the words of the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import ConfigError, load_suite
from holodeck_core.errors import Problem
from holodeck_core.plugins.host import PluginHost

PYDANTICS = (
    "Input",
    "valid",
    "validation",
    "Value error",
    "Assertion failed",
    "dictionary",
    "permitted",
    "pydantic",
)

FULL = {
    "name": "agent",
    "description": "d",
    "author": "a",
    "model": {
        "provider": "scripted",
        "name": "m",
        "temperature": 1,
        "top_p": 0.5,
        "max_tokens": 5,
        "endpoint": "e",
        "api_key": "k",
        "api_version": "1",
        "replies": [
            {
                "input": "a",
                "reply": "b",
                "calls": [{"name": "f", "args": {"x": 1}, "result": 1, "error": "e"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1},
                "delay": 0.5,
                "error": "rate_limit",
                "retry_after": 1,
            },
            {"chunks": 2},
        ],
    },
    "instructions": {"inline": "x"},
    "response_format": {"a": 1},
    "tools": [
        {"type": "function", "name": "f", "module": "json", "function": "dumps"},
        {
            "type": "mcp",
            "name": "g",
            "transport": "stdio",
            "command": "c",
            "args": ["a"],
            "env": {"A": "b"},
            "headers": {"A": "b"},
            "timeout": 1,
        },
        {
            "type": "prompt",
            "name": "p",
            "template": "t",
            "parameters": {"a": 1},
            "model": {"provider": "openai", "name": "m"},
        },
        {
            "type": "vectorstore",
            "name": "v",
            "source": ".",
            "top_k": 1,
            "min_similarity_score": 0.5,
            "chunk_size": 5,
            "chunk_overlap": 1,
            "embedding_model": "m",
            "database": "d",
        },
    ],
    "evaluations": {
        "model": {"provider": "x"},
        "metrics": [
            {
                "type": "standard",
                "metric": "numeric",
                "name": "n",
                "threshold": 0.5,
                "enabled": True,
                "fail_on_error": False,
                "scale": 1,
                "model": {"provider": "x"},
                "retry_on_failure": 1,
                "timeout_ms": 1,
                "custom_prompt": "c",
                "absolute_tolerance": 0.1,
                "relative_tolerance": 0.1,
                "extract": "last",
                "response_path": "a",
                "accept_percent": True,
            },
            {"type": "geval", "enabled": False, "criteria": "c", "evaluation_steps": ["a"], "evaluation_params": ["b"]},
            {"type": "rag", "enabled": False, "metric_type": "faithfulness", "include_reason": True},
            {"type": "code", "enabled": False, "grader": "m:f", "timeout_s": 1},
        ],
    },
    "test_cases": [
        {
            "name": "n",
            "input": "a",
            "ground_truth": "g",
            "tags": ["t"],
            "conversation": "c",
            "repeat": 2,
            "min_pass_rate": 0.5,
            "on_turn_failure": "stop",
            "expected_tools": [
                "f",
                {
                    "name": "g",
                    "args": {
                        "a": {"fuzzy": "1"},
                        "b": {"any_of": [1, {"regex": "x"}]},
                        "c": {"approx": 1, "tolerance": 1},
                    },
                    "count": 1,
                    "max_count": 2,
                    "match": "exact",
                    "extra_args": "forbid",
                    "status": "success",
                    "result": {"contains": "x"},
                },
            ],
            "forbidden_tools": ["x", {"name": "y", "match": "glob"}],
            "extra_calls": "forbid",
            "tool_order": "exact",
            "files": [
                {"path": "agent.json", "type": "excel", "description": "d", "pages": [1], "sheet": "s", "range": "r"},
                {"url": "u", "type": "pdf", "cache": True},
            ],
            "retrieval_context": ["r"],
            "evaluations": [],
            "turn_config": {"a": [1]},
        },
        {"turns": [{"input": "a"}]},
    ],
    "execution": {
        "parallel_test_cases": 1,
        "llm_timeout": 1,
        "file_timeout": 1,
        "download_timeout": 1,
        "retries": 1,
        "tool_order": "any",
        "extra_calls": "allow",
        "on_turn_failure": "stop",
    },
    "observability": {"a": 1},
    "embedding_provider": {"provider": "p", "name": "n"},
    "plugins": {"aliases": {"near": "acme/near"}, "disabled": ["acme"], "required": []},
}  # fmt: skip

WRONG: list[Any] = [
    None, True, 0, -1, 1.5, 3, 10**30, 10**400,
    "", "  ", "abc", "1", "\x00\x1b[31m", "\u202e", "x" * 1000, "a/b", "a:b",
    [], [None], [1, "a", []], {}, {"a": 1}, {"type": "x"}, {"type": 1}, {"name": []}, {"fuzzy": 1, "regex": "("},
    {"regex": "("}, [{"regex": 1}], {"input": 1, "turns": 1}, [{"turns": []}],
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, item in children:
        yield from places(item, (*path, key))


def changed(path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy of the full agent in which ``change`` was made to the collection that holds the end of the path."""
    top = json.loads(json.dumps(FULL))
    holder = top
    for element in path[:-1]:
        holder = holder[element]
    change(holder, path[-1])
    return top


def put(value: Any) -> Callable[[Any, Any], None]:
    return lambda holder, key: holder.__setitem__(key, value)


CHANGES: list[tuple[str, Callable[[Any, Any], None]]] = [
    *((ascii(value)[:40], put(value)) for value in WRONG),
    ("left out", lambda holder, key: holder.__delitem__(key)),
    (
        "another key",
        lambda holder, key: holder.__setitem__("anothr", 1) if isinstance(holder, dict) else None,
    ),
]


def test_the_full_agent_has_no_mistakes(tmp_path: Path) -> None:
    (tmp_path / "agent.json").write_text(json.dumps(FULL))
    assert len(load_suite(tmp_path / "agent.json").cases) == 2


@pytest.mark.parametrize(
    ("start", "change"),
    [(number % 2, change) for number, (_, change) in enumerate(CHANGES)],
    ids=[row[0] for row in CHANGES],
)
def test_no_wrong_value_anywhere_is_told_in_other_words_than_those_of_the_file(
    tmp_path: Path, start: int, change: Callable[[Any, Any], None]
) -> None:
    file = tmp_path / "agent.json"
    host = PluginHost()
    found: list[tuple[Any, tuple[Problem, ...]]] = []
    for path in [path for path in places(FULL) if path][start::2]:
        file.write_text(json.dumps(changed(path, change)))
        try:
            load_suite(file, plugins=host)
        except ConfigError as error:
            found.append((path, error.problems))
    assert len(found) > 10
    for path, problems in found:
        assert problems, path
        assert len({problem.headline() for problem in problems}) == len(problems), path
        for problem in problems:
            assert not any(phrase in problem.message for phrase in PYDANTICS), (path, problem.message)
            assert problem.message.isprintable(), (path, problem.message)
            assert len(problem.message) <= 600, (path, problem.message)
            assert None not in (problem.line, problem.column, problem.source), (path, problem)
