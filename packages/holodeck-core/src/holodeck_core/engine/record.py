"""The record of a conversation: written once when it is over, read back as a TestResult when somebody asks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from pydantic_core import PydanticSerializationError, ValidationError, to_json

from holodeck_core.api.reply import ToolCall
from holodeck_core.api.suite import BoundCase, BoundTurn
from holodeck_core.api.values import thaw
from holodeck_core.engine.outcomes import CaseOutcome, MetricOutcome, TurnOutcome
from holodeck_core.engine.repeats import merge_records, plan_of_record, summarize
from holodeck_core.engine.rollup import roll_up, sum_up
from holodeck_core.errors import RunError
from holodeck_core.models.test_result import TestResult, TurnResult

_MOST_CASES = 1 << 24  # what is above is no index, and would cost memory

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")
).encode


def make_record(case: BoundCase, outcome: CaseOutcome) -> dict[str, Any]:
    """What is kept of one conversation of a case. Fields that hold their default are left out."""
    record: dict[str, Any] = {
        "index": case.index,
        "case_hash": case.content_hash,
        "test_name": case.name,
        "multi_turn": case.multi_turn,
        "status": outcome.status,
        "session_id": outcome.session_id,
        "timestamp": datetime.now(UTC).isoformat(),
        "checked": outcome.checked,
        "turns": [
            _turn(index, turn, found)
            for index, (turn, found) in enumerate(zip(case.turns, outcome.turns, strict=True))
        ],
    }
    if case.source is not None:
        record["source"] = case.source
    if case.tags:
        record["tags"] = case.tags
    if outcome.notes:
        record["notes"] = outcome.notes
    return record


def encode_record(record: dict[str, Any]) -> bytes:
    """One line of JSON, with its line break."""
    try:
        return to_json(record, inf_nan_mode="null") + b"\n"  # the same text as below, in half the time
    except PydanticSerializationError:  # a lone surrogate, or collections too deep in one another for it
        return _encode(record).encode("utf-8", "replace") + b"\n"


def parse_record(line: bytes) -> dict[str, Any] | None:
    """The record in a line; None for a line that holds none, such as one that a failing disk left or a hand changed."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    index = record.get("index")
    if type(index) is not int or not 0 <= index < _MOST_CASES:
        return None
    is_note = record.get("dropped") is True or isinstance(record.get("moved"), str)
    return record if is_note or _is_sound(record) else None


def _is_sound(record: dict[str, Any]) -> bool:
    """Whether it has what every record has. (What is in that, reading it tells, which takes longer.)"""
    turns = record.get("turns")
    return (
        record.get("status") in ("passed", "failed", "error")
        and isinstance(record.get("checked"), bool)
        and isinstance(record.get("multi_turn"), bool)
        and isinstance(turns, list)
        and turns != []
        and all(
            isinstance(turn, dict)
            and isinstance(turn.get("input"), str)
            and isinstance(turn.get("status"), str)
            and _is_duration(turn.get("execution_time_ms"))
            and isinstance(turn.get("metric_results"), list)
            for turn in turns
        )
    )


def unreadable(record: dict[str, Any]) -> RunError:
    """The error of a record that is sound in its outline only."""
    return RunError(f"the stored result of case {record['index'] + 1} cannot be read")


def _is_duration(milliseconds: object) -> bool:
    return type(milliseconds) is int and milliseconds >= 0


def merge_lines(lines: Iterable[bytes]) -> dict[str, Any]:
    """The record of a case, of the lines of its conversations, one for each repeat that counts, and of those that say
    where it stands since. Raises RunError."""
    noted = [json.loads(line) for line in lines]
    records = [record for record in noted if "moved" not in record]
    place = {"source": noted[-1]["moved"]} if len(records) < len(noted) else {}
    try:
        return merge_records([{**record, **place} for record in records] if place else records)
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(records[0]) from error


def places_of(lines: Iterable[bytes]) -> set[str | None]:
    """Where the conversations of a case stood, or where it was noted last to stand."""
    records = [json.loads(line) for line in lines]
    if "moved" in records[-1]:
        return {records[-1]["moved"]}
    return {record.get("source") for record in records}


def dropped_record(index: int) -> bytes:
    """The line that says that what was kept of a case before does not hold any more."""
    return encode_record({"index": index, "dropped": True})


def moved_record(index: int, source: str) -> bytes:
    """The line that says where the case of an index stands by now, after those of its conversations."""
    return encode_record({"index": index, "moved": source})


