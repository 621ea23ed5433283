"""The ConvFinQA example as a whole: a faultless analyst passes, and exactly the spoiled turns of another one fail."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Convert = Callable[..., Path]
Test = Callable[..., Any]


def dialogue(name: str, *turns: tuple[str, str, float | str], **doc: Any) -> dict[str, Any]:
    """A dialogue of ``(question, program, executed answer)``."""
    questions, programs, answers = zip(*turns, strict=True)
    return {
        "id": name,
        "doc": {"pre_text": ".", "post_text": ".", "table": {}, **doc},
        "dialogue": {"conv_questions": questions, "turn_program": programs, "executed_answers": answers},
    }


DIALOGUES = [
    dialogue(
        "Single_LMP/2007/page_12.pdf-1",
        ("what were the sales in 2007?", "206588", 206588.0),
        ("and in 2006?", "181001", 181001.0),
        ("what was the change?", "subtract(206588, 181001)", 25587.0),
        ("and in percent?", "subtract(206588, 181001), divide(#0, 181001)", 0.14136),
        pre_text="lamps sold well in 2007 – also in zürich . ",
        table={"2007": {"sales": 206588.0, "lamps": "-"}, "2006": {"sales": 181001.0, "lamps": "12"}},
    ),
    dialogue(
        "Single_LMP/2007/page_12.pdf-2",
        ("what were the sales in 2007?", "206588", 206588.0),
        ("what is it with itself taken away?", "subtract(206588, 206588)", 0.0),
        ("and that of it?", "subtract(206588, 206588), divide(#0, 206588)", 0.0),
        ("what was the rate?", "13.4%", 0.134),
        ("and a small part of it?", "multiply(13.4%, 0.0001)", 0.00001),
    ),
    dialogue(
        "Double_LMP/2007/page_13.pdf",
        ("did it grow?", "greater(36197, 345059)", "no"),
        ("did the difference grow?", "subtract(17.84, 4.11), subtract(60.15, 61.30), greater(#0, #1)", "yes"),
        ("what is the average of both?", "add(2.5, 3.5), divide(#0, const_2)", 3.0),
        ("and with the sign turned?", "add(2.5, 3.5), divide(#0, const_2), multiply(#1, const_m1)", -3.0),
    ),
    dialogue(
        "Double_LMP/2007/page_14.pdf",
        ("the same sum, twice?", "add(1.5, 2), add(1.5, 2), multiply(#0, #1)", 12.25),
        ("of a third?", "divide(1, 3), multiply(#0, #0), multiply(#1, const_100)", 11.11111),
        ("and to its power?", "exp(1.1, 2), subtract(#0, const_1)", 0.21),
        ("what is the market value?", "multiply(397612895, 56.73)", 22556579533.35),
        ("and what would -5 of it be?", "-5", -5.0),
        ("and at a rate of 33.2%?", "multiply(33.2%, 1500)", 498.0),
    ),
    dialogue("Single_LMP/2008/page_1.pdf-1", ("what was it?", ".5", 0.5)),
    dialogue(
        "Single_LMP/2008/page_1.pdf-2",
        ("what was it?\u2028in all?", "add(1, 0)", 1.0),
        post_text="“after”\u0085",
    ),
]


@pytest.fixture(params=["written", "corpus"])
def source(request: pytest.FixtureRequest, tmp_path: Path, corpus: Callable[[str], Path]) -> Path:
    """The dialogues written here, and the public ones where they are at hand."""
    if request.param == "corpus":
        return corpus("convfinqa/dialogues.json")
    file = tmp_path / "dialogues.json"
    file.write_text(json.dumps(DIALOGUES), encoding="utf-8")
    return file


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_faultless_analyst_passes(source: Path, convert: Convert, holodeck_test: Test) -> None:
    dialogues = read(source)
    run = holodeck_test(convert("convfinqa", source) / "agent.yaml")
    assert run.code == 0, run.output
    assert [result["test_name"] for result in run.report["results"]] == [d["id"] for d in dialogues]
    assert len(run.turns()) == sum(len(d["dialogue"]["turn_program"]) for d in dialogues)
    assert all(turn["passed"] and turn["tools_matched"] for turn in run.turns().values())


@pytest.mark.parametrize(("rate", "seed"), [("0.2", "7"), ("1", "7")], ids=["a-fifth", "all"])
def test_exactly_the_spoiled_turns_fail(
    source: Path, convert: Convert, holodeck_test: Test, rate: str, seed: str
) -> None:
    suite = convert("convfinqa", source, "--faults", rate, "--seed", seed)
    run = holodeck_test(suite / "agent.yaml")
    assert run.code == 1, run.output
    turns = run.turns()
    spoiled = {(name, index) for name, index in read(suite / "spoiled.json")}
    assert len(spoiled) == round(float(rate) * len(turns))
    assert {place for place, turn in turns.items() if not turn["passed"]} == spoiled
    assert [r["test_name"] for r in run.report["results"] if not r["passed"]] == [
        d["id"] for d in read(source) if any(name == d["id"] for name, _ in spoiled)
    ]


@pytest.mark.parametrize("seed", ["7", "8"])
def test_the_check_for_the_fault_fails_and_says_what_differs(
    source: Path, convert: Convert, holodeck_test: Test, seed: str
) -> None:
    suite = convert("convfinqa", source, "--faults", "0.5", "--seed", seed)
    turns = holodeck_test(suite / "agent.yaml").turns()
    faults = [(name, fault) for name, faults in read(suite / "faults.json").items() for fault in faults]
    for name, fault in faults:
        check_failure(fault, turns[name, fault["turn"]])
    assert {fault["kind"] for _, fault in faults} == {"wrong_answer", "dropped_call", "altered_argument"}


def check_failure(fault: dict[str, Any], turn: dict[str, Any]) -> None:
    """The turn fails in the check for its fault, in no other, and the reason names what differs."""
    [metric] = turn["metric_results"]
    unmatched = [detail for detail in turn["arg_match_details"] if detail["unmatched_reason"]]
    calls = turn["tool_invocations"]
    if fault["kind"] == "wrong_answer":
        assert (metric["passed"], turn["tools_matched"], unmatched) == (False, True, [])
        assert turn["ground_truth"] in metric["reasoning"]
        assert turn["response"] in metric["reasoning"]
        return
    assert (metric["passed"], turn["tools_matched"]) == (True, False)
    [detail] = unmatched
    tool, reason = detail["tool"], detail["unmatched_reason"]
    others = [call for call in calls if call["name"] == tool]
    if fault["kind"] == "dropped_call":
        wanted = Counter(detail["tool"] for detail in turn["arg_match_details"])
        assert wanted - Counter(call["name"] for call in calls) == {tool: 1}
        assert others or reason.startswith(f"no call to {tool}(")
    else:
        altered = calls[fault["call"]]
        assert altered["name"] == tool
        value = altered["args"][fault["argument"]]
        assert len(others) > 1 or re.match(rf"arg '{fault['argument']}': .*{re.escape(str(value))}", reason)
    assert not others or re.match(r"arg '[ab]': expected|expected a matching call of its own", reason)


def test_a_missing_call_is_named(convert: Convert, holodeck_test: Test, tmp_path: Path) -> None:
    file = tmp_path / "dialogues.json"
    file.write_text(json.dumps(DIALOGUES[3:4]), encoding="utf-8")
    suite = convert("convfinqa", file)
    fault = {"turn": 0, "kind": "dropped_call", "call": 1}
    (suite / "faults.json").write_text(json.dumps({DIALOGUES[3]["id"]: [fault]}), encoding="utf-8")
    run = holodeck_test(suite / "agent.yaml")
    turn = run.turns()[DIALOGUES[3]["id"], 0]
    [first, second, product] = turn["arg_match_details"]
    assert (first["matched_call_index"], product["matched_call_index"]) == (0, 1)
    assert second["matched_call_index"] is None
    assert second["unmatched_reason"] in run.output
