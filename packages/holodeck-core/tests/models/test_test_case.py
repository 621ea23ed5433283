from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.models.evaluation import CodeMetric, EvaluationMetric
from holodeck_core.models.test_case import ExpectedTool, FileInput, ForbiddenTool, TestCaseModel, Turn

Problems = Callable[[Any, Any], list[tuple[str, str]]]
Places = Callable[[Any, Any], list[str]]

EVERY_KEY_OF_A_TURN: dict[str, Any] = {
    "input": "What is 5 - 3?",
    "ground_truth": "2",
    "expected_tools": ["subtract", {"name": "add", "args": {"a": 1}, "count": 2}],
    "forbidden_tools": ["delete", {"name": "drop_*", "match": "glob"}],
    "extra_calls": "forbid",
    "tool_order": "in_order",
    "files": [{"path": "a.pdf", "type": "pdf", "pages": [1, 3]}],
    "retrieval_context": ["page one"],
    "evaluations": [{"type": "standard", "metric": "equality"}],
    "turn_config": {"program": ["subtract(5, 3)"]},
}


class TestTurn:
    def test_takes_these_keys(self) -> None:
        turn = Turn.model_validate(EVERY_KEY_OF_A_TURN)
        assert set(EVERY_KEY_OF_A_TURN) == set(Turn.model_fields)
        assert turn.expected_tools is not None
        assert turn.expected_tools[0] == "subtract"
        assert turn.expected_tools[1] == ExpectedTool(name="add", args={"a": 1}, count=2)
        assert turn.forbidden_tools == ["delete", ForbiddenTool(name="drop_*", match="glob")]
        assert turn.evaluations == [EvaluationMetric(metric="equality")]

    def test_asserts_nothing_by_default(self) -> None:
        assert Turn(input="hi").model_dump(exclude={"input"}) == dict.fromkeys(
            key for key in EVERY_KEY_OF_A_TURN if key != "input"
        )

    def test_input_is_trimmed(self) -> None:
        assert Turn(input="  hi\n").input == "hi"

    def test_ground_truth_is_kept_as_it_stands(self) -> None:
        assert Turn(input="x", ground_truth=" 2\n").ground_truth == " 2\n"

    def test_an_empty_list_of_tools_is_not_the_same_as_none(self) -> None:
        assert Turn(input="x", expected_tools=[]).expected_tools == []

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"input": None}, "input"),
            ({"input": ""}, "input"),
            ({"input": " \n\t"}, "input"),
            ({"input": 5}, "input"),
            ({"ground_truth": ""}, "ground_truth"),
            ({"ground_truth": 5}, "ground_truth"),
            ({"expected_tools": "subtract"}, "expected_tools"),
            ({"expected_tools": [""]}, "expected_tools[0]"),
            ({"expected_tools": ["  "]}, "expected_tools[0]"),
            ({"expected_tools": [5]}, "expected_tools[0]"),
            ({"expected_tools": [["a"]]}, "expected_tools[0]"),
            ({"expected_tools": [{}]}, "expected_tools[0].name"),
            ({"forbidden_tools": [None]}, "forbidden_tools[0]"),
            ({"forbidden_tools": [{"name": "a", "count": 1}]}, "forbidden_tools[0].count"),
            ({"extra_calls": "maybe"}, "extra_calls"),
            ({"tool_order": "strict"}, "tool_order"),
            ({"files": [{"path": "a", "type": "text"}] * 11}, "files"),
            ({"retrieval_context": "page"}, "retrieval_context"),
            ({"evaluations": {"metrics": []}}, "evaluations"),
            ({"turn_config": ["a"]}, "turn_config"),
            ({"turn_config": {"a": {1, 2}}}, "turn_config.a"),
            ({"inputs": "x"}, "inputs"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(Turn, {"input": "x", **keys}) == [place]

    def test_needs_an_input(self, places: Places) -> None:
        assert places(Turn, {}) == ["input"]

    def test_takes_ten_files(self, places: Places) -> None:
        assert places(Turn, {"input": "x", "files": [{"path": "a", "type": "text"}] * 10}) == []


class TestExpectedTool:
    def test_defaults(self) -> None:
        assert ExpectedTool(name="subtract").model_dump() == {
            "name": "subtract",
            "args": None,
            "count": 1,
            "max_count": None,
            "match": "contains",
            "extra_args": "allow",
            "status": "any",
            "result": None,
        }

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"name": ""}, "name"),
            ({"name": " "}, "name"),
            ({"count": 0}, "count"),
            ({"count": -1}, "count"),
            ({"count": 1.5}, "count"),
            ({"count": True}, "count"),
            ({"max_count": 0}, "max_count"),
            ({"count": 3, "max_count": 2}, "max_count"),
            ({"match": "prefix"}, "match"),
            ({"extra_args": "ignore"}, "extra_args"),
            ({"status": "ok"}, "status"),
            ({"result": {"regexp": "x"}}, "result.regexp"),
            ({"args": ["a"]}, "args"),
            ({"args": {"": 1}}, "args."),
            ({"args": {"a.b": 1}}, "args.a.b"),
            ({"args": {"a[0]": 1}}, "args.a[0]"),
            ({"args": {"a]": 1}}, "args.a]"),
            ({"args": {5: 1}}, "args"),
            ({"args": {"a": {"fuzzy": "x", "extra": 1}}}, "args.a.fuzzy"),
            ({"args": {"a": [1, {"b": {"re": "x"}}]}}, "args.a[1].b.re"),
            ({"kwargs": {}}, "kwargs"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(ExpectedTool, {"name": "f", **keys}) == [place]

    def test_a_count_of_zero_is_told_where_it_belongs(self, problems: Problems) -> None:
        [(_, message)] = problems(ExpectedTool, {"name": "f", "count": 0})
        assert "forbidden_tools" in message

    @pytest.mark.parametrize("keys", [{"max_count": 1}, {"count": 2, "max_count": 2}, {"max_count": None}])
    def test_max_count_may_equal_count(self, places: Places, keys: dict[str, Any]) -> None:
        assert places(ExpectedTool, {"name": "f", **keys}) == []

    def test_null_is_an_argument_value(self) -> None:
        args = ExpectedTool(name="f", args={"a": None}).args
        assert args is not None
        assert args["a"].kind == "literal"
        assert args["a"].value is None

    def test_all_mistakes_are_reported_at_once(self, places: Places) -> None:
        tool = {"count": 0, "match": "x", "args": {"a.b": {"fuzz": 1}, "c": {"regex": 1}}, "extra": 1}
        assert sorted(places(ExpectedTool, tool)) == [
            "args.a.b", "args.a.b.fuzz", "args.c.regex", "count", "extra", "match", "name"
        ]  # fmt: skip


def test_a_forbidden_tool_is_compared_exactly_by_default() -> None:
    assert ForbiddenTool(name="drop").match == "exact"


class TestFileInput:
    @pytest.mark.parametrize("kind", ["image", "pdf", "text", "excel", "word", "powerpoint", "csv"])
    def test_types(self, places: Places, kind: str) -> None:
        assert places(FileInput, {"path": "a", "type": kind}) == []

    def test_takes_these_keys(self) -> None:
        keys = {
            "url": "https://host.example/a.xlsx",
            "type": "excel",
            "description": "the sheet",
            "sheet": "2009",
            "range": "A1:B2",
            "cache": False,
        }
        assert FileInput.model_validate(keys).model_dump(exclude_none=True) == keys

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"type": "text"}, ""),
            ({"path": "a", "url": "b", "type": "text"}, "url"),
            ({"path": "", "type": "text"}, "path"),
            ({"path": "a"}, "type"),
            ({"path": "a", "type": "video"}, "type"),
            ({"path": "a", "type": "pdf", "pages": [0]}, "pages[0]"),
            ({"path": "a", "type": "pdf", "pages": []}, "pages"),
            ({"path": "a", "type": "pdf", "pages": 1}, "pages"),
            ({"path": "a", "type": "pdf", "page": 1}, "page"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(FileInput, keys) == [place]


class TestCase:
    def test_defaults(self) -> None:
        case = TestCaseModel(input="hi")
        assert (case.name, case.turns, case.tags, case.conversation) == (None, None, [], None)
        assert (case.repeat, case.min_pass_rate, case.on_turn_failure) == (1, 1.0, None)

    def test_with_input_takes_every_key_of_a_turn(self, places: Places) -> None:
        assert places(TestCaseModel, {"name": "one", **EVERY_KEY_OF_A_TURN}) == []

    @pytest.mark.parametrize("key", sorted(EVERY_KEY_OF_A_TURN.keys() - {"evaluations"}))
    def test_beside_turns_a_key_of_a_turn_is_an_error(self, problems: Problems, key: str) -> None:
        case = {"turns": [{"input": "x"}], key: EVERY_KEY_OF_A_TURN[key]}
        [(place, message)] = problems(TestCaseModel, case)
        assert place == key
        assert message == f"`turns` and `{key}` exclude each other: `{key}` belongs to a turn"

    def test_each_such_key_is_an_error_of_its_own(self, places: Places) -> None:
        case = {"turns": [{"input": "x"}], **EVERY_KEY_OF_A_TURN}
        assert sorted(places(TestCaseModel, case)) == sorted(EVERY_KEY_OF_A_TURN.keys() - {"evaluations"})

    def test_evaluations_beside_turns_hold_for_all_turns(self, places: Places) -> None:
        assert places(TestCaseModel, {"turns": [EVERY_KEY_OF_A_TURN], "evaluations": []}) == []

    @pytest.mark.parametrize("key", sorted(EVERY_KEY_OF_A_TURN))
    def test_null_is_absent(self, places: Places, key: str) -> None:
        assert places(TestCaseModel, {"turns": [{"input": "x"}], key: None}) == []

    @pytest.mark.parametrize(
        "case", [{}, {"name": "x"}, {"input": None}, {"turns": None}, {"ground_truth": "2"}]
    )
    def test_needs_input_or_turns(self, problems: Problems, case: dict[str, Any]) -> None:
        assert problems(TestCaseModel, case) == [("", "needs `input` (one turn) or `turns` (several)")]

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"input": None, "turns": []}, "turns"),
            ({"input": None, "turns": {"input": "x"}}, "turns"),
            ({"input": " "}, "input"),
            ({"name": ""}, "name"),
            ({"tags": "smoke"}, "tags"),
            ({"tags": [""]}, "tags[0]"),
            ({"conversation": ""}, "conversation"),
            ({"repeat": 0}, "repeat"),
            ({"repeat": True}, "repeat"),
            ({"min_pass_rate": -0.1}, "min_pass_rate"),
            ({"min_pass_rate": 1.1}, "min_pass_rate"),
            ({"on_turn_failure": "skip"}, "on_turn_failure"),
            ({"expected_tool": []}, "expected_tool"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(TestCaseModel, {"input": "x", **keys}) == [place]

    def test_structure_and_fields_are_reported_together(self, places: Places) -> None:
        case = {
            "name": "",
            "input": "x",
            "turns": [
                {"ground_truth": ""},
                {"input": "y", "expected_tools": [{"name": "f", "args": {"a": {"re": 1}}}]},
            ],
        }
        assert sorted(places(TestCaseModel, case)) == [
            "input", "name", "turns[0].ground_truth", "turns[0].input", "turns[1].expected_tools[0].args.a.re"
        ]  # fmt: skip

    def test_a_min_pass_rate_needs_no_repeat(self, places: Places) -> None:
        assert places(TestCaseModel, {"input": "x", "min_pass_rate": 0.5}) == []

    def test_a_recorded_conversation_may_be_numbered(self) -> None:
        assert TestCaseModel(input="x", conversation=12).conversation == "12"

    def test_round_trip(self) -> None:
        case = TestCaseModel.model_validate(
            {"name": "t", "turns": [EVERY_KEY_OF_A_TURN], "evaluations": [{"type": "code", "grader": "m:f"}]}
        )
        assert case.evaluations == [CodeMetric(grader="m:f")]
        assert TestCaseModel.model_validate(case.model_dump(exclude_none=True)) == case
        assert TestCaseModel.model_validate_json(case.model_dump_json()) == case

    def test_is_no_test_class(self) -> None:
        assert TestCaseModel.__test__ is False
