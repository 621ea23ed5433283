"""Turn recorded conversations into a suite that replays them.

python convert.py --source transcripts.jsonl --out DIR

Each line of the source is one conversation: its ``task_id``, its ``messages`` in OpenAI's chat format, the
user's first, and the ``expected_actions``, each a ``name`` and its ``kwargs``, that the agent should have
taken somewhere in it. DIR gets ``agent.yaml``, ``cases.jsonl`` and ``conversations.jsonl``.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

AGENT = """\
name: airline-replay
description: Recorded conversations with an airline's agent, replayed and checked.
model:
  provider: replay
  file: conversations.jsonl
test_cases_file: cases.jsonl
"""


@dataclass(frozen=True)
class Call:
    """One recorded tool call, and the turn (from 0) that it was made in."""

    turn: int
    name: str
    args: Json


def case(record: Json) -> Json:
    """The test case of a conversation: one turn a user message, each expected action on the turn for it."""
    messages, actions = record["messages"], record["expected_actions"]
    turns: list[Json] = [{"input": message["content"]} for message in messages if message["role"] == "user"]
    for action, index in zip(
        actions, turns_of(actions, recorded_calls(messages), len(turns) - 1), strict=True
    ):
        turns[index].setdefault("expected_tools", []).append(expected_tool(action))
    task = str(record["task_id"])
    return {"name": f"task {task}", "conversation": task, "turns": turns}


def recorded_calls(messages: Iterable[Json]) -> list[Call]:
    """All tool calls of a conversation, in order."""
    calls: list[Call] = []
    turn = -1
    for message in messages:
        turn += message["role"] == "user"
        functions = [call["function"] for call in message.get("tool_calls") or ()]
        calls += [Call(turn, function["name"], arguments(function["arguments"])) for function in functions]
    return calls


def arguments(text: str) -> Json:
    """The arguments of a call; none where a model wrote something that is not a JSON object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def turns_of(actions: Sequence[Json], calls: Sequence[Call], last: int) -> list[int]:
    """The turn for each expected action.

    It is the turn of a call that satisfies the action: as many actions as possible get such a call, each its
    own. The others go to the first turn with an unused call of their name, where the verdict can say what
    differs, or to the ``last`` turn, where it says that the call is missing.
    """
    used = assignment([[i for i, call in enumerate(calls) if satisfies(call, action)] for action in actions])
    for index, action in enumerate(actions):
        free = [i for i, call in enumerate(calls) if call.name == action["name"] and i not in used.values()]
        if index not in used and free:
            used[index] = free[0]
    return [calls[used[index]].turn if index in used else last for index in range(len(actions))]


def satisfies(call: Call, action: Json) -> bool:
    """Whether the call is the expected one: it may have further arguments, but none that differs."""
    return call.name == action["name"] and all(
        name in call.args and equal(call.args[name], value) for name, value in action["kwargs"].items()
    )


def equal(left: object, right: object) -> bool:
    """Equality of JSON values: as in Python, but true is not 1, at any depth."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def assignment(choices: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest assignment of one choice to each index, no choice twice, by augmenting paths."""
    taken_by: dict[int, int] = {}

    def assign(index: int, tried: set[int]) -> bool:
        for choice in sorted(choices[index], key=taken_by.__contains__):  # the free ones first
            if choice in tried:
                continue
            tried.add(choice)
            if choice not in taken_by or assign(taken_by[choice], tried):
                taken_by[choice] = index
                return True
        return False

    for index in range(len(choices)):
        assign(index, set())
    return {index: choice for choice, index in taken_by.items()}


def expected_tool(action: Json) -> Json:
    """The entry of ``expected_tools``. A mapping may look like a matcher, so what holds one is a literal."""
    args = {
        name: {"literal": value} if has_mapping(value) else value for name, value in action["kwargs"].items()
    }
    return {"name": action["name"], "match": "exact", "args": args}


def has_mapping(value: object) -> bool:
    """Whether the value is a mapping or holds one."""
    return isinstance(value, Mapping) or (isinstance(value, list) and any(map(has_mapping, value)))


def write_suite(records: Sequence[Json], out: Path) -> None:
    """Write the suite into a folder. Raises ValueError where two conversations are of one task."""
    repeated = [
        task for task, times in Counter(str(record["task_id"]) for record in records).items() if times > 1
    ]
    if repeated:
        raise ValueError(f"more than one conversation has the task_id {', '.join(repeated)}")
    out.mkdir(parents=True, exist_ok=True)
    (out / "agent.yaml").write_text(AGENT, encoding="utf-8")
    write_lines(out / "cases.jsonl", map(case, records))
    write_lines(
        out / "conversations.jsonl",
        ({"id": str(record["task_id"]), "messages": record["messages"]} for record in records),
    )


def write_lines(path: Path, values: Iterable[Json]) -> None:
    """Write a JSON Lines file."""
    with path.open("w", encoding="utf-8", newline="\n") as lines:
        lines.writelines(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Turn recorded conversations into a HoloDeck suite.")
    parser.add_argument("--source", type=Path, required=True, help="transcripts.jsonl")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the suite")
    options = parser.parse_args()
    with options.source.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines if line.strip()]
    write_suite(records, options.out)
    turns = sum(message["role"] == "user" for record in records for message in record["messages"])
    actions = sum(len(record["expected_actions"]) for record in records)
    print(f"{options.out}: {len(records)} cases, {turns} turns, {actions} expected actions")


if __name__ == "__main__":
    main()
