"""Suites that are built in code: what may answer, what may be asserted, and what is refused."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import (
    Agent,
    ArgMatcher,
    CodeMetric,
    ConfigError,
    EvaluationMetric,
    ExpectedTool,
    GraderContext,
    Metric,
    NoOptions,
    Reply,
    Score,
    Suite,
    TestCaseModel,
    TestReport,
    TextDelta,
    ToolCall,
    Turn,
    UserMessage,
    build_suite,
    load_suite,
    run_suite_sync,
)

EQUALITY = {"type": "standard", "metric": "equality"}
HELLO = {"input": "hello", "ground_truth": "hello!", "evaluations": [EQUALITY]}


def shout(text: str) -> str:
    return f"{text}!"


async def shout_later(text: str) -> str:
    return f"{text}!"


async def shout_in_parts(message: UserMessage) -> AsyncIterator[TextDelta]:
    yield TextDelta(message.text)
    yield TextDelta("!")


class Shouter:
    """One object for all cases; it must be left open."""

    closed = False

    def send(self, message: UserMessage) -> str:
        assert not self.closed
        return f"{message.text}!"

    def close(self) -> None:
        self.closed = True


class AsyncShouter:
    async def send(self, message: UserMessage) -> Reply:
        return Reply(f"{message.text}!")


class Streamer:
    async def stream(self, message: UserMessage) -> AsyncIterator[TextDelta]:
        yield TextDelta(f"{message.text}!")


class Called:
    def __call__(self, text: str) -> str:
        return f"{text}!"


class Scoring(Metric):
    Options = NoOptions

    def score(self, turn: GraderContext) -> Score:
        return Score(1.0)


class Desk:
    """Remembers a name for one conversation."""

    def __init__(self, case_name: str | None = None) -> None:
        self.case_name = case_name
        self.heard: list[str] = []

    async def send(self, message: UserMessage) -> Reply:
        self.heard.append(message.text)
        said = f"{self.case_name}: {' '.join(self.heard)}"
        return Reply(said, [ToolCall("note", {"count": len(self.heard)})])


def polite(turn: GraderContext) -> bool:
    return turn.agent_response.endswith("!")


def statuses(report: TestReport) -> list[str]:
    return [result.status for result in report.results]


@pytest.mark.parametrize(
    "agent",
    [
        pytest.param(shout, id="function"),
        pytest.param(lambda text: f"{text}!", id="lambda"),
        pytest.param(shout_later, id="coroutine function"),
        pytest.param(shout_in_parts, id="async generator function"),
        pytest.param(Shouter(), id="object with send"),
        pytest.param(AsyncShouter(), id="object with async send"),
        pytest.param(Streamer(), id="object with stream"),
        pytest.param(Called(), id="object that is called"),
    ],
)
def test_what_may_answer(agent: object) -> None:
    assert statuses(run_suite_sync(build_suite([HELLO, HELLO], agent=agent))) == ["passed", "passed"]


def test_an_object_that_is_given_is_left_open() -> None:
    agent = Shouter()
    run_suite_sync(build_suite([HELLO], agent=agent))
    assert not agent.closed


def test_a_factory_makes_an_agent_for_each_case() -> None:
    cases = [
        {"name": name, "turns": [{"input": "a"}, {"input": "b", "ground_truth": f"{name}: a b"}]}
        for name in ("one", "two")
    ]
    report = run_suite_sync(
        build_suite(cases, factory=Desk, evaluations=[EQUALITY], settings={"parallel_test_cases": 2})
    )
    assert [result.turns[1].passed for result in report.results if result.turns] == [True, True]


def test_a_described_agent_is_run_as_one_from_a_file_is() -> None:
    described = {"name": "s", "model": {"provider": "scripted", "replies": [{"reply": "hello!"}]}}
    for agent in (described, Agent.model_validate(described)):
        assert statuses(run_suite_sync(build_suite([HELLO], agent=agent))) == ["passed"]


def test_an_agent_may_bring_its_own_cases() -> None:
    agent = Agent.model_validate(
        {
            "name": "s",
            "model": {"provider": "scripted", "replies": [{"reply": "hello!"}]},
            "test_cases": [HELLO],
            "execution": {"llm_timeout": 3},
        }
    )
    suite = build_suite(agent=agent)
    assert (len(suite.cases), suite.llm_timeout) == (1, 3)
    assert build_suite(agent=agent, settings={"llm_timeout": 4}).llm_timeout == 4
    assert statuses(run_suite_sync(suite)) == ["passed"]


def test_a_backend_is_an_agent_too(tmp_path: Path) -> None:
    backend = build_suite([HELLO], agent=shout).backend
    assert statuses(run_suite_sync(build_suite([HELLO], agent=backend))) == ["passed"]


def test_cases_are_models_or_mappings_at_every_level() -> None:
    note = ExpectedTool(name="note", args={"count": ArgMatcher.from_yaml({"approx": 1})})
    models: list[Any] = [
        TestCaseModel(turns=[Turn(input="a", expected_tools=[note])]),
        {"turns": [Turn(input="a", expected_tools=[note])]},
        {"turns": ({"input": "a", "expected_tools": [{"name": "note", "args": {"count": 1}}]},)},
        TestCaseModel(input="a", expected_tools=["other"]),
    ]
    report = run_suite_sync(build_suite(models, factory=Desk))
    assert statuses(report) == ["passed", "passed", "passed", "failed"]


@pytest.mark.parametrize(
    "evaluation",
    [
        pytest.param(polite, id="function"),
        pytest.param(lambda turn: turn.agent_response == "hello!", id="lambda"),
        pytest.param({"type": "code", "grader": polite, "name": "polite"}, id="mapping"),
        pytest.param(CodeMetric.of(polite, threshold=0.5), id="model"),
        pytest.param(EvaluationMetric(metric="equality"), id="another metric"),
    ],
)
@pytest.mark.parametrize("level", ["agent", "case", "turn"])
def test_a_grader_may_be_a_function_at_every_level(evaluation: Any, level: str) -> None:
    turn: dict[str, Any] = {"input": "hello", "ground_truth": "hello!"}
    case: dict[str, Any] = {"turns": [turn]}
    keys: dict[str, Any] = {}
    {"agent": keys, "case": case, "turn": turn}[level]["evaluations"] = [evaluation]
    agents: list[tuple[object, str]] = [(shout, "passed"), (lambda text: text, "failed")]
    for agent, status in agents:
        suite = build_suite([case], agent=agent, **keys)
        assert statuses(run_suite_sync(suite)) == [status]


def test_two_functions_of_one_name_are_two_graders() -> None:
    right, wrong = (lambda turn: True), (lambda turn: False)
    cases = [{"input": "a", "evaluations": [grader]} for grader in (right, wrong, right)]
    assert statuses(run_suite_sync(build_suite(cases, agent=shout))) == ["passed", "failed", "passed"]


def test_a_suite_is_named_after_its_agent_unless_it_is_given_a_name() -> None:
    names = [
        build_suite([HELLO], agent=shout).agent.name,
        build_suite([HELLO], agent=Shouter()).agent.name,
        build_suite([HELLO], agent=lambda text: text).agent.name,
        build_suite([HELLO], agent=shout, name="the desk").agent.name,
    ]
    assert names == ["shout", "Shouter", "lambda", "the desk"]


def test_nothing_is_replaced_or_read_besides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "holodeck.yaml").write_text("execution: {llm_timeout: 1}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOLODECK_RETRIES", "7")
    monkeypatch.setenv("WORD", "secret")
    suite = build_suite([{"input": "${WORD}"}], agent=shout)
    assert (suite.llm_timeout, suite.retries) == (60, 2)
    assert run_suite_sync(suite).results[0].agent_response == "${WORD}!"


def test_every_mistake_is_told_with_its_place_and_a_hint() -> None:
    cases: list[Any] = [
        {"name": "first", "turns": [{"inptu": "a"}]},
        {"input": "a", "evaluations": [{"type": "standard", "metric": "equalty"}]},
        {"input": "a", "expected_tools": [{"name": "f", "args": {"x": {"regex": "("}}}]},
    ]
    with pytest.raises(ConfigError) as caught:
        build_suite(cases, agent=shout, settings={"retries": -1})
    problems = [(problem.file, problem.line, problem.path) for problem in caught.value.problems]
    assert problems == [
        (None, None, "settings.retries"),
        (None, None, 'test_cases[0] "first" turns[0].inptu'),
        (None, None, "test_cases[1].evaluations[0].metric"),
        (None, None, 'test_cases[2].expected_tools[0] "f".args.x.regex'),
    ]
    assert 'did you mean "input"?' in caught.value.problems[1].message


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        ({}, TypeError, "either an `agent` or a `factory`"),
        ({"agent": shout, "factory": Desk}, TypeError, "either an `agent` or a `factory`"),
        ({"agent": Desk}, TypeError, "Desk is a class: give it as `factory`"),
        ({"agent": 7}, TypeError, "an agent is an object with send"),
        (
            {"agent": shout, "evaluations": [Scoring]},
            TypeError,
            "Scoring is a Metric as plugins contribute it",
        ),
        (
            {"agent": shout, "evaluations": [Scoring(NoOptions())]},
            TypeError,
            "Scoring is a Metric as plugins",
        ),
        (
            {"factory": shout},
            ValueError,
            "its parameter `text` has no value: bind it with `functools.partial`",
        ),
        ({"factory": 7}, ValueError, "which cannot be called"),
        ({"agent": {"name": "x"}}, ConfigError, "model"),
    ],
)
def test_arguments_that_are_none_are_refused(keys: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        build_suite([HELLO], **keys)


def test_a_built_suite_is_kept_and_says_what_it_is(tmp_path: Path) -> None:
    suite = build_suite([HELLO], agent=shout)
    run_suite_sync(suite, run_dir=tmp_path)
    [folder] = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert '"agent": "' in (folder / "run.json").read_text(encoding="utf-8")
    assert suite.path is None
    assert run_suite_sync(suite).results[0].source is None


def test_what_a_file_says_and_what_code_says_are_the_same_suite(tmp_path: Path) -> None:
    described: dict[str, Any] = {
        "name": "s",
        "model": {"provider": "scripted", "replies": [{"reply": "hello!"}]},
        "test_cases": [HELLO],
    }
    (tmp_path / "agent.json").write_text(json.dumps(described), encoding="utf-8")
    loaded, built = load_suite(tmp_path / "agent.json"), build_suite(agent=described, folder=tmp_path)

    def hashes(suite: Suite) -> list[str | None]:
        return [case.content_hash for case in suite.cases]

    assert hashes(loaded) == hashes(built)
    assert loaded.fingerprint == built.fingerprint


def test_secrets_of_a_described_agent_are_known() -> None:
    agent = Agent.model_validate(
        {"name": "s", "model": {"provider": "scripted", "api_key": "sk-0123456789", "replies": []}}
    )
    suite = build_suite([{"input": "a"}], agent=agent)
    assert "sk-0123456789" not in str(suite.configuration)
    assert "sk-0123456789" not in suite.secrets.redact_shown("it is sk-0123456789")
