"""Tool calls as agents, streams and recordings write them, and what the report keeps of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import TestReport

Run: TypeAlias = Callable[..., TestReport]

BROKEN = '{"dry_run": true'

# (what it shows, the arguments as the runtime has them, what the report keeps, and as raw text)
ARGUMENTS: list[tuple[str, str | None, dict[str, Any], str | None]] = [
    ("an empty text is no arguments", "", {}, None),
    ("white space is no arguments", " \n", {}, None),
    ("nothing is no arguments", None, {}, None),
    ("null is no arguments", "null", {}, None),
    ("an empty mapping is no arguments", "{}", {}, None),
    ("what is cut off stays as it came", BROKEN, {}, BROKEN),
    ("a list is no mapping of arguments", "[1]", {}, "[1]"),
    ("a bare word is kept", "true", {}, "true"),
    ("two mappings are kept", "{}{}", {}, "{}{}"),
    ("two escapes are one character", '{"drink": "\\ud83c\\udf78"}', {"drink": "\U0001f378"}, None),
    ("half a character becomes one that says so", '{"a": "\\ud835"}', {"a": "\ufffd"}, None),
    ("no number is kept as text", '{"a": NaN, "b": -Infinity}', {"a": "nan", "b": "-inf"}, None),
    ("a long integer keeps its digits", '{"n": 1' + "0" * 400 + "}", {"n": 10**400}, None),
]

STREAMING = """
import json
from pathlib import Path
from holodeck_core import Reply, ReplyDone, ToolFinished, ToolStarted

ARGUMENTS = json.loads(Path(__file__).with_name("arguments.json").read_text())

class Streaming:
    async def stream(self, message):
        yield ToolStarted("c1", "delete_all", ARGUMENTS)
        yield ToolFinished("c1", None)
        yield ReplyDone()

def answering():
    call = {"id": "c1", "type": "function", "function": {"name": "delete_all", "arguments": ARGUMENTS}}
    return lambda text: Reply("", [call])
"""


def _recorded(arguments: str | None) -> str:
    call = {"id": "c1", "type": "function", "function": {"name": "delete_all", "arguments": arguments}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    return json.dumps({"id": "case", "messages": messages}) + "\n"


@pytest.mark.parametrize("source", ["reply", "stream", "recording"])
@pytest.mark.parametrize(("arguments", "args", "raw_args"), [row[1:] for row in ARGUMENTS],
                         ids=[row[0] for row in ARGUMENTS])  # fmt: skip
def test_arguments_are_kept_as_they_came(
    run: Run, tmp_path: Path, source: str, arguments: str | None, args: dict[str, Any], raw_args: str | None
) -> None:
    (tmp_path / "arguments.json").write_text(json.dumps(arguments))
    (tmp_path / "recorded.jsonl").write_text(_recorded(arguments))
    model = {
        "reply": {"provider": "python", "agent": "calling:answering"},
        "stream": {"provider": "python", "agent": "calling:Streaming"},
        "recording": {"provider": "replay", "file": "recorded.jsonl"},
    }[source]
    case = {"name": "case", "input": "go", "expected_tools": ["delete_all"]}
    report = run({"model": model, "test_cases": [case]}, calling=STREAMING)
    [result] = report.results
    assert (result.status, result.agent_response) == ("passed", ""), result.errors
    [call] = result.tool_invocations
    assert (call.name, call.args, call.raw_args) == ("delete_all", args, raw_args)


@pytest.mark.parametrize("source", ["reply", "stream", "recording"])
def test_a_reply_of_tool_calls_alone_is_an_empty_reply(run: Run, tmp_path: Path, source: str) -> None:
    (tmp_path / "arguments.json").write_text("null")
    (tmp_path / "recorded.jsonl").write_text(_recorded(None))
    model = {
        "reply": {"provider": "python", "agent": "calling:answering"},
        "stream": {"provider": "python", "agent": "calling:Streaming"},
        "recording": {"provider": "replay", "file": "recorded.jsonl"},
    }[source]
    case = {"name": "case", "input": "go", "expected_tools": ["delete_all"], "ground_truth": "42"}
    metrics = [{"type": "standard", "metric": "equality"}]
    report = run(
        {"model": model, "test_cases": [case], "evaluations": {"metrics": metrics}}, calling=STREAMING
    )
    [result] = report.results
    assert (result.status, result.agent_response, result.tools_matched) == ("failed", "", True)
    assert 'expected "42", got ""' in str(result.metric_results[0].reasoning)
