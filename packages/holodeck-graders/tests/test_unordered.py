"""``{unordered: [...]}``: the same elements in any order, each used once."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import Matcher

Build = Callable[[Any], Matcher]


@pytest.mark.parametrize(
    ("expected", "actual", "does"),
    [
        ([], [], True),
        (["a", "b"], ["b", "a"], True),
        (["a", "a", "b"], ["a", "b", "a"], True),
        (["a", "a", "b"], ["a", "b", "b"], False),
        (["a"], ["a", "a"], False),
        (["a", "b"], ["a"], False),
        ([1, True], [True, 1.0], True),
        ([1, 1], [1, True], False),
        ([{"regex": ".*"}, "a"], ["a", "b"], True),
        ([{"any_of": ["a", "b"]}, {"any_of": ["b", "c"]}, "b"], ["b", "a", "c"], True),
        ([{"any_of": ["a", "b"]}, "a", "b"], ["a", "b", "c"], False),
        ([{"any_of": ["a", "b", "c"]}, "a", "a"], ["a", "b", "c"], False),
        ([{"unordered": [1, 2]}, 3], [3, [2, 1]], True),
        (["a"], "a", False),
        (["a"], {"a": 1}, False),
        (["a"], None, False),
    ],
)
def test_unordered(matches: Callable[[Any, Any], bool], expected: Any, actual: Any, does: bool) -> None:
    assert matches({"unordered": expected}, actual) is does


_ELEMENTS = st.one_of(
    st.sampled_from("abc"),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(lambda each: {"any_of": each}),
)


@given(st.lists(_ELEMENTS, max_size=5), st.lists(st.sampled_from("abc"), max_size=5))
def test_it_matches_whenever_some_order_does(build: Build, expected: list[Any], actual: list[str]) -> None:
    matchers = [build(item) for item in expected]
    some_order = len(expected) == len(actual) and any(
        all(matcher.mismatch(item) is None for matcher, item in zip(matchers, order, strict=True))
        for order in permutations(actual)
    )
    assert (build({"unordered": expected}).mismatch(actual) is None) is some_order


def test_the_reason_names_an_element_that_nothing_is_left_for(build: Build) -> None:
    assert build({"unordered": ["a", "a"]}).mismatch(["a", "b"]) == (
        'expected in any order ["a", "a"], got ["a", "b"]: nothing is left for "a"'
    )
    assert build({"unordered": ["a"]}).mismatch(["a", "b"]) == (
        'expected in any order ["a"] (1 items), got ["a", "b"] (2 items)'
    )


def test_long_lists_are_compared_in_a_thread_and_in_time(build: Build) -> None:
    matcher = build({"unordered": list(range(600))})
    assert matcher.blocking
    started = time.process_time()
    assert matcher.mismatch(list(reversed(range(600)))) is None
    assert matcher.mismatch([*range(599), 0]) is not None
    assert time.process_time() - started < 5
