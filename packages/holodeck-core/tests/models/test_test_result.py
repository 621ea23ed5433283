from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from holodeck_core.models.test_result import (
    SCHEMA_VERSION,
    MetricResult,
    ReportSummary,
    TestReport,
    TestResult,
    ToolInvocation,
    TurnResult,
)

Places = Callable[[Any, Any], list[str]]

OLD_RESULT: dict[str, Any] = {
    "test_name": "simple",
    "test_input": "hi",
    "processed_files": [],
    "agent_response": "hello",
    "tool_calls": ["greet"],
    "expected_tools": ["greet"],
    "tools_matched": True,
    "metric_results": [{"metric_name": "bleu", "score": 0.8, "threshold": 0.5, "passed": True}],
    "ground_truth": "hello",
    "passed": True,
    "execution_time_ms": 12,
    "errors": [],
    "timestamp": "2026-01-02T03:04:05",
}
OLD_REPORT: dict[str, Any] = {
    "agent_name": "a",
    "agent_config_path": "agent.yaml",
    "results": [OLD_RESULT],
    "summary": {
        "total_tests": 1,
        "passed": 1,
        "failed": 0,
        "pass_rate": 100.0,
        "total_duration_ms": 12,
        "metrics_evaluated": {"bleu": 1},
        "average_scores": {"bleu": 0.8},
    },
    "timestamp": "2026-01-02T03:04:05Z",
    "holodeck_version": "0.0.1",
    "environment": {"python": "3.11"},
}
TURN: dict[str, Any] = {"turn_index": 0, "input": "hi", "passed": True, "execution_time_ms": 1}


class TestOlderJson:
    def test_loads_with_the_defaults_of_newer_fields(self) -> None:
        report = TestReport.model_validate_json(json.dumps(OLD_REPORT))
        assert (report.schema_version, report.run_id, report.complete) == (SCHEMA_VERSION, None, True)
        summary = report.summary
        assert (summary.errored, summary.unchecked, summary.metric_states) == (0, 0, {})
        [result] = report.results
        assert (result.turns, result.repeats, result.arg_match_details, result.grader_details) == (None,) * 4
        assert (result.status, result.checked, result.skipped, result.retry_count) == (
            "passed",
            True,
            False,
            0,
        )
        assert (result.session_id, result.index, result.case_hash, result.source, result.tags) == (
            None, None, None, None, []
        )  # fmt: skip
        assert (result.token_usage, result.tool_invocations) == (None, [])
        assert (result.metric_results[0].kind, result.metric_results[0].status) == ("standard", "scored")

    def test_token_usage_without_the_cache_fields(self) -> None:
        usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
        result = TestResult.model_validate({**OLD_RESULT, "token_usage": usage})
        assert result.token_usage is not None
        assert result.token_usage.cache_read_tokens == 0


@pytest.mark.parametrize(
    ("keys", "status"),
    [
        ({"passed": True}, "passed"),
        ({"passed": False}, "failed"),
        ({"passed": False, "skipped": True}, "skipped"),
        ({"passed": False, "status": "error"}, "error"),
    ],
    ids=repr,
)
def test_status_follows_from_the_verdict_where_it_is_absent(keys: dict[str, Any], status: str) -> None:
    assert TurnResult.model_validate({**TURN, **keys}).status == status
    assert TestResult.model_validate({**OLD_RESULT, **keys}).status == status


@pytest.mark.parametrize(
    ("keys", "status"),
    [
        ({"score": 0.5}, "scored"),
        ({"score": 0.0, "passed": False}, "scored"),
        ({"score": None}, "skipped"),
        ({}, "skipped"),
        ({"score": 0.0, "error": "ValueError: no"}, "error"),
        ({"score": 0.5, "status": "error"}, "error"),
    ],
    ids=repr,
)
def test_a_metrics_status_follows_from_score_and_error_where_it_is_absent(
    keys: dict[str, Any], status: str
) -> None:
    assert MetricResult.model_validate({"metric_name": "m", **keys}).status == status


def test_the_kind_of_a_metric_is_open() -> None:
    assert MetricResult(metric_name="m", kind="acme/pii", score=1.0).kind == "acme/pii"


