from __future__ import annotations

from typing import Any

import pytest

from holodeck_core.models.json_value import MAX_DEPTH
from holodeck_core.models.matcher_shape import MATCHER_NAMES, is_plugin_name, shape_of, shape_problems
from holodeck_core.plugins.names import FIRST_PARTY_NAMES


@pytest.mark.parametrize(
    ("value", "kind", "operand"),
    [
        ({"literal": {"fuzzy": 1}}, "literal", {"fuzzy": 1}),
        ({"fuzzy": "206588"}, "fuzzy", "206588"),
        ({"fuzzy": 206588}, "fuzzy", 206588),
        ({"fuzzy": True}, "fuzzy", True),
        ({"regex": "^a$"}, "regex", "^a$"),
        ({"any_of": [1, 2]}, "any_of", [1, 2]),
        ({"unordered": []}, "unordered", []),
        ({"absent": True}, "absent", True),
        ({"contains": "x"}, "contains", "x"),
        ({"contains": None}, "contains", None),
        ({"type": "integer"}, "type", "integer"),
        ({"type": "object"}, "type", "object"),
        ({"approx": 3}, "approx", 3),
        ({"approx": 3.5}, "approx", 3.5),
        ({"approx": 3, "tolerance": 0.1}, "approx", {"approx": 3, "tolerance": 0.1}),
        ({"tolerance": 1, "approx": 3}, "approx", {"approx": 3, "tolerance": 1}),
        ({"acme/near": {"any": "value"}}, "acme/near", {"any": "value"}),
        ({"text/plain": "x"}, "text/plain", "x"),
    ],
    ids=repr,
)
def test_a_matcher_is_known_by_its_shape(value: Any, kind: str, operand: Any) -> None:
    assert shape_of(value) == (kind, operand)
    assert list(shape_problems(value)) == []


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        2.5,
        "fuzzy",
        [],
        {},
        [{"x": 1}],
        {"a": 1},
        {"type": "function"},
        {"type": "string", "value": "x"},
        {"type": ["string"]},
        {"type": "String"},
        {"absent": False},
        {"absent": 1},
        {"contains": 1, "x": 2},
        {"any_of": "a"},
        {"unordered": {"a": 1}},
        {"approx": "3"},
        {"approx": True},
        {"approx": 3, "tolerance": "1"},
        {"approx": 3, "other": 1},
        {"tolerance": 1},
        {"literal": 1, "x": 2},
        {"Contains": 1, "x": 2},
        {"regexp": "a", "x": 2},
        {"/usr/bin": 1},
        {"a/b/c": 1},
        {"image/svg+xml": 1},
        {"Acme/near": 1},
        {"acme/": 1},
    ],
    ids=repr,
)
def test_a_value_of_any_other_shape_is_a_literal(value: Any) -> None:
    assert shape_of(value) is None
    assert list(shape_problems(value)) == []


