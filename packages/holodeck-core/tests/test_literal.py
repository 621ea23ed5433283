"""Literals: equal as JSON values, and where they differ when they do not."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_core import ABSENT, ArgMatcher, LiteralMatcher, Matcher, Undecided


class Letters(Matcher):
    """``{fuzzy: X}`` as far as these tests need it: text without regard to case, or nothing at all."""

    accepts_absent = True

    def __init__(self, expected: Any) -> None:
        self.expected = expected
        self.blocking = expected == "SLOW"

    def mismatch(self, actual: Any) -> str | None:
        if actual is ABSENT and self.expected == "ABSENT":
            return None
        if actual == "?":
            return Undecided("cannot tell")
        if actual is False:
            return False  # type: ignore[return-value]
        same = isinstance(actual, str) and actual.upper() == self.expected
        return None if same else f"expected {self.expected}, got {actual!r}"


def build(value: Any) -> Matcher:
    expected = ArgMatcher.from_yaml(value)
    if expected.kind == "literal":
        return LiteralMatcher(expected.value, None if expected.verbatim else build)
    return Letters(expected.value)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, None),
        (True, True),
        (1, 1.0),
        (2**53, float(2**53)),
        ("é", "é"),
        ([1, [2]], [1, [2.0]]),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
        ([{"fuzzy": "A"}], ["a"]),
        ([[{"fuzzy": "A"}]], [["a"]]),
        ({"a": [{"b": {"fuzzy": "A"}}]}, {"a": [{"b": "a"}]}),
        ({"a": 1, "b": {"fuzzy": "ABSENT"}}, {"a": 1}),
        ({"literal": {"a": {"fuzzy": "A"}}}, {"a": {"fuzzy": "A"}}),
    ],
)
def test_values_are_equal_as_json_with_matchers_at_any_depth(expected: Any, actual: Any) -> None:
    assert build(expected).mismatch(actual) is None


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        (True, 1, "expected true, got 1"),
        (1, True, "expected 1, got true"),
        (2**53, 2**53 + 1, "expected 9007199254740992, got 9007199254740993"),
        ("1", 1, 'expected "1", got 1'),
        ("a", "A", 'expected "a", got "A"'),
        ("e\u0301", "é", 'expected "e\\u0301", got "é"'),
        (None, "", 'expected null, got ""'),
        ([1], "x", 'expected [1], got "x"'),
        ({"a": 1}, [], 'expected {"a": 1}, got []'),
        ([1, True], [1, 1], "at [1]: expected true, got 1"),
        ([1], [1, 2], "expected [1] (1 items), got [1, 2] (2 items)"),
        ({"a": [[1], []]}, {"a": [[1], [2]]}, "at a[1]: expected [] (0 items), got [2] (1 items)"),
        ({"a": 1}, {"b": 1}, 'key "a" is missing in {"b": 1}'),
        ({"a": {"b": 1}}, {"a": {}}, 'at a: key "b" is missing in {}'),
        ({"a": 1}, {"a": 1, "b": 2}, 'key "b" was not expected: got {"a": 1, "b": 2}'),
        ([{"a": {}}], [{"a": {"b": 2}}], 'at [0].a: key "b" was not expected: got {"b": 2}'),
        ({"a": {"b": [0]}}, {"a": {"b": [1]}}, "at a.b[0]: expected 0, got 1"),
        ({"a": [{"fuzzy": "A"}]}, {"a": ["b"]}, "at a[0]: expected A, got 'b'"),
        ({"a": {"b": {"fuzzy": "A"}}}, {"a": {}}, "at a.b: expected A, got ABSENT"),
        ({"a": {"fuzzy": "A"}}, 5, 'expected {"a": "<Letters>"}, got 5'),
        ([{"a": [{"fuzzy": "A"}]}], 5, 'expected [{"a": ["<Letters>"]}], got 5'),
        ([1, {"fuzzy": "A"}], [1], 'expected [1, "<Letters>"] (2 items), got [1] (1 items)'),
        ({"literal": {"fuzzy": "A"}}, "a", 'expected {"fuzzy": "A"}, got "a"'),
    ],
)
def test_the_reason_names_the_first_difference_and_its_place(expected: Any, actual: Any, reason: str) -> None:
    assert build(expected).mismatch(actual) == reason


@pytest.mark.parametrize(
    ("expected", "blocks"),
    [
        ("SLOW", False),
        ([1, {"a": 2}], False),
        ([1, {"fuzzy": "A"}], False),
        ([1, {"fuzzy": "SLOW"}], True),
        ({"a": [{"b": {"fuzzy": "SLOW"}}]}, True),
    ],
)
def test_a_literal_blocks_where_a_matcher_in_it_does(expected: Any, blocks: bool) -> None:
    assert build(expected).blocking is blocks


@pytest.mark.parametrize(
    ("actual", "reason", "undecided"),
    [
        ({"a": ["?"]}, "at a[0]: cannot tell", True),
        ({"a": ["b"]}, "at a[0]: expected A, got 'b'", False),
    ],
)
def test_what_a_matcher_cannot_judge_the_literal_cannot(actual: Any, reason: str, undecided: bool) -> None:
    found = build({"a": [{"fuzzy": "A"}]}).mismatch(actual)
    assert found == reason
    assert isinstance(found, Undecided) is undecided


def test_a_matcher_that_answers_neither_none_nor_why_not_has_judged_nothing() -> None:
    with pytest.raises(TypeError, match="a matcher returns None or why not, as a text, got False"):
        build([{"fuzzy": "A"}]).mismatch([False])
