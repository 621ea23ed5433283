"""``response_path``: where a value stands in a JSON response."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import Score
from holodeck_graders.metrics.response_path import ResponsePath

DOCUMENT = (
    '{"a": {"b": [1, {"c d": "x"}]}, "n": null, "t": true, "f": 12.50, "big": 123456789012345678901, "": 1}'
)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.b[0]", "1"),
        ("a.b[1].c d", "x"),
        ("n", "null"),
        ("t", "true"),
        ("f", "12.50"),
        ("big", "123456789012345678901"),
    ],
)
def test_a_value_is_read_in_its_json_spelling(path: str, text: str) -> None:
    assert ResponsePath(path).read(DOCUMENT) == text


def test_a_response_may_be_a_list() -> None:
    assert ResponsePath("[1][0]").read("[0, [5]]") == "5"


@pytest.mark.parametrize(
    ("path", "response", "reason"),
    [
        ("x", DOCUMENT, 'finds no key "x" in a mapping with the keys ["a", "n", "t", "f", "big", ""]'),
        ("a.b[2]", DOCUMENT, "finds no item [2] in a list of 2"),
        ("a[0]", DOCUMENT, "finds no item [0] in a mapping"),
        ("a.b.c", DOCUMENT, 'finds no key "c" in a list of 2'),
        ("n.x", DOCUMENT, 'finds no key "x" in a single value'),
        ("a", DOCUMENT, "leads to a mapping with the keys"),
        ("a.b", DOCUMENT, "leads to a list of 2, not to a single value"),
        ("a", "It is 5", "the response is not JSON"),
        ("a", "", "the response is not JSON"),
        ("a", '{"a": NaN}', "NaN is not a JSON number"),
        ("a", "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_there_fails_with_a_reason(path: str, response: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        ResponsePath(path).read(response)
    assert reason in str(caught.value)


def test_such_a_failure_is_the_turns(equality: Callable[..., Score]) -> None:
    score = equality("It is 5", "5", response_path="a")
    assert (score.value, score.passed) == (0.0, False)
    assert 'expected "5": the response is not JSON' in str(score.reason)


@pytest.mark.parametrize("path", ["a..b", ".a", "a.", "a[", "a[x]", "a[-1]", "a]", "[0]a", "a.[0]", "a[0]b"])
def test_what_is_no_path_is_refused_while_loading(equality: Callable[..., Score], path: str) -> None:
    with pytest.raises(ValueError, match="is written like"):
        equality("{}", "5", response_path=path)


@given(
    st.recursive(
        st.one_of(st.integers(), st.booleans(), st.none(), st.text()),
        lambda inner: (
            st.lists(inner, min_size=1, max_size=3)
            | st.dictionaries(st.text("abc", min_size=1), inner, min_size=1)
        ),
        max_leaves=6,
    ),
    st.randoms(use_true_random=False),
)
def test_every_leaf_has_a_path(value: Any, random: Any) -> None:
    leaf, path = value, ""
    while isinstance(leaf, list | dict):
        key = random.choice(range(len(leaf)) if isinstance(leaf, list) else list(leaf))
        path += f"[{key}]" if isinstance(leaf, list) else f".{key}" if path else key
        leaf = leaf[key]
    if path:
        assert ResponsePath(path).read(json.dumps(value)) == (
            leaf if isinstance(leaf, str) else json.dumps(leaf)
        )
