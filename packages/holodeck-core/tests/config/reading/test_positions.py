"""Everything in a document can be found again: values, keys, and the nearest place above what is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import read_json
from holodeck_core.config.reading.shapes import PLAIN
from holodeck_core.config.reading.yaml_document import read_yaml

# Characters that both formats allow to stand in quotes as they are.
texts = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(texts, below, max_size=4),
    max_leaves=25,
)
documents = st.dictionaries(texts, values, max_size=5)


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def block_yaml(value: Any, indent: str = "") -> str:
    """YAML in block style; what is text stands in double quotes."""
    if isinstance(value, dict) and value:
        return "".join(
            f"\n{indent}{written(key)}: {block_yaml(item, indent + '  ')}" for key, item in value.items()
        )
    if isinstance(value, list) and value:
        return "".join(f"\n{indent}- {block_yaml(item, indent + '  ')}" for item in value)
    return written(value)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def read(form: str, value: Any) -> tuple[str, Document]:
    if form == "yaml":
        text = block_yaml(value).lstrip("\n")
        return text, read_yaml(text, "f.yaml", PLAIN)
    text = json.dumps(value, ensure_ascii=False, indent={"json": None, "indented json": 1}[form])
    return text, read_json(text, "f.json", PLAIN)


def same(left: Any, right: Any) -> bool:
    """Equal in types too."""
    return json.dumps(left) == json.dumps(right)


@pytest.mark.parametrize("form", ["yaml", "json", "indented json"])
@given(value=documents)
def test_what_is_written_is_read_back_and_every_leaf_is_where_it_stands(
    form: str, value: dict[str, Any]
) -> None:
    text, document = read(form, value)
    assert same(document.value, value)
    assert document.problems == []
    lines = text.split("\n")
    for path, leaf in leaves(value):
        place = document.locate(path)
        assert lines[place.line - 1][place.column - 1 :].startswith(written(leaf))
        assert document.line_of(path) == place.line
        if path and isinstance(path[-1], str):
            key = document.locate(path, key=True)
            assert lines[key.line - 1][key.column - 1 :].startswith(written(path[-1]))


@pytest.mark.parametrize("form", ["yaml", "json", "indented json"])
@given(
    value=documents, beyond=st.lists(st.integers(-2, 99) | st.sampled_from(["\0str", "\0Turn"]), max_size=3)
)
def test_what_is_not_there_has_the_place_of_the_nearest_above(
    form: str, value: dict[str, Any], beyond: list[Any]
) -> None:
    _, document = read(form, value)
    for path, leaf in leaves(value):
        if leaf != [] and leaf != {}:
            assert document.locate((*path, *beyond)) == document.locate(path)
            assert document.locate((*path[:1], "\0union-tag", *path[1:])) == document.locate(path)


TEXT = """\
name: agent
test_cases:
  - name: sums
    turns:
      - input: hello
        expected_tools:
          - {name: subtract, args: {a: {regex: "("}}}
"""
PATH = ("test_cases", 0, "turns", 0, "expected_tools", 0, "args", "a", "regex")


def test_a_problem_has_its_place_its_path_and_its_line() -> None:
    document = read_yaml(TEXT, "agent.yaml", PLAIN)
    assert str(document.problem("not a pattern", PATH)) == (
        'agent.yaml:7:48: test_cases[0] "sums" turns[0].expected_tools[0] "subtract".args.a.regex: not a pattern\n'
        '              - {name: subtract, args: {a: {regex: "("}}}\n'
        "                                                   ^"
    )


def test_a_problem_can_point_at_the_key() -> None:
    document = read_yaml(TEXT, "agent.yaml", PLAIN)
    assert document.problem("m", PATH, key=True).column == 41
    assert document.problem("m", PATH[:6], key=True)[2:4] == (7, 13)
    assert document.problem("m", (), key=True)[2:4] == (1, 1)


def test_a_missing_key_is_shown_in_the_path_at_the_place_of_its_mapping() -> None:
    document = read_yaml(TEXT, "agent.yaml", PLAIN)
    problem = document.problem("this key is missing", (*PATH[:4], "ground_truth"), missing=True)
    assert problem.path == 'test_cases[0] "sums" turns[0].ground_truth'
    assert (problem.line, problem.column) == (5, 9)
    assert document.problem("m", (*PATH[:4], "Turn")).path == 'test_cases[0] "sums" turns[0]'


def test_of_duplicate_keys_the_one_that_counts_is_found() -> None:
    document = read_yaml("a: 1\na: {b: 2}\n", "f", PLAIN)
    assert document.value == {"a": {"b": 2}}
    assert document.locate(("a", "b"))[:2] == (2, 8)


def test_a_long_minified_document_is_shown_around_the_caret() -> None:
    text = json.dumps({"filler": "x" * 5000, "test_cases": [{"name": "é", "input": 5}], "rest": "y" * 5000})
    document = read_json(text, "f.json", PLAIN)
    problem = document.problem("m", ("test_cases", 0, "input"))
    assert problem.column == text.index("5}]") + 1
    *_, source, caret = str(problem).split("\n")
    assert len(source) < 210
    assert source[len(caret) - 1 :].startswith("5}], ")
