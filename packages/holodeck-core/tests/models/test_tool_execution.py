from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.models.tool_execution import ToolExecution, ToolStatus

Problems = Callable[[Any, Any], list[tuple[str, str]]]
Places = Callable[[Any, Any], list[str]]


def test_defaults() -> None:
    assert ToolExecution(tool_name="add").model_dump() == {
        "tool_name": "add",
        "parameters": {},
        "result": None,
        "status": ToolStatus.PENDING,
        "execution_time": None,
        "error_message": None,
    }


@pytest.mark.parametrize("status", ["pending", "running", "success"])
def test_statuses_that_need_no_message(places: Places, status: str) -> None:
    assert places(ToolExecution, {"tool_name": "add", "status": status}) == []


@pytest.mark.parametrize(
    "message", [{}, {"error_message": None}, {"error_message": ""}, {"error_message": " "}], ids=repr
)
def test_a_failure_says_why_even_when_the_field_is_left_out(
    problems: Problems, message: dict[str, Any]
) -> None:
    assert problems(ToolExecution, {"tool_name": "add", "status": "failed", **message}) == [
        ("", "`error_message` is required when `status` is failed")
    ]


def test_a_failure_with_a_message() -> None:
    execution = ToolExecution(tool_name="add", status=ToolStatus.FAILED, error_message="no such tool")
    assert execution.error_message == "no such tool"


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"tool_name": ""}, "tool_name"),
        ({"execution_time": -0.1}, "execution_time"),
        ({"status": "done"}, "status"),
        ({"parameters": [1]}, "parameters"),
        ({"duration": 1}, "duration"),
    ],
    ids=repr,
)
def test_refuses(places: Places, keys: dict[str, Any], place: str) -> None:
    assert places(ToolExecution, {"tool_name": "add", **keys}) == [place]


def test_nothing_in_it_can_reach_a_terminal_as_a_command() -> None:
    evil = "before\x1b[31mred\x1b]52;c;SGVsbG8=\x07after"
    execution = ToolExecution(
        tool_name="add",
        parameters={evil: [evil, {"deep": evil}, 5, None, True]},
        result=evil,
        status=ToolStatus.FAILED,
        error_message=evil,
    )
    assert "\x1b" not in repr(execution) + str(execution.model_dump())
    assert execution.result == "beforeredafter"
    assert execution.parameters == {
        "beforeredafter": ["beforeredafter", {"deep": "beforeredafter"}, 5, None, True]
    }


@pytest.mark.parametrize(
    ("name", "shown"), [("get\x1b]0;pwned\x07", "get"), ("\x1b[2J", "\ufffd"), ("add", "add")]
)
def test_the_name_is_safe_for_a_terminal(name: str, shown: str) -> None:
    assert ToolExecution(tool_name=name).tool_name == shown
