"""The schema of the report accepts what a report holds, and what an older one held."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from holodeck_core.config.schema import report_schema
from holodeck_core.models.test_result import TestReport

SUMMARY = {"total_tests": 1, "passed": 1, "failed": 0, "pass_rate": 100.0, "total_duration_ms": 3}
RESULT = {
    "test_input": "hi",
    "timestamp": "2026-01-02T03:04:05Z",
    "execution_time_ms": 3,
    "passed": True,
}
OLDEST = {
    "agent_name": "a",
    "results": [RESULT],
    "summary": SUMMARY,
    "timestamp": "2026-01-02T03:04:05Z",
    "holodeck_version": "0.1.0",
}
TURN = {
    "turn_index": 0,
    "input": "hi",
    "execution_time_ms": 3,
    "passed": True,
    "tool_invocations": [{"name": "add", "args": {"a": [None]}, "result": {"b": 1}}],
    "metric_results": [{"metric_name": "equality", "score": 1, "passed": True}],
    "token_usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
}


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = report_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(OLDEST, id="oldest"),
        pytest.param({**OLDEST, "results": [{**RESULT, "turns": [TURN]}]}, id="turns"),
        pytest.param({**OLDEST, "results": [{**RESULT, "repeats": [RESULT, RESULT]}]}, id="repeats"),
    ],
)
def test_a_report_is_accepted_as_it_was_written_and_as_it_is_written_now(
    validator: Draft202012Validator, report: dict[str, Any]
) -> None:
    assert not list(validator.iter_errors(report))
    assert not list(validator.iter_errors(TestReport.model_validate(report).model_dump(mode="json")))


@pytest.mark.parametrize(
    "report",
    [
        pytest.param({**OLDEST, "result": []}, id="unknown-key"),
        pytest.param({**OLDEST, "summary": {**SUMMARY, "passed": -1}}, id="negative-count"),
        pytest.param({**OLDEST, "results": [{**RESULT, "status": "ok"}]}, id="unknown-status"),
        pytest.param({key: value for key, value in OLDEST.items() if key != "summary"}, id="without-summary"),
    ],
)
def test_what_is_no_report_is_refused(validator: Draft202012Validator, report: dict[str, Any]) -> None:
    assert not validator.is_valid(report)
    with pytest.raises(ValueError, match="TestReport"):
        TestReport.model_validate(report)
