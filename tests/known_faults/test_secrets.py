"""Keys that ended up in reports, logs and error texts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import ConfigError, LLMConfig, load_suite, run_suite_sync

Write: TypeAlias = Callable[..., Path]

SECRET = "sk-test-not-real-123"
WRITTEN = "${HD_FAKE_KEY}"
MODEL = {"provider": "scripted", "name": "m", "replies": [{"reply": "hello"}], "api_key": WRITTEN}

SHOWN: list[tuple[str, Callable[[LLMConfig], str]]] = [
    ("repr", repr),
    ("str", str),
    ("a dump", lambda config: str(config.model_dump())),
    ("a dump for JSON", lambda config: str(config.model_dump(mode="json"))),
    ("JSON", lambda config: config.model_dump_json()),
    ("a copy", lambda config: repr(config.model_copy(update={"name": "n"}))),
    ("its attributes", lambda config: repr(vars(config))),
]


@pytest.mark.parametrize("show", [row[1] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_a_model_does_not_show_its_key(show: Callable[[LLMConfig], str]) -> None:
    assert SECRET not in show(LLMConfig(provider="openai", name="m", api_key=SECRET))


def test_a_key_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    config = LLMConfig(provider="openai", name="m", api_key=SECRET)
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("x").debug("%s %r", config, {"model": config})
    assert caplog.text
    assert SECRET not in caplog.text


# Where a key may stand in an agent file.
PLACES: list[tuple[str, dict[str, Any]]] = [
    ("the agent's model", {}),
    ("the embedding provider", {"embedding_provider": {"provider": "x", "name": "m", "api_key": WRITTEN}}),
    ("the model of the metrics", {"evaluations": {"model": MODEL, "metrics": []}}),
]


@pytest.mark.parametrize("more", [row[1] for row in PLACES], ids=[row[0] for row in PLACES])
def test_a_key_from_the_environment_is_in_no_report(
    write: Write, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    monkeypatch.setenv("HD_FAKE_KEY", SECRET)
    suite = load_suite(write({"model": MODEL, "test_cases": [{"input": "hi", "expected_tools": []}], **more}))
    report = run_suite_sync(suite)
    assert report.summary.passed == 1
    for text in (report.model_dump_json(), repr(report), repr(suite), suite.agent.model_dump_json()):
        assert SECRET not in text


# Mistakes in, or beside, a key that was replaced.
MISTAKES: list[tuple[str, dict[str, Any]]] = [
    ("beside it", {**MODEL, "temperature": 9}),
    ("in its type", {**MODEL, "api_key": [WRITTEN]}),
    ("in its place", {**MODEL, "temperature": WRITTEN}),
    ("in its name", {**MODEL, "api_keey": WRITTEN}),
    ("as a provider", {**MODEL, "provider": WRITTEN}),
    ("inside a text", {**MODEL, "top_p": f"a {WRITTEN} b"}),
]


@pytest.mark.parametrize("model", [row[1] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_told_without_the_key(
    write: Write, monkeypatch: pytest.MonkeyPatch, model: dict[str, Any]
) -> None:
    monkeypatch.setenv("HD_FAKE_KEY", SECRET)
    with pytest.raises(ConfigError) as caught:
        load_suite(write({"model": model, "test_cases": []}))
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value.problems)


@pytest.mark.parametrize(
    "line",
    [
        f"model: {{provider: scripted, replies: [], api_key: {SECRET}, temperature: 9}}",
        f"model: {{provider: scripted, replies: [], api_key: [{SECRET}]}}",
        f"model: {{provider: scripted, replies: [], endpoint: 'https://h.example/?api_key={SECRET}', top_q: 1}}",
        f"tools: [{{name: t, type: mcp, transport: http, headers: {{Authorization: Bearer {SECRET}}}, urls: x}}]",
        f"tools: [{{name: t, type: mcp, transport: stdio, command: x, env: {{ACME_TOKEN: {SECRET}}}, arg: []}}]",
    ],
    ids=["a key", "a malformed key", "a query", "a header", "an environment"],
)
def test_a_source_line_is_shown_without_the_key_in_it(write: Write, line: str) -> None:
    head = "" if line.startswith("model:") else "model: {provider: scripted, replies: []}\n"
    with pytest.raises(ConfigError) as caught:
        load_suite(write(f"name: desk\n{head}{line}\ntest_cases: []\n"))
    assert all(problem.source for problem in caught.value.problems)
    assert SECRET not in repr(caught.value.problems)
