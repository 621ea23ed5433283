from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.models.agent import Agent, AgentConfig, Instructions
from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG, ExecutionConfig, PluginsConfig

Problems = Callable[[Any, Any], list[tuple[str, str]]]
Places = Callable[[Any, Any], list[str]]

SMALLEST: dict[str, Any] = {"name": "calculator", "model": {"provider": "scripted"}}
TOOL = {"type": "function", "name": "add", "module": "tools", "function": "add"}


def test_a_name_and_a_model_are_enough() -> None:
    agent = Agent.model_validate(SMALLEST)
    assert (agent.test_cases, agent.test_cases_file, agent.tools, agent.instructions) == (
        None,
        None,
        None,
        None,
    )
    assert (agent.execution, agent.plugins) == (ExecutionConfig(), PluginsConfig())


def test_takes_these_keys(places: Places) -> None:
    agent = {
        **SMALLEST,
        "description": "d",
        "author": "a",
        "instructions": {"inline": "Be brief."},
        "response_format": {"type": "object"},
        "tools": [TOOL],
        "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
        "test_cases": [{"input": "hi"}],
        "execution": {"parallel_test_cases": 4},
        "observability": {"enabled": True},
        "embedding_provider": {"provider": "openai"},
        "plugins": {"aliases": {"a": "acme"}, "disabled": ["x"], "required": ["y"]},
    }
    assert places(Agent, agent) == []
    assert set(Agent.model_fields) == {*agent, "test_cases_file"}


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"name": None}, "name"),
        ({"name": " "}, "name"),
        ({"model": None}, "model"),
        ({"model": "openai"}, "model"),
        ({"instructions": {}}, "instructions"),
        ({"instructions": {"inline": "a", "file": "b"}}, "instructions.file"),
        ({"instructions": {"inline": ""}}, "instructions.inline"),
        ({"instructions": "Be brief."}, "instructions"),
        ({"response_format": 5}, "response_format"),
        ({"response_format": {"a": 1j}}, "response_format.a"),
        ({"tools": [TOOL, TOOL]}, "tools[1].name"),
        ({"tools": [{"name": "t", "type": "x"}]}, "tools[0].type"),
        ({"evaluations": []}, "evaluations"),
        ({"test_cases": [{}]}, "test_cases[0]"),
        ({"test_cases": {"input": "x"}}, "test_cases"),
        ({"test_cases": [], "test_cases_file": "cases.jsonl"}, "test_cases_file"),
        ({"execution": {"parallel": 2}}, "execution.parallel"),
        ({"observability": True}, "observability"),
        ({"plugins": {"required": "acme"}}, "plugins.required"),
        ({"plugins": {"aliases": ["acme"]}}, "plugins.aliases"),
        ({"tool": []}, "tool"),
        ({"x_anchor": 1}, "x_anchor"),
    ],
    ids=repr,
)
def test_refuses(places: Places, keys: dict[str, Any], place: str) -> None:
    assert places(Agent, {**SMALLEST, **keys}) == [place]


@pytest.mark.parametrize(
    "keys",
    [
        {"x-anchors": [1, {"a": 2}], "x-": None},
        {"tools": None, "test_cases": None, "execution": None, "plugins": None},
        {"test_cases": None, "test_cases_file": "cases.jsonl"},
        {"test_cases": []},
        {"response_format": "json"},
        {"instructions": {"file": "prompt.md", "inline": None}},
    ],
    ids=repr,
)
def test_takes(places: Places, keys: dict[str, Any]) -> None:
    assert places(Agent, {**SMALLEST, **keys}) == []


def test_only_top_level_keys_are_the_users_own(places: Places) -> None:
    assert places(Agent, {**SMALLEST, "execution": {"x-a": 1}}) == ["execution.x-a"]


def test_instructions_are_kept_as_they_stand() -> None:
    assert Instructions(inline="  Be brief.\n").inline == "  Be brief.\n"


def test_two_tools_of_one_name_are_told_of_each_other(problems: Problems) -> None:
    [(_, message)] = problems(Agent, {**SMALLEST, "tools": [TOOL, {**TOOL, "name": "sub"}, TOOL]})
    assert message == "two tools are named 'add': this and tools[0]"


def test_all_mistakes_of_a_file_are_reported_at_once(places: Places) -> None:
    agent = {
        "model": {"provider": "openai", "temperature": 3},
        "tools": [TOOL, {**TOOL, "file": "x"}],
        "test_cases": [{"turns": [{}], "input": "x"}],
        "test_cases_file": "cases.jsonl",
        "testcases": [],
    }
    assert sorted(places(Agent, agent)) == [
        "model.temperature",
        "name",
        "test_cases[0].input",
        "test_cases[0].turns[0].input",
        "test_cases_file",
        "testcases",
        "tools[1].module",
        "tools[1].name",
    ]


def test_both_seeds_names_are_one_class() -> None:
    assert AgentConfig is Agent


def test_has_a_json_schema() -> None:
    assert set(Agent.model_json_schema()["properties"]) == set(Agent.model_fields)


class TestExecution:
    def test_every_setting_has_a_last_fallback(self) -> None:
        assert set(DEFAULT_EXECUTION_CONFIG) == set(ExecutionConfig.model_fields)

    def test_the_fallbacks(self) -> None:
        assert DEFAULT_EXECUTION_CONFIG == {
            "parallel_test_cases": 1,
            "llm_timeout": 60,
            "file_timeout": 30,
            "download_timeout": 30,
            "retries": 2,
            "tool_order": "any",
            "extra_calls": "allow",
            "on_turn_failure": "continue",
        }
        assert (
            ExecutionConfig.model_validate(DEFAULT_EXECUTION_CONFIG).model_dump() == DEFAULT_EXECUTION_CONFIG
        )

    def test_nothing_is_set_by_default(self) -> None:
        assert set(ExecutionConfig().model_dump().values()) == {None}

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("parallel_test_cases", 0),
            ("parallel_test_cases", 1.5),
            ("parallel_test_cases", True),
            ("llm_timeout", 0),
            ("llm_timeout", float("inf")),
            ("file_timeout", -1),
            ("download_timeout", 0),
            ("retries", -1),
            ("tool_order", "sorted"),
            ("extra_calls", "deny"),
            ("on_turn_failure", "abort"),
        ],
    )
    def test_refuses(self, places: Places, key: str, value: Any) -> None:
        assert places(ExecutionConfig, {key: value}) == [key]

    def test_a_number_may_come_from_a_variable(self) -> None:
        assert ExecutionConfig.model_validate({"parallel_test_cases": "4"}).parallel_test_cases == 4