def test_a_turn_has_the_defaults_of_its_table() -> None:
    turn = TurnResult.model_validate(TURN)
    assert (turn.response, turn.ground_truth, turn.expected_tools, turn.tools_matched) == (None,) * 4
    assert (turn.arg_match_details, turn.token_usage, turn.grader_details) == (None,) * 3
    assert (turn.tool_calls, turn.tool_invocations, turn.metric_results, turn.errors) == ([], [], [], [])
    assert (turn.skipped, turn.retry_count) == (False, 0)


def test_a_turns_input_is_kept_verbatim() -> None:
    assert TurnResult.model_validate({**TURN, "input": " hi\n"}).input == " hi\n"


@pytest.mark.parametrize(
    ("model", "data", "place"),
    [
        (TurnResult, {**TURN, "turn_index": -1}, "turn_index"),
        (TurnResult, {**TURN, "execution_time_ms": -1}, "execution_time_ms"),
        (TurnResult, {**TURN, "status": "ok"}, "status"),
        (TurnResult, {**TURN, "unknown": 1}, "unknown"),
        (TurnResult, {key: TURN[key] for key in TURN if key != "passed"}, "passed"),
        (TurnResult, {key: TURN[key] for key in TURN if key != "input"}, "input"),
        (MetricResult, {"metric_name": "m", "score": float("nan")}, "score"),
        (MetricResult, {"metric_name": "m", "status": "ok"}, "status"),
        (ToolInvocation, {"name": "f", "bytes": -1}, "bytes"),
        (ToolInvocation, {"name": "f", "args": [1]}, "args"),
        (TestResult, {**OLD_RESULT, "index": -1}, "index"),
        (TestReport, {**OLD_REPORT, "schema_version": 0}, "schema_version"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else str(value)[:40],
)
def test_refuses(places: Places, model: type, data: dict[str, Any], place: str) -> None:
    # A status that cannot be derived from the wrong field may be reported after it.
    first, *others = places(model, data)
    assert first == place
    assert others in ([], ["status"])


@pytest.mark.parametrize(
    ("counts", "accepted"),
    [
        ({"total_tests": 3, "passed": 2, "failed": 1, "errored": 1}, True),
        ({"total_tests": 0, "passed": 0, "failed": 0}, True),
        ({"total_tests": 3, "passed": 2, "failed": 0}, False),
        ({"total_tests": 3, "passed": 2, "failed": 2}, False),
        ({"total_tests": 3, "passed": 2, "failed": 0, "errored": 1}, False),
    ],
    ids=repr,
)
def test_passed_and_failed_are_all_tests(places: Places, counts: dict[str, int], accepted: bool) -> None:
    summary = {**counts, "pass_rate": 50, "total_duration_ms": 1}
    assert places(ReportSummary, summary) == ([] if accepted else [""])


@pytest.mark.parametrize("rate", [-1, 100.5])
def test_a_pass_rate_is_a_percentage(places: Places, rate: float) -> None:
    summary = {"total_tests": 0, "passed": 0, "failed": 0, "pass_rate": rate, "total_duration_ms": 1}
    assert places(ReportSummary, summary) == ["pass_rate"]


@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-02T03:04:05",
        "2026-01-02T03:04:05Z",
        "2026-01-02T05:04:05+02:00",
        datetime(2026, 1, 2, 5, 4, 5, tzinfo=timezone(timedelta(hours=2))),
    ],
    ids=repr,
)
def test_times_are_aware_and_utc(moment: Any) -> None:
    result = TestResult.model_validate({**OLD_RESULT, "timestamp": moment})
    assert result.timestamp == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert json.loads(result.model_dump_json())["timestamp"] == "2026-01-02T03:04:05Z"


def test_a_report_comes_back_from_its_json() -> None:
    turn = {
        **TURN,
        "tool_invocations": [{"name": "f", "args": {"a": [1, None]}, "result": {"b": 2}, "duration_ms": 0.5}],
        "expected_tools": ["g", {"name": "f", "args": {"a": {"fuzzy": "1"}}}],
        "grader_details": {"rows": {"x": 1}},
        "token_usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "partial": True},
    }
    report = TestReport.model_validate(
        {**OLD_REPORT, "results": [{**OLD_RESULT, "turns": [turn], "repeats": [OLD_RESULT]}]}
    )
    assert TestReport.model_validate_json(report.model_dump_json()) == report


@pytest.mark.parametrize("model", [TestResult, TestReport])
def test_is_no_test_class(model: Any) -> None:
    assert model.__test__ is False
