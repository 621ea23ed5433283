"""The converter of recorded conversations, function by function."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def converter(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("airline/convert.py")


def action(name: str, **kwargs: Any) -> dict[str, Any]:
    return {"name": name, "kwargs": kwargs}


def tool_call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


# Which turn each expected action stands on, by the calls of the conversation as (turn, name, arguments).
PLACES: dict[str, tuple[list[tuple[int, str, dict[str, Any]]], list[dict[str, Any]], list[int]]] = {
    "on the turn of its call": ([(0, "a", {}), (2, "b", {"x": 1})], [action("b", x=1)], [2]),
    "each needs a call of its own": (
        [(1, "b", {"x": 1}), (3, "b", {"x": 1})],
        [action("b", x=1), action("b", x=1)],
        [1, 3],
    ),
    "not greedy: the first action leaves the call that only the second can have": (
        [(1, "b", {"x": 1, "y": 2}), (3, "b", {"x": 1})],
        [action("b", x=1), action("b", x=1, y=2)],
        [3, 1],
    ),
    "no equal call: the first turn with an unused call of that name": (
        [(1, "b", {"x": 1}), (2, "b", {"x": 2}), (3, "b", {"x": 3})],
        [action("b", x=9), action("b", x=1), action("b", x=8)],
        [2, 1, 3],
    ),
    "no call left: the last turn": ([(1, "b", {"x": 1})], [action("b", x=1), action("b", x=1)], [1, 5]),
    "no call of that name: the last turn": ([(1, "a", {})], [action("b")], [5]),
    "a name is compared whole": ([(1, "book_all", {})], [action("book")], [5]),
    "true is not 1": ([(1, "b", {"x": 1}), (2, "b", {"x": True})], [action("b", x=True)], [2]),
    "true is not 1, at any depth": (
        [(1, "b", {"x": [{"y": 1}]}), (2, "b", {"x": [{"y": True}]})],
        [action("b", x=[{"y": True}])],
        [2],
    ),
    "1 is 1.0": ([(1, "b", {"x": 2}), (2, "b", {"x": 1.0})], [action("b", x=1)], [2]),
    "a list is compared in order": (
        [(1, "b", {"x": [1, 2]}), (2, "b", {"x": [2, 1]})],
        [action("b", x=[2, 1])],
        [2],
    ),
    "a mapping is compared whole": (
        [(1, "b", {"x": {"y": 1, "z": 2}}), (2, "b", {"x": {"y": 1}})],
        [action("b", x={"y": 1})],
        [2],
    ),
}


@pytest.mark.parametrize(("calls", "actions", "turns"), PLACES.values(), ids=PLACES)
def test_where_an_expected_action_stands(
    converter: ModuleType, calls: list[Any], actions: list[Any], turns: list[int]
) -> None:
    assert converter.turns_of(actions, [converter.Call(*call) for call in calls], 5) == turns


def test_calls_belong_to_the_user_message_before_them(converter: ModuleType) -> None:
    messages = [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [tool_call("a", '{"x": 1}'), tool_call("b", "{}")],
        },
        {"role": "tool", "content": "ok", "name": "a", "tool_call_id": "1"},
        {"role": "assistant", "content": "hello", "tool_calls": None},
        {"role": "user", "content": "bye"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [tool_call("a", "not json"), tool_call("a", "[]")],
        },
    ]
    calls = [(0, "a", {"x": 1}), (0, "b", {}), (1, "a", {}), (1, "a", {})]
    assert converter.recorded_calls(messages) == [converter.Call(*call) for call in calls]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5, 5),
        (None, None),
        (["a", 1], ["a", 1]),
        ({"fuzzy": "a"}, {"literal": {"fuzzy": "a"}}),
        ([{"regex": "a"}], {"literal": [{"regex": "a"}]}),
        ([[{"a": 1}]], {"literal": [[{"a": 1}]]}),
        ({"literal": 1}, {"literal": {"literal": 1}}),
    ],
    ids=str,
)
def test_no_argument_is_read_as_a_matcher(converter: ModuleType, value: object, written: object) -> None:
    assert converter.expected_tool(action("b", x=value)) == {
        "name": "b",
        "match": "exact",
        "args": {"x": written},
    }


def test_a_turn_without_an_action_asserts_nothing(converter: ModuleType) -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "user", "content": "book"}]
    case = converter.case({"task_id": 3, "messages": messages, "expected_actions": [action("b")]})
    expected = {"name": "b", "match": "exact", "args": {}}
    assert case == {
        "name": "task 3",
        "conversation": "3",
        "turns": [{"input": "hi"}, {"input": "book", "expected_tools": [expected]}],
    }


def test_two_conversations_of_one_task_are_refused(converter: ModuleType, tmp_path: Path) -> None:
    record = {"task_id": 3, "messages": [{"role": "user", "content": "hi"}], "expected_actions": []}
    with pytest.raises(ValueError, match="more than one conversation has the task_id 3"):
        converter.write_suite([record, json.loads(json.dumps(record))], tmp_path)
