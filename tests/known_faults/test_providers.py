"""Agents of a provider: calls, streams, tokens and conversations as such tools have been found to lose them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from openai_server.fixture import OpenAIServer, openai_process, openai_server  # noqa: F401 - fixtures

from holodeck_core import TestReport, TestResult, TokenUsage, TurnResult

Play: TypeAlias = Callable[[dict[str, Any]], OpenAIServer]
Hold: TypeAlias = Callable[..., TestReport]

TOOLS = """
log = []

def subtract(a, b):
    log.append([a, b])
    a["n"] = 0
    return 5

def now() -> str:
    return "noon"

def delete_all(dry_run: bool) -> str:
    return "all gone"

def lookup() -> int:
    return 42

def get_status(order: str) -> str:
    return f"{order} is on its way"
"""

EQUALITY = [{"type": "standard", "metric": "equality"}]


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def hold(
    request: pytest.FixtureRequest,
    run: Callable[..., TestReport],
    openai_process: OpenAIServer,  # noqa: F811
) -> Hold:
    """Holds the cases with an agent of the scripted server, which has the tools above."""

    def hold(*cases: dict[str, Any], tools: tuple[str, ...] = (), **agent: Any) -> TestReport:
        functions = [
            {"type": "function", "name": name, "file": "fault_tools.py", "function": name} for name in tools
        ]
        model = {
            "provider": "openai",
            "name": "small",
            "endpoint": openai_process.endpoint,
            "stream": request.param,
        }
        whole = {"model": model, "instructions": {"inline": "Help."}, "tools": functions, **agent}
        return run({**whole, "test_cases": list(cases)}, fault_tools=TOOLS)

    return hold


def only(report: TestReport) -> tuple[TestResult, list[TurnResult]]:
    [case] = report.results
    return case, case.turns or []


def calling(name: str, reply: str, **call: Any) -> list[dict[str, Any]]:
    """The steps of a turn that calls a tool."""
    return [{"calls": [{"name": name, **call}]}, {"text": reply}]


def test_a_call_is_captured_once_with_the_arguments_it_was_given(openai_server: Play, hold: Hold) -> None:  # noqa: F811
    openai_server({"turns": [{"steps": calling("subtract", "5", args={"a": {"n": 9}, "b": 4})}]})
    expected = [{"name": "subtract", "args": {"a": {"n": 9}, "b": 4}, "max_count": 1}]
    case, [turn] = only(
        hold({"name": "c", "turns": [{"input": "9 - 4?", "expected_tools": expected}]}, tools=("subtract",))
    )
    assert (case.status, turn.response) == ("passed", "5")
    [call] = turn.tool_invocations or []
    assert (call.name, call.args, call.result) == ("subtract", {"a": {"n": 9}, "b": 4}, 5)


def test_pieces_without_text_are_not_the_end(openai_server: Play, hold: Hold) -> None:  # noqa: F811
    steps = [{"pieces": ["", ""], "calls": [{"name": "lookup"}]}, {"pieces": ["", "The ", "", "answer is 5"]}]
    openai_server({"turns": [{"steps": steps}]})
    _, [turn] = only(
        hold({"name": "c", "turns": [{"input": "go", "expected_tools": ["lookup"]}]}, tools=("lookup",))
    )
    assert (turn.status, turn.response, len(turn.tool_invocations or [])) == ("passed", "The answer is 5", 1)


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        ([{"prompt": 12, "completion": 1}, {"prompt": 30, "completion": 4}], (42, 5, 47, False)),
        ([None, None], None),
        ([{"prompt": 12, "completion": 1}, None], (12, 1, 13, True)),
    ],
    ids=["all of it", "nothing", "a part"],
)
def test_tokens_are_those_of_all_completions_or_none(
    openai_server: Play,  # noqa: F811
    hold: Hold,
    usages: list[Any],
    expected: tuple[int, int, int, bool] | None,
) -> None:
    called, answered = calling("lookup", "42")
    openai_server({"turns": [{"steps": [{**called, "usage": usages[0]}, {**answered, "usage": usages[1]}]}]})
    case, [turn] = only(
        hold({"name": "c", "turns": [{"input": "go", "expected_tools": ["lookup"]}]}, tools=("lookup",))
    )
    for usage in (turn.token_usage, case.token_usage):
        assert _counts(usage) == expected


def _counts(usage: TokenUsage | None) -> tuple[int, int, int, bool] | None:
    if usage is None:
        return None
    return usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, usage.partial


@pytest.mark.parametrize("raw", ["", "  ", "null", "{}"])
def test_an_empty_text_is_no_arguments(openai_server: Play, hold: Hold, raw: str) -> None:  # noqa: F811
    openai_server({"turns": [{"steps": calling("now", "noon", raw=raw)}]})
    case, [turn] = only(
        hold({"name": "c", "turns": [{"input": "now?", "expected_tools": [{"name": "now"}]}]}, tools=("now",))
    )
    [call] = turn.tool_invocations or []
    assert (case.status, call.args, call.raw_args, call.result) == ("passed", {}, None, "noon")


@pytest.mark.parametrize(
    ("expected", "status"),
    [
        ([{"name": "delete_all"}], "passed"),
        ([{"name": "delete_all", "args": {"dry_run": True}}], "failed"),
        ([{"name": "delete_all", "status": "success"}], "failed"),
    ],
    ids=["its name", "its arguments", "its success"],
)
def test_arguments_that_are_cut_off_are_kept_and_not_taken_for_none(
    openai_server: Play,  # noqa: F811
    hold: Hold,
    expected: list[Any],
    status: str,
) -> None:
    raw = '{"dry_run": true'
    openai_server({"turns": [{"steps": calling("delete_all", "done", raw=raw)}]})
    _, [turn] = only(
        hold({"name": "c", "turns": [{"input": "go", "expected_tools": expected}]}, tools=("delete_all",))
    )
    [call] = turn.tool_invocations or []
    assert (turn.status, call.raw_args, call.result) == (status, raw, None)
    assert call.error is not None
    assert "no JSON object" in call.error


def test_calls_without_a_reply_are_no_success(openai_server: Play, hold: Hold) -> None:  # noqa: F811
    openai_server({"turns": [{"steps": calling("lookup", "")}]})
    turns = [
        {"input": "Look it up", "ground_truth": "42", "expected_tools": ["lookup"], "evaluations": EQUALITY}
    ]
    _, [turn] = only(hold({"name": "c", "turns": turns}, tools=("lookup",)))
    assert (turn.status, turn.response, turn.tools_matched) == ("failed", "", True)
    assert [metric.passed for metric in turn.metric_results or []] == [False]


@pytest.mark.parametrize("parallel", [1, 3])
def test_no_case_answers_from_the_history_of_another(
    openai_server: Play,  # noqa: F811
    hold: Hold,
    parallel: int,
) -> None:
    # The second turn of a conversation would be answered without a call.
    asked = "Order status of A1?"
    server = openai_server(
        {"turns": [{"user": asked, "turn": 1, "steps": calling("get_status", "{{results}}", args={"order": "A1"})},
                   {"text": "As I said."}]}
    )  # fmt: skip
    cases = [
        {"name": name, "turns": [{"input": asked, "expected_tools": ["get_status"]}]} for name in ("a", "b", "c")
    ]  # fmt: skip
    report = hold(*cases, tools=("get_status",), execution={"parallel_test_cases": parallel})
    assert [result.status for result in report.results] == ["passed"] * 3
    assert sorted(len(request["body"]["messages"]) for request in server.requests()) == [2, 2, 2, 4, 4, 4]


def test_the_turns_of_a_case_are_one_conversation(openai_server: Play, hold: Hold) -> None:  # noqa: F811
    openai_server({"turns": [{"pattern": "Remember the code (\\d+)", "text": "Yes."}, {"text": "{{users}}"}]})
    turns = [
        {"input": "Remember the code 7391", "expected_tools": []},
        {
            "input": "What was it?",
            "ground_truth": "Remember the code 7391 | What was it?",
            "evaluations": EQUALITY,
        },
    ]
    case, _ = only(hold({"name": "c", "turns": turns}))
    assert case.status == "passed"
    assert case.session_id


def test_a_failed_turn_shows_nothing_of_the_turn_before(openai_server: Play, hold: Hold) -> None:  # noqa: F811
    openai_server(
        {
            "turns": [
                {"user": "one", "steps": calling("lookup", "first answer")},
                {"user": "two", "fault": "unauthorized"},
            ]
        }
    )
    turns = [
        {"input": text, "ground_truth": "first answer", "expected_tools": ["lookup"], "evaluations": EQUALITY}
        for text in ("one", "two")
    ]
    _, [first, second] = only(hold({"name": "c", "turns": turns}, tools=("lookup",)))
    assert (first.status, second.status) == ("passed", "error")
    assert (second.response or "", second.tool_invocations or [], second.token_usage) == ("", [], None)
    assert [metric.passed for metric in second.metric_results or []] == []
    assert second.errors[0].startswith("AgentError: the provider refused the key (401)")


BUSY: list[tuple[str, list[dict[str, Any]], int, str | None]] = [
    # what it is called, what comes before an answer, how often it is tried again, and why it was given up
    ("in milliseconds", [{"fault": "rate_limit", "retry_after_ms": 40}], 1, None),
    ("at a date", [{"fault": "rate_limit", "retry_after_date": 1}], 1, None),
    ("not said when", [{"fault": "rate_limit"}], 1, None),
    ("before now", [{"fault": "rate_limit", "retry_after": -1}], 1, None),
    ("some day", [{"fault": "rate_limit", "retry_after": "soon"}], 1, None),
    ("tomorrow", [{"fault": "rate_limit", "retry_after": 86400}], 0, "asks to wait 86400 s"),
    ("three times", [{"fault": "rate_limit", "retry_after_ms": 10}] * 3, 2, "given up after 3 attempts"),
    ("reset", [{"fault": "drop"}], 1, None),
    ("500", [{"fault": "server_error"}], 1, None),
    ("502", [{"fault": "bad_gateway"}], 1, None),
    ("503", [{"fault": "overloaded"}, {"fault": "overloaded"}], 2, None),
    ("400", [{"fault": "invalid_request"}], 0, "400"),
    ("401", [{"fault": "unauthorized"}], 0, "401"),
    ("404", [{"fault": "model_not_found"}], 0, "404"),
]


def test_what_passes_is_tried_again_and_costs_no_other_case(
    openai_server: Play,  # noqa: F811
    hold: Hold,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("holodeck_core.engine.pace.FIRST_WAIT_S", 0.01)
    answer = {"text": "here", "usage": {"prompt": 10, "completion": 2}}
    openai_server({"turns": [{"user": name, **answer, "first": faults} for name, faults, _, _ in BUSY]})
    metrics = {"metrics": EQUALITY}
    cases = [{"name": name, "input": name, "ground_truth": "here"} for name, *_ in BUSY]
    report = hold(*cases, evaluations=metrics, execution={"parallel_test_cases": 4})
    assert report.complete
    for result, (name, _, retries, told) in zip(report.results, BUSY, strict=True):
        assert (result.status, result.retry_count) == ("error" if told else "passed", retries), (
            name,
            result.errors,
        )
        assert told is None or told in result.errors[0]
        assert _counts(result.token_usage) == (None if told else (10, 2, 12, False)), name