def _turn(index: int, turn: BoundTurn, found: TurnOutcome) -> dict[str, Any]:
    record: dict[str, Any] = {
        "turn_index": index,
        "input": turn.message.text,
        "response": found.response,
        "status": found.status,
        "passed": found.status == "passed",
        "execution_time_ms": round(found.duration_ms),
        "metric_results": [_metric(metric) for metric in found.metrics],
    }
    if turn.ground_truth is not None:
        record["ground_truth"] = turn.ground_truth
    if turn.expected_tools is not None:
        record["expected_tools"] = turn.expected_tools
    if found.calls:
        record["tool_calls"] = [call.name for call in found.calls]
        record["tool_invocations"] = [_call(call) for call in found.calls]
    if found.tools is not None:
        record["tools_matched"] = found.tools.matched
        record["arg_match_details"] = found.tools.details
        if found.tools.nearest:
            record["nearest_calls"] = found.tools.nearest
    if found.usage is not None:
        record["token_usage"] = found.usage
    if found.retry_count:
        record["retry_count"] = found.retry_count
    if found.status == "skipped":
        record["skipped"] = True
    errors = list(found.errors)
    details = {}
    for metric in found.metrics:
        if metric.error:
            errors.append(f"{metric.name}: {metric.error}")
        if metric.details is not None:
            details[metric.name] = metric.details
    if errors:
        record["errors"] = errors
    if details:
        record["grader_details"] = details
    return record


def _call(call: ToolCall) -> dict[str, Any]:
    # Plain values, which are encoded in half the time.
    record: dict[str, Any] = {"name": call.name, "args": thaw(call.args), "result": thaw(call.result)}
    if call.error is not None:
        record["error"] = call.error
    if call.duration_ms is not None:
        record["duration_ms"] = call.duration_ms
    if call.raw_args is not None:
        record["raw_args"] = call.raw_args
    return record


def _metric(metric: MetricOutcome) -> dict[str, Any]:
    record: dict[str, Any] = {
        "metric_name": metric.name,
        "kind": metric.kind,
        "status": metric.status,
        "score": metric.score,
        "passed": metric.passed,
        "evaluation_time_ms": round(metric.duration_ms),
    }
    if metric.threshold is not None:
        record["threshold"] = metric.threshold
    if metric.scale is not None:
        record["scale"] = metric.scale
    if metric.reason is not None:
        record["reasoning"] = metric.reason
    if metric.error is not None:
        record["error"] = metric.error
    if metric.model_used is not None:
        record["model_used"] = metric.model_used
    if metric.retry_count:
        record["retry_count"] = metric.retry_count
    return record


def read_record(record: dict[str, Any]) -> TestResult:
    """The result that the record of a case tells of, with what follows from its turns and its repeats.

    A case written with ``turns`` has them; for one written with ``input`` the result itself carries the turn's fields.
    Raises RunError for a record that is not as this module writes them.
    """
    try:
        return _read(record)
    except (ValidationError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise unreadable(record) from error


def _read(record: dict[str, Any]) -> TestResult:
    repeats, plan = record.get("repeats"), plan_of_record(record)
    result = _one_result(_alone(record))
    if repeats is None or plan is None:
        return result
    results = [_one_result(_alone(each)) for each in repeats]
    update = {
        "repeats": results,
        "repeat_summary": summarize(plan, [each["status"] for each in repeats]),
        **sum_up(results),
    }
    return result.model_copy(update=update)


def _alone(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what it says of repeats."""
    return {name: value for name, value in record.items() if name not in ("plan", "repeat", "repeats")}


def _one_result(record: dict[str, Any]) -> TestResult:
    turns = [TurnResult.model_validate(_with_sizes(turn)) for turn in record.pop("turns")]
    multi_turn = record.pop("multi_turn")
    notes = record.pop("notes", [])
    fields = roll_up(turns) if multi_turn else _single(turns[0])
    fields["errors"] = [*fields["errors"], *notes]
    return TestResult.model_validate(
        {
            **record,
            **fields,
            "passed": record["status"] == "passed",
            "turns": turns if multi_turn else None,
        }
    )


def _with_sizes(turn: dict[str, Any]) -> dict[str, Any]:
    for call in turn.get("tool_invocations", ()):
        call.setdefault("bytes", size_of(call["result"]))
    return turn


def size_of(result: object) -> int | None:
    """The size of a tool's result in bytes: of the text, or of anything else as JSON; None where there is none."""
    if result is None:
        return None
    return len((result if isinstance(result, str) else _encode(result)).encode("utf-8"))


_FROM_TURN = (
    "ground_truth",
    "expected_tools",
    "tool_calls",
    "tool_invocations",
    "tools_matched",
    "arg_match_details",
    "nearest_calls",
    "metric_results",
    "token_usage",
    "grader_details",
    "skipped",
    "errors",
    "execution_time_ms",
    "retry_count",
)


def _single(turn: TurnResult) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(turn, name) for name in _FROM_TURN}
    return {**fields, "test_input": turn.input, "agent_response": turn.response}
