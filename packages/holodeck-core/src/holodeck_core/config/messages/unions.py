"""Of what pydantic finds in a union, what concerns the form that was meant. Pure.

For a value that is none of a union's members pydantic reports what each of them finds, under a name of the member's own
in the place of the error. Here the names are taken out of the places, and one member's errors are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from holodeck_core.config.messages.expected_keys import is_union
from holodeck_core.config.messages.wording import expected
from holodeck_core.models.base import Loc

NO_MEMBER: Final = "no_member"
"""The type of a line that stands for a whole union. Its context has ``kinds``, what each member expects."""


def settled(lines: Sequence[ErrorDetails], model: type[BaseModel], value: Any) -> list[ErrorDetails]:
    """What ``model`` finds in ``value``, with places that are those of the file, and one form of each union."""
    result: list[ErrorDetails] = []
    unions: dict[Loc, dict[str | int, list[ErrorDetails]]] = {}
    for line in lines:
        loc = line["loc"]
        at = _member_at(line, model, value)
        if at is None:
            result.append(line)
        else:
            without: ErrorDetails = {**line, "loc": (*loc[:at], *loc[at + 1 :])}
            unions.setdefault(loc[:at], {}).setdefault(loc[at], []).append(without)
    for place, members in unions.items():
        result += settled(_meant(place, list(members.values())), model, value)
    return result


def _member_at(line: ErrorDetails, model: type[BaseModel], value: Any) -> int | None:
    """The index, in the line's place, of the name of a union's member."""
    loc, inner = line["loc"], value
    for index, element in enumerate(loc):
        if not _has(inner, element):
            absent = line["type"] == "missing" and index == len(loc) - 1
            return index if not absent and is_union(model, value, loc[:index]) else None
        inner = inner[element]
    return None


def _has(value: Any, element: str | int) -> bool:
    if isinstance(value, dict):
        return element in value
    return isinstance(value, list) and isinstance(element, int) and 0 <= element < len(value)


def _meant(place: Loc, members: list[list[ErrorDetails]]) -> list[ErrorDetails]:
    """The errors of the member that the value is most like; one line where it is like none of them."""
    like = [lines for lines in members if not any(line["loc"] == place and expected(line) for line in lines)]
    if like:
        return min(like, key=len)
    if len(members) == 1:
        return members[0]
    kinds = [kind for lines in members for line in lines if line["loc"] == place and (kind := expected(line))]
    return [
        {
            "type": NO_MEMBER,
            "loc": place,
            "msg": "",
            "input": members[0][0]["input"],
            "ctx": {"kinds": list(dict.fromkeys(kinds))},
        }
    ]
