"""A check of our own: did the assistant calculate what it should have, however it went about it?"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from holodeck_core import GraderContext, GraderResult, ToolCall

STEP = re.compile(r"\s*(subtract|divide)\(\s*(#?[-\d.,]+?)\s*,\s*(#?[-\d.,]+?)\s*\)\s*(?:;|$)")
CONSTANTS = (0, 1, 100)


class Step(NamedTuple):
    """One calculation on two expressions. Written as a whole it is an expression itself."""

    tool: str
    a: Expression
    b: Expression


Expression: TypeAlias = Fraction | Step


def same_program(turn: GraderContext) -> GraderResult:
    """Whether the turn's calls compute the same expression as ``turn_config.program``.

    A program is written in steps: ``subtract(21177, 19608); divide(#0, 19608)``, where ``#0`` is the first of them. Two
    expressions are the same if they have the same value whatever the figures in them are: ``a / b - 1`` is
    ``(a - b) / b``, but ``b - a`` is not ``a - b``, though the right figure may come of it. So the figures are replaced
    by others and both are computed exactly. A figure that is the result of an earlier turn stands for that calculation.
    """
    earlier = [step for before in turn.previous_turns for step in _steps(before.tool_invocations, ())]
    expected = _program(turn.turn_config["program"], earlier)
    calls = list(_steps(turn.tool_invocations, earlier))
    if not calls:
        return GraderResult(score=0, reason=f"nothing was calculated, expected {_shown(expected)}")
    actual = calls[-1][0]
    if any(_value(actual, seed) != _value(expected, seed) for seed in range(3)):
        return GraderResult(score=0, reason=f"calculated {_shown(actual)}, expected {_shown(expected)}")
    return GraderResult(score=1, reason=f"calculated {_shown(actual)}")


Known: TypeAlias = Sequence[tuple[Step, Fraction]]


def _steps(calls: Sequence[ToolCall], earlier: Known) -> Iterator[tuple[Step, Fraction]]:
    """The successful calculations among the calls, as expressions of figures, each with its result."""
    known = list(earlier)
    for call in calls:
        if call.name in ("subtract", "divide") and call.error is None:
            step = Step(call.name, _resolved(call.args["a"], known), _resolved(call.args["b"], known))
            known.append((step, Fraction(str(call.result))))
            yield known[-1]


def _program(text: str, earlier: Known) -> Step:
    if STEP.sub("", text) or not text.strip():
        raise ValueError(f"turn_config.program cannot be read: {text!r}")
    steps: list[Step] = []
    for tool, a, b in STEP.findall(text):
        steps.append(
            Step(tool, *(steps[int(x[1:])] if x[0] == "#" else _resolved(x, earlier) for x in (a, b)))
        )
    return steps[-1]


def _resolved(figure: object, known: Known) -> Expression:
    """The calculation that gave this figure, the latest first; else the figure itself."""
    number = Fraction(str(figure).replace(",", ""))
    for step, result in reversed(known):
        if abs(number - result) <= abs(result) / 10**6:
            return step
    return number


def _value(expression: Expression, seed: int) -> Fraction:
    """The value with every figure replaced by another one, the same for the same figure."""
    if isinstance(expression, Step):
        a, b = _value(expression.a, seed), _value(expression.b, seed)
        if expression.tool == "subtract":
            return a - b
        return a / b if b else Fraction(0)
    if abs(expression) in CONSTANTS:
        return expression
    other = Fraction(random.Random(f"{seed} {abs(expression)}").randint(2, 10**9))
    return other if expression > 0 else -other


def _shown(expression: Expression) -> str:
    if isinstance(expression, Step):
        return f"{expression.tool}({_shown(expression.a)}, {_shown(expression.b)})"
    return f"{float(expression):g}" if abs(expression) < 10**6 else str(float(expression))
