"""The airline example as a whole: its verdicts agree with what can be counted in the transcripts."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def calls(*functions: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages with one call each, their results, and a last answer."""
    messages: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate(functions):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "name": name, "content": "ok"})
    return [*messages, {"role": "assistant", "content": "Done – anything else?"}]


def action(name: str, **kwargs: Any) -> dict[str, Any]:
    return {"name": name, "kwargs": kwargs}


BAGS = {"passengers": [{"first_name": "Zoë", "bags": 2}], "fuzzy": "no matcher"}
RECORDS = [
    {
        "task_id": 0,
        "messages": [
            user("Book."),
            *calls(("find", {"q": "a"})),
            user("Yes"),
            *calls(("book", {"bags": BAGS})),
        ],
        "expected_actions": [action("book", bags=BAGS), action("find", q="a")],
    },
    {
        "task_id": 1,
        "messages": [user("Book."), *calls(("book", {"bags": {"fuzzy": "NO MATCHER"}, "seat": "1A"}))],
        "expected_actions": [action("book", bags={"fuzzy": "no matcher"}, seat="1A")],
    },
    {
        "task_id": 2,
        "messages": [
            user("  Cancel.  "),
            *calls(("find", {"q": "a"}), ("find", {"q": "b"})),
            user("Cancel."),
            *calls(("cancel", {"id": 1})),
            user("Thanks! ###STOP###"),
        ],
        "expected_actions": [
            *[action("find", q="a")] * 2,
            action("cancel", id=True),
            action("cancel", id=1),
            action("refund", id=1),
        ],
    },
    {"task_id": 3, "messages": [user("Hello"), *calls()], "expected_actions": []},
]


@pytest.fixture(params=["written", "corpus"])
def source(request: pytest.FixtureRequest, tmp_path: Path, corpus: Callable[[str], Path]) -> Path:
    """The conversations written here, and the public ones where they are at hand."""
    if request.param == "corpus":
        return corpus("airline-transcripts/transcripts.jsonl")
    file = tmp_path / "transcripts.jsonl"
    file.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    return file


@pytest.fixture
def records(source: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def run(source: Path, convert: Callable[..., Path], holodeck_test: Callable[..., Any]) -> Any:
    """The suite of these conversations, run once."""
    return holodeck_test(convert("airline", source) / "agent.yaml")


def spelled(name: str, arguments: object) -> str:
    """A call as one text: equal calls, and only they, have the same."""
    return f"{name} {json.dumps(arguments, sort_keys=True)}"


def made(record: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a transcript."""
    functions = [call["function"] for m in record["messages"] for call in m.get("tool_calls") or ()]
    return [(function["name"], json.loads(function["arguments"])) for function in functions]


def never_made(record: dict[str, Any]) -> Counter[str]:
    """The expected actions that a transcript has no call for, each call counted once."""
    wanted = Counter(spelled(a["name"], a["kwargs"]) for a in record["expected_actions"])
    return wanted - Counter(spelled(*call) for call in made(record))


def details(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of all turns of a case."""
    return [detail for turn in result["turns"] for detail in turn["arg_match_details"] or ()]


def asserted(detail: dict[str, Any]) -> dict[str, Any]:
    """The expected arguments of a record, without the mark of a literal."""
    return {
        name: value["literal"] if isinstance(value, dict) else value
        for name, value in detail["args_asserted"].items()
    }


def test_every_conversation_is_replayed(run: Any, records: list[dict[str, Any]]) -> None:
    assert run.report is not None, run.output
    assert [result["test_name"] for result in run.report["results"]] == [
        f"task {r['task_id']}" for r in records
    ]
    for result, record in zip(run.report["results"], records, strict=True):
        said = [message["content"].strip() for message in record["messages"] if message["role"] == "user"]
        assert [turn["input"].strip() for turn in result["turns"]] == said
        assert [(call["name"], call["args"]) for call in result["tool_invocations"]] == made(record)
        assert not any(turn["errors"] for turn in result["turns"])


def test_the_verdicts_are_those_of_the_transcripts(run: Any, records: list[dict[str, Any]]) -> None:
    for result, record in zip(run.report["results"], records, strict=True):
        unmatched = [detail for detail in details(result) if detail["unmatched_reason"]]
        assert len(details(result)) == len(record["expected_actions"])
        assert Counter(spelled(d["tool"], asserted(d)) for d in unmatched) == never_made(record)
        assert result["passed"] is not bool(unmatched)
    assert run.code == (1 if any(map(never_made, records)) else 0)


def test_the_reason_says_what_is_missing_or_differs(run: Any) -> None:
    for result in run.report["results"]:
        for turn in result["turns"]:
            for detail in turn["arg_match_details"] or ():
                if reason := detail["unmatched_reason"]:
                    same = [
                        call["args"] for call in turn["tool_invocations"] if call["name"] == detail["tool"]
                    ]
                    check_reason(reason, detail["tool"], asserted(detail), same)
                    assert reason.split(" (call ")[0] in run.output


def check_reason(reason: str, tool: str, expected: dict[str, Any], same: list[dict[str, Any]]) -> None:
    """The reason tells the truth about the calls of that tool in the turn."""
    if not same:
        assert reason.startswith(f"no call to {tool}(")
    elif argument := re.match(r"arg '(\w+)'", reason):
        name = argument[1]
        assert any(spelled(name, call.get(name)) != spelled(name, expected[name]) for call in same)
    else:
        assert "expected a matching call of its own" in reason
        assert spelled(tool, expected) in [spelled(tool, call) for call in same]


WRITTEN = {
    "task 0": [],
    "task 1": [(0, 'arg \'bags\': at fuzzy: expected "no matcher", got "NO MATCHER" (call 1)')],
    "task 2": [
        (
            0,
            (
                "expected a matching call of its own, but other expectations need call 1; "
                'the nearest other call: arg \'q\': expected "a", got "b" (call 2)'
            ),
        ),
        (2, "no call to cancel(id=true): no tool was called"),
        (2, "no call to refund(id=1): no tool was called"),
    ],
    "task 3": [],
}


@pytest.mark.parametrize("source", ["written"], indirect=True)
def test_the_reasons_of_the_written_conversations(run: Any) -> None:
    reasons = {
        result["test_name"]: [
            (turn["turn_index"], detail["unmatched_reason"])
            for turn in result["turns"]
            for detail in turn["arg_match_details"] or ()
            if detail["unmatched_reason"]
        ]
        for result in run.report["results"]
    }
    assert reasons == WRITTEN
