"""Recorded conversations imported in one command: what is recorded passes, and nothing else does."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import load_suite, run_suite_sync

Messages = list[dict[str, Any]]
TRANSCRIPTS = "airline-transcripts/transcripts.jsonl"


def altered_reply(messages: Messages) -> Messages:
    """The same conversation with one letter more in its first reply."""
    changed = copy.deepcopy(messages)
    next(m for m in changed if m["role"] == "assistant" and m["content"])["content"] += "."
    return changed


def altered_argument(messages: Messages) -> Messages:
    """The same conversation with another value for the first argument; with an argument more where there is none."""
    changed = copy.deepcopy(messages)
    call = next((m for m in changed if m.get("tool_calls")), None)
    if call is None:
        return altered_call(messages)
    function = call["tool_calls"][0]["function"]
    arguments = json.loads(function["arguments"])
    name = next(iter(arguments), "more")
    function["arguments"] = json.dumps({**arguments, name: [arguments.get(name)]})
    return changed


def altered_call(messages: Messages) -> Messages:
    """The same conversation with a call less, with its result; with one more where there is none."""
    changed = copy.deepcopy(messages)
    place = next((n for n, m in enumerate(changed) if m.get("tool_calls")), None)
    if place is None:
        call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        first = next(n for n, m in enumerate(changed) if m["role"] == "user")
        changed.insert(first + 1, {"role": "assistant", "content": None, "tool_calls": [call]})
    else:
        assert len(changed[place]["tool_calls"]) == 1
        assert changed[place + 1]["role"] == "tool"
        del changed[place : place + 2]
    return changed


ALTERATIONS = (altered_reply, altered_argument, altered_call)


def failed(agent: Path) -> set[str]:
    report = run_suite_sync(load_suite(agent))
    assert len(report.results) == 32
    return {str(result.test_name) for result in report.results if not result.passed}


@pytest.fixture
def airline(corpus: Callable[[str], Path], holodeck: Callable[..., tuple[int, str]], tmp_path: Path) -> Path:
    """The agent file of the import."""
    code, output = holodeck("import", corpus(TRANSCRIPTS), "-o", tmp_path / "build" / "airline")
    assert code == 0, output
    assert "32 cases" in output
    return tmp_path / "build" / "airline" / "agent.yaml"


def test_all_that_is_recorded_passes(airline: Path, holodeck_test: Callable[..., Any]) -> None:
    run = holodeck_test(airline)
    assert run.code == 0, run.output
    assert "32 passed, 0 failed" in run.output
    assert "warning" not in run.output


def test_exactly_the_case_fails_in_which_a_reply_an_argument_or_a_call_is_another(airline: Path) -> None:
    recording = airline.parent / "conversations.jsonl"
    recorded = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    for first in range(0, 32, 2):
        # Six conversations at a time, two for each kind of alteration, so that in the end each was altered in all ways.
        chosen = {(first + 11 * n + m) % 32: alter for n, alter in enumerate(ALTERATIONS) for m in (0, 1)}
        lines = [
            {**record, "messages": chosen[n](record["messages"])} if n in chosen else record
            for n, record in enumerate(recorded)
        ]
        recording.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        assert failed(airline) == {recorded[n]["id"] for n in chosen}
