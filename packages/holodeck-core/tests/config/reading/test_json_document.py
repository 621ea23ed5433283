"""A JSON file follows the rules of a YAML file, and is JSON to the letter."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import read_json
from holodeck_core.config.reading.shapes import AGENT, CASE, CASES, PLAIN, Shape
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.errors import ConfigError, Problem


def value(text: str, shape: Shape = PLAIN) -> Any:
    document = read_json(text, "f.json", shape)
    assert document.problems == []
    return document.value


def refusal(text: str) -> Problem:
    with pytest.raises(ConfigError) as caught:
        read_json(text, "f.json", PLAIN)
    (problem,) = caught.value.problems
    assert problem.file == "f.json"
    return problem


def test_values_have_their_types() -> None:
    text = '{"a": [1, 1.0, 1e-3, -0, true, null, "1", "", "\\u00e9\\ud83d\\ude00", {}], "<<": {"*b": "!c"}}'
    expected: dict[str, Any] = {"a": [1, 1.0, 0.001, 0, True, None, "1", "", "é😀", {}], "<<": {"*b": "!c"}}
    assert value(text) == expected
    assert list(map(type, value(text)["a"])) == list(map(type, expected["a"]))


CASE_TEXT = """{"input": 25587, "ground_truth": 1.50, "turn_config": {"input": 1.50, "n": 1e3},
 "turns": [{"input": true, "ground_truth": -0}, {"input": 1E5, "ground_truth": null},
  {"input": "x", "ground_truth": false}],
 "expected_tools": ["f", {"name": "f", "count": 2, "args": {"p": 1.50, "fuzzy": 1.50, "a": {"fuzzy": 1.50},
  "b": [1.50, {"fuzzy": -0.0}], "c": {"literal": {"fuzzy": 1.50}}, "d": {"literal": {"fuzzy": 1.50}, "e": 0}},
  "result": {"fuzzy": 1234567890123456789012345.0}}]}"""
CASE_VALUE = {
    "input": "25587",
    "ground_truth": "1.50",
    "turn_config": {"input": 1.5, "n": 1000.0},
    "turns": [
        {"input": "true", "ground_truth": "-0"},
        {"input": "1E5", "ground_truth": None},
        {"input": "x", "ground_truth": "false"},
    ],
    "expected_tools": [
        "f",
        {
            "name": "f",
            "count": 2,
            "args": {
                "p": 1.5,
                "fuzzy": 1.5,
                "a": {"fuzzy": "1.50"},
                "b": [1.5, {"fuzzy": "-0.0"}],
                "c": {"literal": {"fuzzy": 1.5}},
                "d": {"literal": {"fuzzy": "1.50"}, "e": 0},
            },
            "result": {"fuzzy": "1234567890123456789012345.0"},
        },
    ],
}


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        (CASE_TEXT, CASE, CASE_VALUE),
        (f"[{CASE_TEXT}]", CASES, [CASE_VALUE]),
        (f'{{"test_cases": [{CASE_TEXT}]}}', CASES, {"test_cases": [CASE_VALUE]}),
        (f'{{"test_cases": [{CASE_TEXT}]}}', AGENT, {"test_cases": [CASE_VALUE]}),
        (f'{{"x-y": {CASE_TEXT}}}', AGENT, {"x-y": json.loads(CASE_TEXT)}),
    ],
    ids=["a case", "a list of cases", "a file of cases", "an agent", "elsewhere"],
)
def test_numbers_and_bools_are_their_source_text_where_text_is_meant(
    text: str, shape: Shape, expected: Any
) -> None:
    found = value(text, shape)
    assert found == expected
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.parametrize("number", ["5", "-7", "0", "-0", "true", "1.0", "1.50", "1e3", "0.1E-2", str(2**80)])
def test_texts_are_the_same_however_a_file_is_written(number: str) -> None:
    text = f'{{"input": {number}, "turns": [{{"ground_truth": {number}}}], "x": {number}}}'
    expected = json.loads(text, parse_int=lambda n: n, parse_float=lambda n: n)
    found = value(text, CASE)
    assert (
        found["input"] == found["turns"][0]["ground_truth"] == str(expected["input"]).replace("True", "true")
    )
    assert found == read_yaml(text, "f", CASE).value


def places(text: str, shape: Shape = PLAIN) -> list[tuple[int | None, int | None, str, str]]:
    problems = read_json(text, "f.json", shape).problems
    return [(problem.line, problem.column, problem.path, problem.message) for problem in problems]


def test_duplicate_keys_name_the_key_and_the_first_line() -> None:
    text = (
        '{"test_cases": [\n {"name": "t", "input": "a",\n  "input": "b"},\n {"a": {"b": 1, "\\u0062": 2}}]}'
    )
    assert places(text, CASES) == [
        (3, 3, 'test_cases[0] "t" input', 'duplicate key "input" (first in line 2)'),
        (4, 17, "test_cases[1].a.b", 'duplicate key "b" (first in line 4)'),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1e999", "too large"),
        ("-1E400", "too large"),
        ("9" * 5000, "4,300 digits"),
        ('"a\\ud835b"', "\\ud835 is half of a surrogate pair"),
        ('"\\uDE00\\uD83D"', "\\ude00 is half"),
    ],
    ids=lambda text: str(text)[:20],
)
def test_what_no_value_can_be_is_a_problem_at_its_place(text: str, says: str) -> None:
    (problem,) = places(f'{{"a": 1,\n "b": [0, {text}]}}')
    assert problem[:3] == (2, 11, "b[1]")
    assert says in problem[3]


def test_a_lone_surrogate_in_a_key_is_a_problem() -> None:
    assert [column for _, column, *_ in places('{"\\ud800": 1}')] == [2]


def test_the_value_of_a_text_with_problems_can_be_written() -> None:
    document = read_json('{"a": "x\\ud800", "b": 1e999, "b": 1}', "f", PLAIN)
    assert json.dumps(document.value, ensure_ascii=False).encode()
    assert document.value == {"a": "x?", "b": 1}


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ('{"a": NaN}', 1, 7, "not NaN: JSON has finite numbers only"),
        ('{"a": -Infinity}', 1, 7, "finite numbers only"),
        ('{"a": [1, 2,\n]}', 1, 12, "JSON allows no comma before ']'"),
        ('{"a": 1,}', 1, 8, "JSON allows no comma before '}'"),
        ('{"a": 1 "b": 2}', 1, 9, "',' or '}' is expected here"),
        ("{'a': 1}", 1, 2, "JSON has double quotes only"),
        ("{a: 1}", 1, 2, "a key in double quotes is expected here, not a"),
        ('{"a" 1}', 1, 6, "a ':' after the key is expected here, not 1"),
        ('{"a": 1}\n// x', 2, 1, "does not belong to the value"),
        ('{// x\n"a": 1}', 1, 2, "JSON has no comments"),
        ('{"a": None}', 1, 7, "JSON writes null, true and false"),
        ('{"a": 01}', 1, 7, "a value is expected here, not 01"),
        ('{"a": +1}', 1, 7, "not +1"),
        ('{"a": .5}', 1, 7, "not .5"),
        ('{"a": 1.}', 1, 7, "not 1."),
        ('{"a": 0x1F}', 1, 7, "not 0x1F"),
        ('{"a": "x\ny"}', 1, 9, "a text cannot contain a line break"),
        ('{"a": "\\d"}', 1, 8, "a backslash itself is written twice"),
        ('{"a": "x', 1, 7, "has no closing quote"),
        ('{"a": [1,\n', 2, 1, "the text ends where a value is expected"),
        ('{"a": 1', 1, 8, "the text ends where ',' or '}' is expected"),
        ("{", 1, 2, "the text ends where a key in double quotes is expected"),
        ('{"a": 1} {"b": 2}', 1, 10, "does not belong to the value"),
        ('{"a": 1}\n{"b": 2}\n', 2, 1, "is JSON Lines, and its name ends in .jsonl"),
        ('{"a":\u00a01}', 1, 6, "a value is expected here"),
        ('\ufeff\ufeff{"a": 1}', 1, 1, "a byte-order mark"),
        ("[" * 100_000, 1, 201, "nested deeper than 200 levels"),
        ('{"a":' * 300 + "1" + "}" * 300, 1, 1001, "nested deeper than 200 levels"),
        ('[{"a": ' * 101 + "1" + "}]" * 101, 1, 701, "nested deeper than 200 levels"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_text_that_is_not_json(text: str, line: int, column: int, says: str) -> None:
    problem = refusal(text)
    assert (problem.line, problem.column) == (line, column)
    assert says in problem.message


def test_two_hundred_levels_are_fine() -> None:
    text = "[" * 200 + "]" * 200
    assert value(f'{{"a": {text[1:-1]}}}')


@pytest.mark.parametrize("text", ["", " \n\t", "null"])
def test_an_empty_file_is_an_error(text: str) -> None:
    assert refusal(text).message == "the file is empty; it must hold a mapping"


@pytest.mark.parametrize(
    ("text", "kind"), [("[1]", "a list"), (" 5", "a single value"), ('"x"', "a single value")]
)
def test_the_top_must_be_of_the_right_kind(text: str, kind: str) -> None:
    problem = refusal(text)
    assert problem.message == f"the file must hold a mapping, not {kind}"
    assert problem.column == len(text) - len(text.lstrip()) + 1


def test_files_are_told_by_their_suffix(read: Callable[..., Document]) -> None:
    assert read('\ufeff{"a": 1.0}', "agent.JSON").value == {"a": 1.0}
    with pytest.raises(ConfigError):
        read("a: 1", "agent.json")
    for name in ("agent.yaml", "agent.yml", "agent", "agent.txt"):
        assert read("a: 1", name).value == {"a": 1}


any_value = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
    max_leaves=15,
)


@given(any_value, st.sampled_from(["", " ", "\n", " \r\n\t"]), st.booleans())
def test_every_json_text_is_read_as_the_standard_library_reads_it(
    content: Any, space: str, ascii_only: bool
) -> None:
    text = space + json.dumps({"a": content}, ensure_ascii=ascii_only) + space
    document = read_json(text, "f", PLAIN)
    assert document.problems == []
    assert json.dumps(document.value) == json.dumps({"a": content})


case_keys = st.sampled_from(
    ["input", "ground_truth", "turns", "expected_tools", "args", "result", "fuzzy", "literal", "a"]
)
case_values = st.recursive(
    st.sampled_from([None, True, False, 0, 7, -1.5, 1e22, "x", "1.50"]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(case_keys, below, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(case_keys, case_values, max_size=4))
def test_a_text_means_the_same_as_json_and_as_yaml_and_with_a_mistake_elsewhere(case: dict[str, Any]) -> None:
    text = json.dumps(case)
    found = value(text, CASE)
    assert found == read_yaml(text, "f", CASE).value
    # A duplicate key sends the whole text through the slow reader.
    with_mistake = read_json(f'{{"z": 1, "z": 2{", " if case else ""}{text[1:]}', "f", CASE)
    assert len(with_mistake.problems) == 1
    assert with_mistake.value == {"z": 2, **found}