@pytest.mark.parametrize(
    ("value", "path", "hint"),
    [
        ({"fuzzy": "x", "extra": 1}, ("fuzzy",), "no other keys"),
        ({"regex": "x", "extra": 1}, ("regex",), "no other keys"),
        ({"extra": 1, "acme/near": 1}, ("acme/near",), "no other keys"),
        ({"fuzzy": None}, ("fuzzy",), "single text or number"),
        ({"fuzzy": [1]}, ("fuzzy",), "single text or number"),
        ({"fuzzy": {"a": 1}}, ("fuzzy",), "single text or number"),
        ({"regex": 5}, ("regex",), "quote it"),
        ({"regex": None}, ("regex",), "quote it"),
        ({"any_of": []}, ("any_of",), "can never match"),
        ({"regexp": "x"}, ("regexp",), "did you mean `regex`"),
        ({"re": "x"}, ("re",), "did you mean `regex`"),
        ({"pattern": "x"}, ("pattern",), "did you mean `regex`"),
        ({"fuzz": "x"}, ("fuzz",), "did you mean `fuzzy`"),
        ({"Fuzzy": "x"}, ("Fuzzy",), "did you mean `fuzzy`"),
        ({"ANY_OF": [1]}, ("ANY_OF",), "did you mean `any_of`"),
        ({"Type": "car"}, ("Type",), "did you mean `type`"),
        ({"Literal": 1}, ("Literal",), "did you mean `literal`"),
        ({"a": [{"b": {"fuzz": 1}}]}, ("a", 0, "b", "fuzz"), "did you mean"),
        ({"any_of": [1, {"regex": 5}]}, ("any_of", 1, "regex"), "quote it"),
        ({"unordered": [{"fuzzy": 1, "x": 2}]}, ("unordered", 0, "fuzzy"), "no other keys"),
        ({"contains": {"re": "x"}}, ("contains", "re"), "did you mean"),
        ({"contains": {"any_of": [{"contains": {"Regex": 1}}]}},
         ("contains", "any_of", 0, "contains", "Regex"), "did you mean"),
        ({1: "x"}, (), "quote it"),
        ({"a": {None: 1, "b": 2}}, ("a",), "quote it"),
        (float("nan"), (), "not a number"),
        ([float("inf")], (0,), "not a number"),
        ({"approx": float("inf")}, ("approx",), "not a number"),
        ({"fuzzy": float("nan")}, ("fuzzy",), "not a number"),
        ({"a": {1, 2}}, ("a",), "not set"),
        ((1, 2), (), "not tuple"),
        ({"literal": {"a": b"x"}}, ("literal", "a"), "not bytes"),
        ({"acme/near": [1j]}, ("acme/near", 0), "not complex"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_only_nearly_is_a_matcher_or_a_json_value_is_an_error_at_its_place(
    value: Any, path: tuple[str | int, ...], hint: str
) -> None:
    [(found, message)] = shape_problems(value)
    assert found == path
    assert hint in message


@pytest.mark.parametrize(
    ("value", "path", "names"),
    [
        ({"fuzzy": 1, "regex": "x"}, ("regex",), "`fuzzy` and `regex` exclude each other"),
        ({"z": 3, "acme/near": 1, "fuzzy": "x"}, ("fuzzy",), "`acme/near` and `fuzzy` exclude each other"),
        ({"fuzzy": 1, "regex": "x", "text/plain": 2}, ("regex",), "`fuzzy` and `regex` exclude"),
    ],
    ids=repr,
)
def test_several_keys_that_stand_alone_are_one_mistake(
    value: dict[str, Any], path: tuple[str, ...], names: str
) -> None:
    [(found, message)] = shape_problems(value)
    assert found == path
    assert names in message


@pytest.mark.parametrize(
    "inside", [{"fuzzy": 1, "x": 2}, {"regexp": 1}, {"any_of": []}, {"regex": 5}, {"Type": 1}]
)
def test_nothing_is_a_matcher_inside_literal(inside: dict[str, Any]) -> None:
    assert list(shape_problems({"literal": inside})) == []
    assert list(shape_problems({"literal": [{"deep": inside}]})) == []
    assert list(shape_problems(inside)) != []


def test_the_value_of_a_plugins_matcher_is_the_plugins_business() -> None:
    assert list(shape_problems({"acme/schema": {"pattern": "^a"}})) == []


@pytest.mark.parametrize(
    "wrap", [lambda value: [value], lambda value: {"a": value}], ids=["lists", "mappings"]
)
@pytest.mark.parametrize(
    "under", [lambda value: value, lambda value: {"literal": value}], ids=["bare", "literal"]
)
def test_a_value_deeper_than_evidence_can_be_is_refused(wrap: Any, under: Any) -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH * 20):
        value = wrap(value)
    [(path, message)] = shape_problems(under(value))
    assert len(path) == MAX_DEPTH
    assert "nested deeper" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("acme/near", True),
        ("acme-2/SQL_equivalence", True),
        ("text/plain", True),
        ("acme", False),
        ("acme/near/by", False),
        ("/near", False),
        ("Acme/near", False),
        ("acme/near\n", False),
        ("acme /near", False),
    ],
)
def test_plugin_names(text: str, expected: bool) -> None:
    assert is_plugin_name(text) is expected


def test_the_matchers_known_here_are_the_first_party_ones() -> None:
    assert set(FIRST_PARTY_NAMES["matcher"]) == MATCHER_NAMES
