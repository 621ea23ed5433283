"""From a conversation that was held to the test case that holds it again. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from holodeck_core import ToolCall, to_json
from holodeck_core.api.values import thaw, well_formed
from holodeck_core.models.arg_matcher import can_name_argument
from holodeck_core.models.matcher_shape import reads_as_matchers
from holodeck_core.text import show_value

EQUALITY: Final = {"type": "standard", "metric": "equality"}

# A value that stands deeper in a file could not be read again.
_MAX_DEPTH: Final = 90


@attrs.frozen
class RecordedTurn:
    """One message of the user, the agent's reply to it, None where there was none, and the calls in their order."""

    input: str
    reply: str | None = None
    calls: tuple[ToolCall, ...] = ()


@attrs.frozen
class RecordedCase:
    """A conversation under the name of its test case; there is at least one turn, and no input is blank."""

    name: str
    turns: tuple[RecordedTurn, ...]


def case_value(case: RecordedCase, *, ground_truth: bool = True, evaluations: bool = True) -> dict[str, Any]:
    """The test case as a file holds it, made of JSON values.

    What was recorded passes; another reply, call, argument or order of calls fails. Without ``ground_truth`` replies
    are free. ``evaluations``: the case compares the replies itself; else that is left to the agent file.
    """
    turns = [_turn(turn, ground_truth) for turn in case.turns]
    value: dict[str, Any] = {"name": well_formed(case.name).strip()}
    if evaluations and any("ground_truth" in turn for turn in turns):
        value["evaluations"] = [EQUALITY]
    return {**value, "turns": turns}


def unasserted(case: RecordedCase) -> Iterator[tuple[int, str]]:
    """What of the calls a test case cannot assert: the index of the turn, and what it is."""
    for index, turn in enumerate(case.turns):
        for call in turn.calls:
            name = show_value(call.name, 60)
            if call.raw_args is not None:
                yield index, f"the arguments of {name} are not a JSON object: only its name is expected"
            left_out = [key for key, item in to_json(call.args).items() if not _can_assert(key, item)]
            if left_out:
                names = ", ".join(show_value(key, 60) for key in left_out)
                yield (
                    index,
                    f"{name}: the arguments {names} cannot be named in a test case and are not expected",
                )


def _turn(turn: RecordedTurn, ground_truth: bool) -> dict[str, Any]:
    value: dict[str, Any] = {"input": well_formed(turn.input).strip()}
    if ground_truth and turn.reply:
        value["ground_truth"] = well_formed(turn.reply)
    value["expected_tools"] = [_expected_tool(call) for call in turn.calls]
    if turn.calls:
        value["tool_order"] = "exact"  # these calls and no others
    return value


def _expected_tool(call: ToolCall) -> dict[str, Any]:
    args: Mapping[str, Any] = to_json(call.args)
    asserted = {key: _literal(thaw(item)) for key, item in args.items() if _can_assert(key, item)}
    value: dict[str, Any] = _name(to_json(call.name))
    if asserted:
        value["args"] = asserted
    if call.raw_args is None and len(asserted) == len(args):
        value["extra_args"] = "forbid"
    return value


def _name(name: str) -> dict[str, Any]:
    if name == _trimmed(name):
        return {"name": name, "match": "exact"}
    # The name in a file is trimmed, so that white space at its ends is written as an escape.
    escaped = "".join(_escaped(character) for character in name)
    return {"name": escaped, "match": "regex"}


def _trimmed(name: str) -> str:
    return name.strip().strip("\x85\xa0")


def _escaped(character: str) -> str:
    return f"\\U{ord(character):08x}" if character.isspace() else re.escape(character)


def _can_assert(key: str, item: object) -> bool:
    return can_name_argument(key) and not _deeper_than(item, _MAX_DEPTH)


def _deeper_than(value: object, depth: int) -> bool:
    if isinstance(value, dict | list):
        below = value.values() if isinstance(value, dict) else value
        return depth == 0 or any(_deeper_than(item, depth - 1) for item in below)
    return False


def _literal(value: Any) -> Any:
    return {"literal": value} if reads_as_matchers(value) else value
