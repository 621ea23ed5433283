"""The bound on a match's cost holds: it is never less than what trying all ways takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from holodeck_graders.regex.charset import mask_of
from holodeck_graders.regex.cost import cost, parse
from holodeck_graders.regex.pattern import UNLIMITED, compile_pattern

_MOST = 30_000


class _TooMany(Exception):
    pass


def _steps(tree: Any, text: str) -> int:
    """The steps of a matcher that tries every way through the tree, as one must where none leads to a match."""
    count = 0

    def tick() -> None:
        nonlocal count
        count += 1
        if count > _MOST:
            raise _TooMany

    def sequence(parts: list[Any], place: int, then: Callable[[int], None]) -> None:
        if not parts:
            then(place)
            return
        (op, value), rest = parts[0], parts[1:]
        one(str(op), value, place, lambda end: sequence(rest, end, then))

    def one(op: str, value: Any, place: int, then: Callable[[int], None]) -> None:
        tick()
        if op in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            if place < len(text) and _takes(op, value, text[place]):
                then(place + 1)
        elif op == "SUBPATTERN":
            sequence(list(value[3]), place, then)
        elif op == "BRANCH":
            for branch in value[1]:
                sequence(list(branch), place, then)
        elif op in ("MAX_REPEAT", "MIN_REPEAT"):
            repeat(int(value[0]), int(value[1]), list(value[2]), place, -1, then)
        else:
            raise AssertionError(op)

    def repeat(
        low: int, high: int, body: list[Any], place: int, last: int, then: Callable[[int], None]
    ) -> None:
        tick()
        if high > 0 and (low > 0 or place != last):
            sequence(
                body,
                place,
                lambda end: repeat(max(0, low - 1), high - 1, body, end, place if low <= 0 else -1, then),
            )
        if low <= 0:
            then(place)

    sequence(list(tree), 0, lambda end: tick())
    return count


def _takes(op: str, value: Any, char: str) -> bool:
    if op == "ANY":
        return char != "\n"
    if op in ("LITERAL", "NOT_LITERAL"):
        return (ord(char) == value) is (op == "LITERAL")
    negated = str(value[0][0]) == "NEGATE"
    taken = any(
        (str(kind) == "LITERAL" and ord(char) == detail)
        or (str(kind) == "RANGE" and detail[0] <= ord(char) <= detail[1])
        or (str(kind) == "CATEGORY" and char.isdecimal() is ("NOT" not in str(detail)))
        for kind, detail in value[negated:]
    )
    return taken is not negated


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,2}", "{2,}"])
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, repeats).map("(?:{0[0]}){0[1]}".format),
    )


_ATOMS = st.sampled_from(
    ["a", "b", "1", "[ab]", "[^a]", r"\d", r"\D", ".", "ab", "a*", "[ab]+", r"\d*", "b?", "a{1,2}"]
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.recursive(_ATOMS, _nested, max_leaves=6), st.text("ab1,", max_size=8))
def test_the_bound_is_never_less_than_the_steps_of_trying_every_way(pattern: str, text: str) -> None:
    re.compile(pattern)
    tree, flags = parse(pattern)
    bound = cost(tree, flags, len(text))
    try:
        steps = _steps(tree, text)
    except _TooMany:
        assume(bound < _MOST)
        steps = _MOST
    # The bound counts a repetition and its body as one step where the matcher above counts several.
    assert steps <= 4 * bound


@pytest.mark.parametrize(
    ("pattern", "length"), [(r".*x.*", 100), (r"(\d+,)*\d+", 100), (r"\w+(,\w+)*", 100), ("(a|aa)+", 8)]
)
def test_a_slow_pattern_is_matched_on_the_spot_on_a_short_text(pattern: str, length: int) -> None:
    limit = compile_pattern(pattern).limit
    assert length <= limit < UNLIMITED


@pytest.mark.parametrize(
    "pattern", [r"\w", r"\d", r"\s", r"\W", r"\D", r"\S", "[a-z]", "[^a-z]", "é", "[^é]", "[à-ü]", "."]
)
@pytest.mark.parametrize("flags", ["", "(?i)", "(?a)", "(?ai)", "(?s)"])
def test_a_mask_covers_every_character_that_the_pattern_takes(pattern: str, flags: str) -> None:
    [(op, value)], given_flags = parse(flags + pattern)
    mask = mask_of(str(op), value, given_flags)
    assert mask is not None
    compiled = re.compile(flags + pattern)
    for char in [*map(chr, range(0x250)), *"ſK٣५ \u2003\u3000Ωω中\U0001f600"]:
        if compiled.fullmatch(char):
            own = mask_of("LITERAL", ord(char), 0)
            assert own is not None
            assert mask & own, (char, flags + pattern)
