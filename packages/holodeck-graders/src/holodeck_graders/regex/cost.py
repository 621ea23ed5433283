"""How long a full match can take at most, judged from the parse tree of the pattern.

``re`` tries the ways through a pattern one after the other. The *cost* of a part is a bound on the steps of
trying all its ways from one place in a text of a given length, and its *exits* are the places where it can
end:

- A part that can end in one place only costs the sum of its steps. ``\\d+`` can end behind each of its
  digits, and what follows it is tried at every one of them.
- But where what follows cannot begin with a digit, it can go on from one of those places only. Each group of
  exits says how many places it has (``ways``), from how many beginnings (``starts``), and which character
  (``mask``) stands behind every place but one for each beginning.
- A repeated part with more than one way to go on has as many ways as there are sequences of choices.

The bound errs on the large side: it never calls a pattern quick that is not.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from holodeck_graders.regex.charset import EVERYTHING, mask_of

HUGE: Final = 10.0**18


class Exits(NamedTuple):
    """Some of the places where a part can end."""

    starts: float
    ways: float
    mask: int


class Bound(NamedTuple):
    """What is known of a part: its cost, its exits, the characters it can begin with, and whether it can be
    empty."""

    cost: float
    exits: tuple[Exits, ...]
    first: int
    nullable: bool

    @property
    def ways(self) -> float:
        """In how many ways it can end."""
        return sum(exits.ways for exits in self.exits)


# Of which only one is on: what it means to be a letter, a digit, white space.
_KINDS: Final = re.ASCII | re.UNICODE | re.LOCALE
_ONE_WAY = (Exits(1, 1, 0),)


def parse(pattern: str) -> tuple[Any, int]:
    """The parse tree of a pattern that compiles, and its flags.

    The tree is not a documented interface of the standard library; whatever is not as expected raises, and the
    pattern then counts as slow.
    """
    tree = importlib.import_module("re._parser").parse(pattern)
    return tree, tree.state.flags


def cost(tree: Any, flags: int, length: int) -> float:
    """A bound on the steps of a full match of any text of that length."""
    return min(HUGE, _sequence(tree, flags, length).cost)


def _sequence(parts: Any, flags: int, length: int) -> Bound:
    total = 1.0
    exits: list[Exits] = list(_ONE_WAY)
    first = 0
    nullable = True
    for op, value in parts:
        part = _part(str(op), value, flags, length)
        if part is None:
            # It asks about the place and takes no character. Behind it, exits can only be fewer.
            total += sum(each.ways for each in exits)
            continue
        total += sum(each.ways + _entries(each, part) * part.cost for each in exits)
        exits = _behind(exits, part)
        if nullable:
            first |= part.first
        nullable = nullable and part.nullable
    return Bound(min(total, HUGE), tuple(exits), first, nullable)


def _entries(exits: Exits, part: Bound) -> float:
    """At how many of the places the part can take its first character, or can do so for all that is known."""
    return exits.starts if not exits.mask & part.first else exits.ways


def _behind(exits: Sequence[Exits], part: Bound) -> list[Exits]:
    found: dict[int, Exits] = {}
    for each in exits:
        entries = _entries(each, part)
        new = [Exits(entries * end.starts, entries * end.ways, end.mask) for end in part.exits]
        if part.nullable and entries < each.ways:
            new.append(each)
        for end in new:
            known = found.get(end.mask, Exits(0, 0, end.mask))
            found[end.mask] = Exits(
                min(known.starts + end.starts, HUGE), min(known.ways + end.ways, HUGE), end.mask
            )
    return list(found.values())


def _part(op: str, value: Any, flags: int, length: int) -> Bound | None:
    mask = mask_of(op, value, flags)
    if mask is not None:
        return Bound(1, _ONE_WAY, mask, False)
    match op:
        case "AT" | "FAILURE":
            return None
        case "ASSERT" | "ASSERT_NOT":
            return Bound(_sequence(value[1], flags, length).cost, _ONE_WAY, EVERYTHING, True)
        case "SUBPATTERN":
            _, added, removed, inner = value
            if added & _KINDS:
                flags &= ~_KINDS
            return _sequence(inner, (flags | added) & ~removed, length)
        case "BRANCH":
            return _branches([_sequence(branch, flags, length) for branch in value[1]])
        case "GROUPREF":
            return Bound(length + 1, _ONE_WAY, EVERYTHING, True)
        case "GROUPREF_EXISTS":
            return _branches([_sequence(branch or (), flags, length) for branch in value[1:]])
        case "ATOMIC_GROUP":
            inner = _sequence(value, flags, length)
            return inner._replace(exits=_ONE_WAY)
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, high, inner = value
            return _repeat(int(low), int(high), _sequence(inner, flags, length), length)
        case "POSSESSIVE_REPEAT":
            low, high, inner = value
            body = _sequence(inner, flags, length)
            times = _times(int(low), int(high), length)
            return Bound(min(HUGE, times * (body.cost + 1)), _ONE_WAY, body.first, body.nullable or not low)
    raise ValueError(f"unknown part of a pattern: {op}")


def _branches(branches: list[Bound]) -> Bound:
    total = sum(branch.cost + 1 for branch in branches)
    first = 0
    distinct = True
    for branch in branches:
        distinct = distinct and not branch.nullable and not first & branch.first
        first |= branch.first
    nullable = any(branch.nullable for branch in branches)
    if not distinct:
        return Bound(total, tuple(end for branch in branches for end in branch.exits), first, nullable)
    # At most one branch can begin here.
    mask = 0
    for branch in branches:
        for end in branch.exits:
            mask |= end.mask
    starts = max(sum(end.starts for end in branch.exits) for branch in branches)
    return Bound(total, (Exits(starts, max(branch.ways for branch in branches), mask),), first, nullable)


def _repeat(low: int, high: int, body: Bound, length: int) -> Bound:
    times = _times(low, high, length)
    nullable = body.nullable or low == 0
    onward = sum(_entries(end, body) for end in body.exits)
    if body.nullable:
        onward = max(onward, 2)
    if onward > 1:
        entries = HUGE if times > 60 else min(HUGE, sum(onward**turn for turn in range(times)))
        ways = min(HUGE, entries * body.ways + 1)
        return Bound(
            min(HUGE, entries * (body.cost + 1)), (Exits(ways, ways, EVERYTHING),), body.first, nullable
        )
    total = min(HUGE, times * (body.cost + 1))
    if low == high and body.ways <= 1:
        return Bound(total, _ONE_WAY, body.first, nullable)
    # One chain of repetitions at most leads on, so that no place is reached twice. It can be left early only
    # where the character behind is one that the body could have begun with, or gone on with.
    mask = body.first
    for end in body.exits:
        mask |= end.mask
    if sum(end.starts for end in body.exits) > 1:
        mask = EVERYTHING
    return Bound(total, (Exits(1, min(times * body.ways + 1, length + 1), mask),), body.first, nullable)


def _times(low: int, high: int, length: int) -> int:
    """How often a repeated part is entered at most: once a character, and once in vain."""
    return min(high, low + length + 1)
