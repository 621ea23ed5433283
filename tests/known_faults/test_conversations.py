"""Conversations that tools of this kind have judged wrongly, and the right verdict on every turn of them.

The tables beside this file hold them. A row is one conversation::

    fault: what went wrong elsewhere, in one sentence
    evaluations: the agent's metrics, as in an agent file
    graders: Python source of a module `graders`, where metrics name it
    turns:
      - says: the agent's reply
        calls: its tool calls, as `one(key=value); two()`, or as a list of `{name, args, result, error}`
        replies: instead of both, a Python expression for the whole reply, or for what is raised in its place
        ground_truth, expected_tools, ...: any key of a turn, as in an agent file
        fails: a text that the reasons hold, or several; or `error` in place of `fails`
        passes: the same for a turn that passes, where its reason matters
    why: where a rule of this project decides, which one

A turn without `fails` or `error` passes.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from holodeck_core import TestReport, TurnResult

FOLDER: Final = Path(__file__).parent
VERDICTS: Final = {"passes": "passed", "fails": "failed", "error": "error"}
OWN_KEYS: Final = {"says", "calls", "replies", *VERDICTS}
AGENT: Final = """
from holodeck_core import AgentError, Reply, ToolCall

def agent():
    replies = iter([{replies}])

    def send(text):
        reply = next(replies)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    return send
"""


def _rows() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.yaml")):
        for row in yaml.safe_load(file.read_text(encoding="utf-8")):
            if "turns" in row:
                yield pytest.param(row, id=f"{file.stem}: {row['fault']}")


def _calls(calls: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not isinstance(calls, str):
        return calls
    found = [statement.value for statement in ast.parse(calls).body if isinstance(statement, ast.Expr)]
    return [
        {
            "name": ast.unparse(call.func),
            "args": {str(item.arg): ast.literal_eval(item.value) for item in call.keywords},
        }
        for call in found
        if isinstance(call, ast.Call)
    ]


def _model(turns: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """The `model` of an agent that says what the table says, and its Python file where it needs one."""
    if not any("replies" in turn for turn in turns):
        replies = [{"reply": turn.get("says", ""), "calls": _calls(turn.get("calls", ""))} for turn in turns]
        return {"provider": "scripted", "replies": replies}, {}
    expressions = ", ".join(turn.get("replies", repr(turn.get("says", ""))) for turn in turns)
    return {"provider": "python", "agent": "desk_agent:agent"}, {
        "desk_agent": AGENT.format(replies=expressions)
    }


def _reasons(turn: TurnResult) -> str:
    tools = [record["unmatched_reason"] for record in turn.arg_match_details or ()]
    metrics = [text for result in turn.metric_results for text in (result.error, result.reasoning)]
    return "\n".join(str(reason) for reason in (*turn.errors, *tools, *metrics) if reason)


def _wrong(turn: dict[str, Any], result: TurnResult) -> Iterator[str]:
    """What of the result is not as the row says."""
    verdict = next((verdict for verdict in VERDICTS if verdict in turn), "passes")
    held = turn.get(verdict, True)
    reasons = _reasons(result)
    if result.status != VERDICTS[verdict]:
        yield f"expected {VERDICTS[verdict]}, got {result.status}: {reasons}"
    elif held is not True:
        yield from (
            f"{text!r} is not told in {reasons!r}"
            for text in ([held] if isinstance(held, str) else held)
            if text not in reasons
        )
    elif verdict != "passes":
        yield f"the row names no reason for {verdict}"


@pytest.mark.parametrize("row", list(_rows()))
def test_the_verdict_on_every_turn_is_right(row: dict[str, Any], run: Callable[..., TestReport]) -> None:
    turns = row["turns"]
    model, sources = _model(turns)
    if "graders" in row:
        sources["graders"] = row["graders"]
    metrics = row.get("evaluations", [])
    case = {
        "name": "conversation",
        "turns": [
            {"input": f"turn {number}", **{key: value for key, value in turn.items() if key not in OWN_KEYS}}
            for number, turn in enumerate(turns)
        ],
    }
    agent = {"model": model, "evaluations": {"metrics": metrics}, "test_cases": [case]}
    report = run(agent, **sources)

    [result] = report.results
    assert result.turns is not None
    wrong = [
        f"turn {number}, {turn.get('says', turn.get('replies', turn.get('calls')))!r}: {what}"
        for number, (turn, found) in enumerate(zip(turns, result.turns, strict=True))
        for what in _wrong(turn, found)
    ]
    assert not wrong, "\n".join(wrong)
    assert result.passed is all("fails" not in turn and "error" not in turn for turn in turns)
    json.dumps(result.model_dump(mode="json"), allow_nan=False).encode("utf-8")
