"""The ConvFinQA converter and its analyst, function by function."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holodeck_core import Reply, ToolCall, UserMessage


@pytest.fixture
def analyst(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("convfinqa/analyst.py")


@pytest.fixture
def converter(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("convfinqa/convert.py")


def dialogue(name: str, *programs: str) -> dict[str, Any]:
    """A dialogue in the source's shape; its answers are of no interest."""
    count = len(programs)
    talk = {
        "conv_questions": ["?"] * count,
        "turn_program": list(programs),
        "executed_answers": [0.0] * count,
    }
    return {"id": name, "doc": {"pre_text": "", "post_text": "", "table": {}}, "dialogue": talk}


class TestPrograms:
    @pytest.mark.parametrize(
        ("token", "results", "number"),
        [
            ("60.94", [], 60.94),
            ("-5", [], -5.0),
            (".5", [], 0.5),
            ("33.2%", [], 33.2 / 100),
            ("const_100", [], 100.0),
            ("const_m1", [], -1.0),
            ("#0", [7.0, 8.0], 7.0),
            ("#1", [7.0, 8.0], 8.0),
        ],
    )
    def test_a_token_stands_for_a_number(
        self, analyst: ModuleType, token: str, results: Sequence[float], number: float
    ) -> None:
        assert analyst.operand(token, results) == number

    @pytest.mark.parametrize("token", ["", "ten", "#0", "#-1", "const_", "1,5"])
    def test_any_other_token_is_an_error(self, analyst: ModuleType, token: str) -> None:
        with pytest.raises(ValueError, match=r"."):
            analyst.operand(token, [])

    @pytest.mark.parametrize(
        ("program", "answer", "tools"),
        [
            ("25.14", 25.14, []),
            ("13.4%", 13.4 / 100, []),
            ("add(1, 2)", 3.0, ["add"]),
            ("subtract(60.94, 25.14), divide(#0, 25.14)", (60.94 - 25.14) / 25.14, ["subtract", "divide"]),
            ("add(1, 2), add(1, 2), multiply(#0, #1)", 9.0, ["add", "add", "multiply"]),
            ("exp(2, 10)", 1024.0, ["exp"]),
            ("greater(2, 1)", "yes", ["greater"]),
            ("greater(1, 1)", "no", ["greater"]),
            ("multiply(3,const_m1)", -3.0, ["multiply"]),
        ],
    )
    def test_a_program_gives_an_answer_and_calls(
        self, analyst: ModuleType, program: str, answer: float | str, tools: list[str]
    ) -> None:
        given_answer, calls = analyst.run(program)
        assert given_answer == answer
        assert [call.name for call in calls] == tools
        assert all(call.error is None for call in calls)

    @pytest.mark.parametrize(
        "program",
        [
            "table_max(sales, none)",
            "add(1, 2) and more",
            "add(1)",
            "add(1, 2, 3)",
            "add(1, add(2, 3))",
            "add(#0, 1)",
        ],
    )
    def test_what_is_no_program_is_an_error(self, analyst: ModuleType, program: str) -> None:
        with pytest.raises(ValueError, match=r"not a program|refers to a result"):
            analyst.run(program)


class TestFaults:
    CALLS = (ToolCall("add", {"a": 1.0, "b": 2.0}, 3.0), ToolCall("divide", {"a": 3.0, "b": 0.5}, 6.0))

    @pytest.mark.parametrize(
        ("fault", "right_answer", "calls"),
        [
            ({"kind": "wrong_answer"}, False, [("add", 1.0, 2.0), ("divide", 3.0, 0.5)]),
            ({"kind": "dropped_call", "call": 0}, True, [("divide", 3.0, 0.5)]),
            ({"kind": "dropped_call", "call": 1}, True, [("add", 1.0, 2.0)]),
            (
                {"kind": "altered_argument", "call": 1, "argument": "b"},
                True,
                [("add", 1.0, 2.0), ("divide", 3.0, pytest.approx(0.52))],
            ),
        ],
        ids=["answer", "first-call", "last-call", "argument"],
    )
    def test_a_fault_breaks_one_thing(
        self, analyst: ModuleType, fault: dict[str, Any], right_answer: bool, calls: list[Any]
    ) -> None:
        answer, spoiled = analyst.Fault(turn=0, **fault).spoil(6.0, list(self.CALLS))
        assert (answer == 6.0) is right_answer
        assert [(call.name, call.args["a"], call.args["b"]) for call in spoiled] == calls

    @given(st.floats(-1e15, 1e15))
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_another_number_is_off_by_more_than_one_percent(self, analyst: ModuleType, number: float) -> None:
        off = abs(analyst.other_than(number) - number)
        assert off > 0.01 * abs(number)
        assert off > 0.009

    @pytest.mark.parametrize(("answer", "other"), [("yes", "no"), ("no", "yes")])
    def test_the_other_word(self, analyst: ModuleType, answer: str, other: str) -> None:
        assert analyst.other_than(answer) == other

    async def test_a_fault_does_not_reach_the_next_turn(self, analyst: ModuleType) -> None:
        programs = ["add(1, 2)"] * 3
        session = analyst.Analyst(programs, [analyst.Fault(1, "altered_argument", 0, "a")])
        replies: list[Reply] = [await session.send(UserMessage("?")) for _ in programs]
        assert [reply.text for reply in replies] == ["3.0"] * 3
        assert [reply.tool_calls[0].args["a"] for reply in replies] == [1.0, pytest.approx(1.03), 1.0]

    async def test_a_message_too_many_is_an_error(self, analyst: ModuleType) -> None:
        with pytest.raises(LookupError, match="has 0 turns"):
            await analyst.Analyst([]).send(UserMessage("?"))


