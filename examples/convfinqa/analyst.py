"""An analyst that answers a dialogue by running its programs through six arithmetic tools.

A *program* is what ConvFinQA stores for a turn: a number (``25.14``), or steps that may refer to the
results of earlier steps of the same program (``subtract(60.94, 25.14), divide(#0, 25.14)``). The analyst
knows the programs of its dialogue and runs one for each message, in order. It can be told to go wrong on
some turns (see ``Fault``): that is how to find out whether a suite catches what it should.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from holodeck_core import Reply, ToolCall, UserMessage

Answer: TypeAlias = float | str
"""A number, or the ``yes`` or ``no`` of ``greater``."""


def greater(a: float, b: float) -> str:
    """``yes`` where a is more than b, else ``no``."""
    return "yes" if a > b else "no"


TOOLS: dict[str, Callable[[float, float], Answer]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
    "greater": greater,
}

STEP = re.compile(r"(\w+)\(([^(),]+),([^(),]+)\)")


@dataclass(frozen=True)
class Step:
    """One step of a program: a tool and its two operands, as the program spells them."""

    tool: str
    a: str
    b: str


def parse(program: str) -> list[Step]:
    """The steps of a program; none for a bare number. Raises ValueError for what is not a program."""
    if "(" not in program:
        return []
    steps = [Step(tool, a.strip(), b.strip()) for tool, a, b in STEP.findall(program)]
    if STEP.sub("", program).strip(", ") or any(step.tool not in TOOLS for step in steps):
        raise ValueError(f"not a program of the tools {', '.join(TOOLS)}: {program!r}")
    return steps


def operand(token: str, results: Sequence[Answer]) -> float:
    """The number that a token stands for: ``12.5``, ``33.2%``, ``const_100``, ``const_m1`` (minus one), or
    ``#0`` for the first of the ``results`` so far. Raises ValueError for any other token."""
    if token.startswith("#"):
        index = int(token.removeprefix("#"))
        if not 0 <= index < len(results):
            raise ValueError(f"{token} refers to a result that does not exist")
        return float(results[index])
    if token.startswith("const_"):
        return float(token.removeprefix("const_").replace("m", "-"))
    if token.endswith("%"):
        return float(token.removesuffix("%")) / 100
    return float(token)


def run(program: str) -> tuple[Answer, list[ToolCall]]:
    """The answer of a program, and the tool calls that lead to it."""
    results: list[Answer] = []
    calls: list[ToolCall] = []
    for step in parse(program):
        args = {"a": operand(step.a, results), "b": operand(step.b, results)}
        results.append(TOOLS[step.tool](args["a"], args["b"]))
        calls.append(ToolCall(name=step.tool, args=args, result=results[-1]))
    return (results[-1] if results else operand(program, [])), calls


FaultKind: TypeAlias = Literal["wrong_answer", "dropped_call", "altered_argument"]


@dataclass(frozen=True)
class Fault:
    """What goes wrong on one turn. Each kind breaks one thing only, so that the check for it must catch it.

    ``wrong_answer``: the tools are called as they should be, and another answer is given. ``dropped_call``
    and ``altered_argument``: the answer is right, but ``call`` (counted from 0) is missing, or its
    ``argument`` is another number.
    """

    turn: int
    kind: FaultKind
    call: int = 0
    argument: Literal["a", "b"] = "a"

    def spoil(self, answer: Answer, calls: list[ToolCall]) -> tuple[Answer, list[ToolCall]]:
        """The answer and the calls with this fault in them."""
        if self.kind == "wrong_answer":
            return other_than(answer), calls
        before, call, after = calls[: self.call], calls[self.call], calls[self.call + 1 :]
        if self.kind == "dropped_call":
            return answer, before + after
        args = {**call.args, self.argument: other_than(call.args[self.argument])}
        return answer, [*before, ToolCall(name=call.name, args=args, result=call.result), *after]


def other_than(value: Any) -> Answer:
    """The other word, or a number that is off by 2 % and 0.01: so it is wrong also where 0 would be right."""
    if isinstance(value, str):
        return "no" if value == "yes" else "yes"
    return float(value * 1.02 + math.copysign(0.01, value))


class Analyst:
    """One conversation: the programs of a dialogue, run one a message."""

    def __init__(self, programs: Sequence[str], faults: Sequence[Fault] = ()) -> None:
        self._programs = programs
        self._faults = {fault.turn: fault for fault in faults}
        self._turn = 0

    async def send(self, message: UserMessage) -> Reply:
        """Answer the next question of the dialogue."""
        if self._turn == len(self._programs):
            raise LookupError(f"this dialogue has {len(self._programs)} turns; {message.text!r} is one more")
        answer, calls = run(self._programs[self._turn])
        if fault := self._faults.get(self._turn):
            answer, calls = fault.spoil(answer, calls)
        self._turn += 1
        return Reply(text=str(answer), tool_calls=calls)


def open_session(case_name: str | None, programs: str, faults: str) -> Analyst:
    """An analyst for one dialogue. ``programs`` and ``faults`` name JSON files beside this module, both keyed
    by the name of the case: the programs of its turns, and the faults to make (none where it is absent)."""
    if case_name is None:
        raise LookupError("the analyst answers the dialogues of its suite only: run it with `holodeck test`")
    planned = read_json(programs)[case_name]
    return Analyst(planned, [Fault(**fault) for fault in read_json(faults).get(case_name, [])])


@cache
def read_json(name: str) -> dict[str, Any]:
    """A JSON file beside this module, read once for all conversations."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return data
