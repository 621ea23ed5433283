from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from holodeck_core.models.matcher_shape import JSON_TYPES, MATCHER_NAMES, shape_of, shape_problems
from holodeck_core.models.test_case import ArgMatcher, ExpectedTool

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3)
    | st.sampled_from(sorted(JSON_TYPES))
)
keys = st.sampled_from([*sorted(MATCHER_NAMES), "tolerance", "acme/near", "regexp", "Fuzzy", "re"]) | st.text(
    max_size=2
)
json_values = st.recursive(
    scalars,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(keys, children, max_size=2),
    max_leaves=8,
)


def readable(value: Any) -> bool:
    return not list(shape_problems(value))


@pytest.mark.parametrize(
    ("value", "kind", "held"),
    [
        (206588, "literal", 206588),
        (None, "literal", None),
        (["a", 1], "literal", ["a", 1]),
        ({"a": {"fuzzy": 1}}, "literal", {"a": {"fuzzy": 1}}),
        ({"literal": {"fuzzy": 1}}, "literal", {"fuzzy": 1}),
        ({"literal": 5}, "literal", 5),
        ({"fuzzy": "206588"}, "fuzzy", "206588"),
        ({"approx": 1, "tolerance": 2}, "approx", {"approx": 1, "tolerance": 2}),
        ({"acme/near": [1]}, "acme/near", [1]),
    ],
    ids=repr,
)
def test_kind_and_value_are_read_from_the_shape(value: Any, kind: str, held: Any) -> None:
    matcher = ArgMatcher.from_yaml(value)
    assert (matcher.kind, matcher.value) == (kind, held)


@pytest.mark.parametrize(
    ("value", "verbatim"),
    [
        ({"literal": {"fuzzy": 1}}, True),
        ({"literal": [{"a": {"regex": "x", "y": 1}}]}, True),
        ({"literal": {"literal": 1}}, True),
        ({"literal": {"regexp": "x"}}, True),
        ({"literal": {"a": 1}}, True),  # `a` may be an alias
        ({"literal": [{"b": [{"a": 1}], "c": 2}]}, True),
        ({"literal": {"a": 1, "b": 2}}, False),
        ({"literal": {"A b": 1}}, False),
        ({"literal": 5}, False),
        ({"a": {"fuzzy": 1}}, False),
    ],
    ids=repr,
)
def test_a_literal_is_verbatim_where_it_would_be_read_as_a_matcher_otherwise(
    value: Any, verbatim: bool
) -> None:
    assert ArgMatcher.from_yaml(value).verbatim is verbatim


def test_literal_around_a_plain_value_is_the_same_as_the_value() -> None:
    assert ArgMatcher.from_yaml({"literal": [1, {}]}) == ArgMatcher.from_yaml([1, {}])
    assert ArgMatcher.from_yaml({"literal": {"fuzzy": 1}}) != ArgMatcher.from_yaml({"fuzzy": 1})
    assert ArgMatcher.from_yaml({"literal": [{"fuzzy": 1}]}) != ArgMatcher.from_yaml([{"fuzzy": 1}])


@given(json_values)
def test_reading_what_was_written_gives_the_same_matcher(value: Any) -> None:
    for written in [value, {"literal": value}] if readable(value) else [{"literal": value}]:
        matcher = ArgMatcher.from_yaml(written)
        again = ArgMatcher.from_yaml(matcher.to_yaml())
        assert repr(again) == repr(matcher)
        assert again == matcher


@given(json_values)
def test_in_literal_nothing_is_a_matcher(value: Any) -> None:
    matcher = ArgMatcher.from_yaml({"literal": value})
    assert matcher.kind == "literal"
    assert json.dumps(matcher.value) == json.dumps(value)


@given(json_values)
def test_every_json_value_is_either_read_or_refused_with_a_place(value: Any) -> None:
    if readable(value):
        shape = shape_of(value)
        assert ArgMatcher.from_yaml(value).kind == ("literal" if shape is None else shape.kind)
    else:
        with pytest.raises(ValidationError) as caught:
            ArgMatcher.from_yaml(value)
        assert [line["loc"] for line in caught.value.errors()] == [path for path, _ in shape_problems(value)]


@given(st.dictionaries(st.text("abc_", min_size=1, max_size=3), json_values.filter(readable), max_size=3))
def test_a_tool_is_dumped_as_it_was_written(args: dict[str, Any]) -> None:
    tool = ExpectedTool(name="f", args=args)
    for dumped in (tool.model_dump(), json.loads(tool.model_dump_json())):
        assert repr(ExpectedTool.model_validate(dumped)) == repr(tool)


def test_a_matcher_stands_for_itself() -> None:
    matcher = ArgMatcher("fuzzy", "x")
    assert ExpectedTool(name="f", args={"a": matcher}, result=matcher).args == {"a": matcher}
    assert TypeAdapter(ArgMatcher).validate_python(matcher) is matcher


def test_a_matcher_shows_what_the_file_says() -> None:
    assert repr(ArgMatcher("fuzzy", "x")) == "ArgMatcher({'fuzzy': 'x'})"