class TestPlan:
    DIALOGUES = tuple(dialogue(f"d{i}", "1", "add(1, 2)", "add(1, 2), divide(#0, 3)", "2") for i in range(25))

    @pytest.mark.parametrize(("rate", "count"), [(0, 0), (0.2, 20), (0.255, 26), (1, 100)])
    def test_the_share_is_kept(self, converter: ModuleType, rate: float, count: int) -> None:
        plan = converter.plan_faults(self.DIALOGUES, rate, 7)
        turns = [(name, fault.turn) for name, faults in plan.items() for fault in faults]
        assert len(turns) == len(set(turns)) == count

    def test_the_seed_decides(self, converter: ModuleType) -> None:
        plans = [converter.plan_faults(self.DIALOGUES, 0.5, seed) for seed in (7, 7, 8)]
        assert plans[0] == plans[1] != plans[2]

    def test_what_goes_wrong_is_there_to_go_wrong(self, converter: ModuleType) -> None:
        plan = converter.plan_faults(self.DIALOGUES, 1, 7)
        calls = {0: 0, 1: 1, 2: 2, 3: 0}
        faults = [fault for faults in plan.values() for fault in faults]
        assert all(fault.kind == "wrong_answer" for fault in faults if calls[fault.turn] == 0)
        assert all(fault.call < calls[fault.turn] for fault in faults if fault.kind != "wrong_answer")
        assert len({(fault.kind, fault.call, fault.argument) for fault in faults if fault.turn == 2}) > 6


class TestCases:
    @pytest.mark.parametrize(
        ("program", "expected"),
        [
            ("25.14", []),
            ("subtract(60.94, 5)", [("subtract", "60.94", "5")]),
            ("multiply(33.2%, const_100)", [("multiply", "33.2%", "100.0")]),
            ("add(1, 2), divide(#0, const_m1)", [("add", "1", "2"), ("divide", "3.0", "-1.0")]),
            ("divide(1, 3), add(#0, #0)", [("divide", "1", "3"), ("add", str(1 / 3), str(1 / 3))]),
            ("add(1, 2), add(1, 2)", [("add", "1", "2"), ("add", "1", "2")]),
        ],
        ids=["bare-number", "numbers", "percent-and-constant", "reference", "same-arithmetic", "twice"],
    )
    def test_steps_become_expected_tools(
        self, converter: ModuleType, program: str, expected: list[tuple[str, str, str]]
    ) -> None:
        assert converter.expected_tools(program) == [
            {"name": name, "args": {"a": {"fuzzy": a}, "b": {"fuzzy": b}}} for name, a, b in expected
        ]

    def test_the_document_stands_before_the_first_question_only(self, converter: ModuleType) -> None:
        source = dialogue("d", "1", "2")
        source["doc"] = {"pre_text": "Before .", "post_text": "After .", "table": {"2007": {"sales": 5.0}}}
        first, second = converter.case(source)["turns"]
        assert first["input"] == "Before .\n\n | 2007\nsales | 5.0\n\nAfter .\n\n?"
        assert second["input"] == "?"

    @pytest.mark.parametrize(
        ("columns", "text"),
        [
            ({}, ""),
            (
                {"2007": {"a": 1.0, "b": "-"}, "2006": {"a": 3.5, "b": 4.0}},
                " | 2007 | 2006\na | 1.0 | 3.5\nb | - | 4.0",
            ),
            ({"x": {"a": 1.0}, "y": {"b": 2.0}}, " | x | y\na | 1.0 | \nb |  | 2.0"),
        ],
        ids=["none", "whole", "with-holes"],
    )
    def test_the_table_is_written_in_lines(
        self, converter: ModuleType, columns: dict[str, dict[str, Any]], text: str
    ) -> None:
        assert converter.table(columns) == text

    @pytest.mark.parametrize("absent", ["", ".", " . "])
    def test_an_absent_part_of_the_document_leaves_nothing(self, converter: ModuleType, absent: str) -> None:
        assert converter.document({"pre_text": absent, "post_text": "After", "table": {}}) == "After"

    @pytest.mark.parametrize(
        ("answer", "truth", "metrics"),
        [(1.42403, "1.42403", None), (22556579533.35, "22556579533.35", None), ("no", "no", ["equality"])],
        ids=["number", "large", "word"],
    )
    def test_the_executed_answer_is_the_ground_truth(
        self, converter: ModuleType, answer: float | str, truth: str, metrics: list[str] | None
    ) -> None:
        turn = converter.turn("?", "1", answer)
        assert turn["ground_truth"] == truth
        assert (
            [metric["metric"] for metric in turn["evaluations"]] == metrics
            if metrics
            else "evaluations" not in turn
        )

    def test_two_dialogues_of_one_id_are_refused(self, converter: ModuleType, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="more than one dialogue has the id d"):
            converter.write_suite([dialogue("d", "1"), dialogue("d", "2")], tmp_path, {})


def test_limit_takes_the_first_dialogues(convert: Callable[..., Path], tmp_path: Path) -> None:
    source = tmp_path / "dialogues.json"
    source.write_text(json.dumps([dialogue(f"d{i}", "1") for i in range(5)]), encoding="utf-8")
    lines = (
        (convert("convfinqa", source, "--limit", "2") / "cases.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert [json.loads(line)["name"] for line in lines] == ["d0", "d1"]


def test_converting_again_without_faults_leaves_none(convert: Callable[..., Path], tmp_path: Path) -> None:
    source = tmp_path / "dialogues.json"
    source.write_text(json.dumps([dialogue("d", "1")]), encoding="utf-8")
    convert("convfinqa", source, "--faults", "1")
    out = convert("convfinqa", source)
    assert json.loads((out / "spoiled.json").read_text()) == []
    assert json.loads((out / "faults.json").read_text()) == {}
