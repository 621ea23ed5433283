"""The matchers known by their whole shape: any_of, absent, contains, type, approx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core import ABSENT, LiteralMatcher, Matcher, Undecided
from holodeck_graders.matchers.absent import AbsentMatcher
from holodeck_graders.matchers.any_of import AnyOfMatcher
from holodeck_graders.matchers.approx import ApproxMatcher
from holodeck_graders.matchers.contains import ContainsMatcher
from holodeck_graders.matchers.type import TypeMatcher
from holodeck_graders.matchers.unordered import UnorderedMatcher

Matches = Callable[[Any, Any], bool]
Build = Callable[[Any], Matcher]


@pytest.mark.parametrize(
    ("expected", "actual", "does"),
    [
        ({"any_of": [1, 2]}, 2.0, True),
        ({"any_of": [1, 2]}, 3, False),
        ({"any_of": [1]}, True, False),
        ({"any_of": [{"fuzzy": "x"}, None]}, None, True),
        ({"any_of": [{"regex": "a+"}, {"x": {"fuzzy": "B"}}]}, {"x": "b"}, True),
        ({"any_of": [{"any_of": ["a"]}, "b"]}, "a", True),
        ({"any_of": [{"absent": True}, "a"]}, ABSENT, True),
        ({"any_of": [{"absent": True}, "a"]}, "a", True),
        ({"any_of": [{"absent": True}, "a"]}, None, False),
        ({"any_of": [{"absent": True}, "a"]}, "b", False),
        ({"k": {"any_of": [{"absent": True}, "a"]}}, {}, True),
        ({"k": {"any_of": ["b", "a"]}}, {}, False),
    ],
)
def test_any_of(matches: Matches, expected: Any, actual: Any, does: bool) -> None:
    assert matches(expected, actual) is does


def test_any_of_is_asked_about_a_missing_argument_only_where_an_alternative_is(build: Build) -> None:
    assert build({"any_of": ["a", {"absent": True}]}).accepts_absent
    assert not build({"any_of": ["a", "b"]}).accepts_absent
    assert not AnyOfMatcher.accepts_absent


@pytest.mark.parametrize(("actual", "does"), [(ABSENT, True), (None, False), ("", False), (False, False)])
def test_absent_is_not_null(matches: Matches, actual: Any, does: bool) -> None:
    assert AbsentMatcher.accepts_absent
    assert matches({"absent": True}, actual) is does


def test_absent_works_inside_of_a_literal(matches: Matches) -> None:
    assert matches({"a": 1, "b": {"absent": True}}, {"a": 1})
    assert not matches({"a": 1, "b": {"absent": True}}, {"a": 1, "b": None})


@pytest.mark.parametrize(
    ("part", "actual", "does"),
    [
        ("ell", "Hello", True),
        ("ELL", "Hello", False),
        ("", "x", True),
        (5, "x5", False),
        ({"regex": "e.l"}, "Hello", False),
        ("a", ["b", "a"], True),
        ("a", ["ba"], False),
        (1, [True, 1.0], True),
        (1, [True], False),
        ({"fuzzy": "A"}, ["b", "a"], True),
        ({"regex": "o.*"}, ["one", "two"], True),
        (["a"], [["a"]], True),
        (["a"], ["a"], False),
        ({"id": 7}, [{"id": 7}], True),
        ({"id": 7}, [{"id": 7, "x": 1}], False),
        ({"contains": {"id": 7}}, [{"id": 7, "x": 1}], True),
        ("a", [], False),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": {"fuzzy": "X"}}, {"a": "x", "b": 2}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, False),
        ({"a": {"contains": {"b": 1}}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": None}, {}, False),
        ({"a": {"absent": True}}, {"b": 1}, True),
        ({"a": {"absent": True}}, {"a": 1}, False),
        ({}, {"a": 1}, True),
        ({"literal": {"fuzzy": "X"}}, {"fuzzy": "X", "b": 1}, True),
        ({"literal": {"fuzzy": "X"}}, {"fuzzy": "x"}, False),
        ({"literal": {"a": {"fuzzy": "X"}}}, {"a": {"fuzzy": "X"}, "b": 1}, True),
        ({"literal": {"a": {"fuzzy": "X"}}}, {"a": "X"}, False),
        ("a", {"a": 1}, False),
        ({"fuzzy": "a"}, {"fuzzy": "a"}, False),
        ("5", 5, False),
        ("n", None, False),
    ],
)
def test_contains(matches: Matches, part: Any, actual: Any, does: bool) -> None:
    assert matches({"contains": part}, actual) is does


def test_contains_says_which_key_differs(build: Build) -> None:
    assert build({"contains": {"a": 1}}).mismatch({"a": 2, "b": 3}) == (
        'expected it to contain {"a": 1}, got {"a": 2, "b": 3}: at a: expected 1, got 2'
    )
    assert build({"contains": {"a": 1}}).mismatch({"b": 1}) == (
        'expected it to contain {"a": 1}, got {"b": 1}: key "a" is missing'
    )


_OF_TYPE: dict[str, list[Any]] = {
    "integer": [5, 5.0, -1e300],
    "number": [5, 5.5, 5.0],
    "string": ["", "5"],
    "boolean": [True, False],
    "array": [[], [1]],
    "object": [{}, {"a": 1}],
}
_ALL = [5, 5.5, "5", True, [], {}, None]


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in _OF_TYPE.items() for value in values]
)
def test_type_matches(matches: Matches, name: str, value: Any) -> None:
    assert matches({"type": name}, value)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("integer", [5.5, "5", True, [], {}, None, float("inf"), float("nan")]),
        ("number", ["5", True, False, [], {}, None]),
        ("string", [5, 5.5, True, [], {}, None]),
        ("boolean", [0, 1, "true", [], {}, None]),
        ("array", [5, "[]", {}, None]),
        ("object", [5, "{}", [], None]),
    ],
)
def test_type_refuses_the_others(matches: Matches, name: str, others: list[Any]) -> None:
    assert not any(matches({"type": name}, value) for value in others)


@pytest.mark.parametrize(
    ("expected", "actual", "does"),
    [
        ({"approx": 100}, 100.0001, True),
        ({"approx": 100}, 99.9999, True),
        ({"approx": 100}, 100.000101, False),
        ({"approx": -100}, -100.0001, True),
        ({"approx": 0}, 0.0, True),
        ({"approx": 0}, 1e-300, False),
        ({"approx": 0.1, "tolerance": 0.2}, 0.3, True),
        ({"approx": 0.1, "tolerance": 0.2}, 0.30001, False),
        ({"approx": 5, "tolerance": 0}, 5.0, True),
        ({"approx": 5, "tolerance": 0}, 5.1, False),
        ({"approx": 9007199254740993, "tolerance": 0}, 9007199254740992, False),
        ({"approx": 1}, True, False),
        ({"approx": 1}, "1", False),
        ({"approx": 1}, None, False),
        ({"approx": 1, "tolerance": 1e300}, float("inf"), False),
    ],
)
def test_approx(matches: Matches, expected: Any, actual: Any, does: bool) -> None:
    assert matches(expected, actual) is does


_TYPES = "`type` is one of integer, number, string, boolean, array, object"


@pytest.mark.parametrize("digits", [400, 5000])
def test_integers_of_any_size_are_judged(matches: Matches, digits: int) -> None:
    assert matches({"type": "integer"}, 10**digits)
    assert not matches({"approx": 0, "tolerance": 1}, 10**digits)


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        ({"approx": 5}, 6, "expected 5 within a relative 1e-6, got 6: they differ by 1"),
        ({"approx": 5, "tolerance": 0.5}, 6, "expected 5 within 0.5, got 6: they differ by 1"),
        ({"approx": 5}, "5", 'expected 5 within a relative 1e-6, got "5", which is not a number'),
        ({"type": "integer"}, "5", 'expected type integer, got "5"'),
        ({"absent": True}, 5, "expected it to be absent, got 5"),
        ({"any_of": [1, 2]}, 3, "expected any of [1, 2], got 3"),
        ({"any_of": [1, 2]}, ABSENT, "expected any of [1, 2], got nothing"),
        ({"contains": "a"}, "b", 'expected it to contain "a", got "b"'),
        ({"contains": "a"}, ["b"], 'expected it to contain "a", got ["b"]'),
        ({"contains": "a"}, 5, 'expected it to contain "a", got 5'),
        ({"unordered": ["a"]}, "a", 'expected in any order ["a"], got "a"'),
    ],
)
def test_reasons_name_both_sides(build: Build, expected: Any, actual: Any, reason: str) -> None:
    assert build(expected).mismatch(actual) == reason


@pytest.mark.parametrize(
    ("matcher", "expected", "message"),
    [
        (AnyOfMatcher, [], "`any_of` takes a list of at least one alternative"),
        (AnyOfMatcher, "x", "`any_of` takes a list of at least one alternative"),
        (UnorderedMatcher, "x", '`unordered` takes a list, not "x"'),
        (AbsentMatcher, False, "`absent` takes only `true`"),
        (TypeMatcher, "int", f'{_TYPES}, not "int"'),
        (TypeMatcher, 5, f"{_TYPES}, not 5"),
        (ApproxMatcher, "5", '`approx` takes a finite number, not "5"'),
        (ApproxMatcher, True, "`approx` takes a finite number, not true"),
        (ApproxMatcher, float("nan"), "`approx` takes a finite number, not NaN"),
        (ApproxMatcher, {"approx": 5, "tolerance": -1}, "`tolerance` cannot be negative"),
        (ApproxMatcher, {"approx": 5, "tolerance": "1"}, '`tolerance` takes a finite number, not "1"'),
    ],
)
def test_values_that_make_no_sense_are_refused(
    build: Build, matcher: type[Matcher], expected: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=r"^`\w+` ") as caught:
        matcher(expected, build)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("expected", "blocks"),
    [
        ({"type": "integer"}, False),
        ({"approx": 5}, False),
        ({"absent": True}, False),
        ({"any_of": ["a", {"fuzzy": "b"}]}, False),
        ({"any_of": ["a", {"regex": "(a+)+"}]}, True),
        ({"contains": {"a": {"fuzzy": "b"}}}, False),
        ({"contains": {"a": {"regex": "(a+)+"}}}, True),
        ({"unordered": ["a", "b"]}, False),
        ({"unordered": [{"regex": "(a+)+"}]}, True),
    ],
)
def test_a_matcher_blocks_where_one_inside_of_it_does(build: Build, expected: Any, blocks: bool) -> None:
    assert build(expected).blocking is blocks


class _Doubt(LiteralMatcher):
    """A literal that cannot judge what begins with a question mark."""

    def mismatch(self, actual: Any) -> str | None:
        doubtful = isinstance(actual, str) and actual.startswith("?")
        return Undecided(f"cannot tell {actual}") if doubtful else super().mismatch(actual)


@pytest.mark.parametrize(
    ("matcher", "expected", "actual", "reason", "undecided"),
    [
        (AnyOfMatcher, ["a", "b"], "?", 'expected any of ["a", "b"], got "?"; of one: cannot tell ?', True),
        (AnyOfMatcher, ["a"], "?", "cannot tell ?", True),
        (AnyOfMatcher, ["a", "b"], "c", 'expected any of ["a", "b"], got "c"', False),
        (
            ContainsMatcher,
            "a",
            ["?", "b"],
            'expected it to contain "a", got ["?", "b"]; of one: cannot tell ?',
            True,
        ),
        (ContainsMatcher, "a", ["?", "a"], None, False),
        (ContainsMatcher, "a", ["c", "b"], 'expected it to contain "a", got ["c", "b"]', False),
        (
            ContainsMatcher,
            {"k": "a"},
            {"k": "?"},
            'expected it to contain {"k": "a"}, got {"k": "?"}: at k: cannot tell ?',
            True,
        ),
        (
            ContainsMatcher,
            {"k": "a"},
            {"k": "b"},
            'expected it to contain {"k": "a"}, got {"k": "b"}: at k: expected "a", got "b"',
            False,
        ),
        (
            UnorderedMatcher,
            ["a", "b"],
            ["?1", "?2"],
            'expected in any order ["a", "b"], got ["?1", "?2"]: nothing is left for "a"; of one: cannot tell ?1',
            True,
        ),
        (
            UnorderedMatcher,
            ["a"],
            ["b"],
            'expected in any order ["a"], got ["b"]: nothing is left for "a"',
            False,
        ),
    ],
)
def test_what_one_inside_of_it_cannot_judge_a_matcher_cannot(
    matcher: type[Matcher], expected: Any, actual: Any, reason: str | None, undecided: bool
) -> None:
    found = matcher(expected, _Doubt).mismatch(actual)
    assert found == reason
    assert isinstance(found, Undecided) is undecided
