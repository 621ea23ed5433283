"""Aliases share values; they do not make a small file stand for a huge or an endless one."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.shapes import AGENT
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.errors import ConfigError, Problem

NINES = "".join(
    f"{name}: &{name} [{','.join([f'*{below}'] * 9)}]\n"
    for below, name in zip("abcdef", "bcdefg", strict=True)
)
LIST_BOMB = (
    'a: &a ["x","x","x","x","x","x","x","x","x"]\n'
    + NINES
    + "test_cases: [{input: hi, expected_tools: [{name: t, args: {v: *g}}]}]\n"
)
MAPPING_BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{level}: &a{level} {{{', '.join(f'k{i}: *a{level - 1}' for i in range(9))}}}\n"
    for level in range(1, 12)
)
MERGE_BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}], k{level}: v}}\n"
    for level in range(1, 12)
)
CHAIN_OF_MERGES = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: *a{n - 1}, k{n}: v}}\n" for n in range(1, 3000)
)


def refusal(text: str) -> Problem:
    with pytest.raises(ConfigError) as caught:
        read_yaml(text, "f.yaml", AGENT)
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    "text",
    [LIST_BOMB, MAPPING_BOMB, MERGE_BOMB, CHAIN_OF_MERGES],
    ids=["lists", "mappings", "merges", "chain"],
)
def test_aliases_that_multiply_are_refused_in_little_memory(text: str) -> None:
    tracemalloc.start()
    try:
        problem = refusal(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert problem.message.startswith("too many aliases: ")
    assert problem.line is not None
    assert peak < 40_000_000


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: &a [*a]\n", 1),
        ("x: 1\na: &a {b: *a}\n", 2),
        ("a: &a\n  b: &b\n    - *a\n    - *b\n", 1),
        ("a: &a {<<: *a}\n", 1),
        ("&root\na: {b: [*root]}\n", 1),
    ],
)
def test_a_value_that_contains_itself_is_refused(text: str, line: int) -> None:
    problem = refusal(text)
    assert "recursive alias" in problem.message
    assert problem.line == line


def test_defaults_shared_by_ten_thousand_cases_are_fine() -> None:
    options = ", ".join(f"k{number}: {number}" for number in range(40))
    text = (
        f"x-defaults: &defaults {{tags: [a, b], turn_config: {{{options}}}}}\n"
        "x-metrics: &metrics [{type: standard, metric: equality}, {type: standard, metric: numeric}]\n"
        "test_cases:\n"
        + "".join(f"- {{<<: *defaults, input: {n}, evaluations: *metrics}}\n" for n in range(10_000))
    )
    document = read_yaml(text, "f.yaml", AGENT)
    assert document.problems == []
    assert len(document.value["test_cases"]) == 10_000
    assert document.value["test_cases"][9_999] == {
        "tags": ["a", "b"],
        "turn_config": {f"k{number}": number for number in range(40)},
        "input": "9999",
        "evaluations": [
            {"type": "standard", "metric": "equality"},
            {"type": "standard", "metric": "numeric"},
        ],
    }


def test_each_use_of_an_alias_is_a_value_of_its_own() -> None:
    value = read_yaml("a: &a [1]\nb: *a\nc: *a\n", "f.yaml", AGENT).value
    assert value == {"a": [1], "b": [1], "c": [1]}
    value["b"].append(2)
    assert value["c"] == [1]


def test_a_mistake_in_a_shared_value_is_reported_once_where_it_stands() -> None:
    document = read_yaml("a: &a {k: .nan, k: 1}\nb: [*a, *a, {<<: *a}]\n", "f.yaml", AGENT)
    assert [(problem.line, problem.column, problem.path) for problem in document.problems] == [
        (1, 11, "a.k"),
        (1, 17, "a.k"),
    ]


def test_asterisks_and_ampersands_in_text_are_no_aliases() -> None:
    text = "a: 'x & *b*'\nb: |\n  *c &d\nc: 2*3&4\n"
    assert read_yaml(text, "f.yaml", AGENT).value == {"a": "x & *b*", "b": "*c &d\n", "c": "2*3&4"}


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("a: 1\nb: *nowhere\n", 2, 4, "no anchor of this name"),
        ("a: &x 1\nb: &x 2\n", 2, 4, "defined twice"),
        ("a: **bold** text\n", 1, 5, "begins with * must be quoted"),
        ("a: & b\n", 1, 5, "begins with & must be quoted"),
    ],
)
def test_aliases_and_anchors_that_cannot_be_resolved(text: str, line: int, column: int, says: str) -> None:
    problem = refusal(text)
    assert (problem.line, problem.column) == (line, column)
    assert says in problem.message


def test_places_lead_through_aliases_and_merge_keys_to_where_the_value_stands(
    read: Callable[..., Document],
) -> None:
    document = read("a: &a {k: 1, l: {m: 2}}\nb: *a\nc: {<<: *a, k: 5}\nd: {<<: [{x: 1}, *a]}\n")
    places: dict[tuple[Any, ...], tuple[int, int]] = {
        ("b", "l", "m"): (1, 21),
        ("b",): (1, 4),
        ("c", "k"): (3, 16),
        ("c", "l", "m"): (1, 21),
        ("d", "l"): (1, 17),
        ("d", "x"): (4, 14),
        ("d", "absent"): (4, 4),
    }
    assert {path: document.locate(path)[:2] for path in places} == places
