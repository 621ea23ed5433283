"""What a YAML file means (types, source text, merge keys), and what is refused in it, each mistake at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.shapes import AGENT, CASE, CASES, PLAIN, SETTINGS, Shape
from holodeck_core.config.reading.yaml_document import read_yaml

Read = Callable[..., Document]
ANYTHING = Shape(accepts=(dict, list))


def value(text: str, shape: Any = AGENT) -> Any:
    document = read_yaml(text, "f.yaml", shape)
    assert document.problems == []
    return document.value


def faults(text: str) -> list[tuple[int | None, int | None, str, str]]:
    """(line, column, path, message) of every problem."""
    problems = read_yaml(text, "f.yaml", AGENT).problems
    assert all(problem.file == "f.yaml" and problem.source is not None for problem in problems)
    return [(problem.line, problem.column, problem.path, problem.message) for problem in problems]


def test_scalars_have_their_types_everywhere_but_where_text_is_meant() -> None:
    assert value("a: [1, 1.0, 1e-3, 0x1F, no, 010, 12:30:00, 2024-01-02, ~, true, '1', \"true\", '']") == {
        "a": [1, 1.0, 0.001, 31, "no", "010", "12:30:00", "2024-01-02", None, True, "1", "true", ""]
    }


def test_block_scalars_are_text() -> None:
    assert value("a: |\n  1\nb: >-\n  true\n  x\n") == {"a": "1\n", "b": "true x"}


CASE_TEXT = """
input: 25587
ground_truth: 1.50
turn_config: {input: 1.50, ground_truth: 010, fuzzy: 1.50}
turns:
  - input: true
    ground_truth: NO
    turn_config: {expected: 7}
  - {input: 0x1F, ground_truth: ~}
  - {input: '5', ground_truth: .inf}
  - {input: null, ground_truth: }
expected_tools:
  - f
  - name: 5
    count: 2
    args:
      plain: 1.50
      fuzzy: 1.50
      literal: 1.50
      a: {fuzzy: 1.50}
      b: [1.50, {fuzzy: 007}, {x: {fuzzy: 1e3, }}]
      c: {literal: {fuzzy: 1.50}}
      d: {literal: {fuzzy: 1.50}, e: {fuzzy: 1.50}}
      f: {any_of: [{fuzzy: 1.50}, 1.50]}
      g: {fuzzy: ~}
      h: {acme/near: {fuzzy: 1.50}}
    result: {contains: {fuzzy: 1.50}}
x-notes: {input: 1.50}
"""
CASE_VALUE = {
    "input": "25587",
    "ground_truth": "1.50",
    "turn_config": {"input": 1.5, "ground_truth": "010", "fuzzy": 1.5},
    "turns": [
        {"input": "true", "ground_truth": "NO", "turn_config": {"expected": 7}},
        {"input": "0x1F", "ground_truth": None},
        {"input": "5", "ground_truth": ".inf"},
        {"input": None, "ground_truth": None},
    ],
    "expected_tools": [
        "f",
        {
            "name": 5,
            "count": 2,
            "args": {
                "plain": 1.5,
                "fuzzy": 1.5,
                "literal": 1.5,
                "a": {"fuzzy": "1.50"},
                "b": [1.5, {"fuzzy": "007"}, {"x": {"fuzzy": "1e3"}}],
                "c": {"literal": {"fuzzy": 1.5}},
                "d": {"literal": {"fuzzy": "1.50"}, "e": {"fuzzy": "1.50"}},
                "f": {"any_of": [{"fuzzy": "1.50"}, 1.5]},
                "g": {"fuzzy": None},
                "h": {"acme/near": {"fuzzy": "1.50"}},
            },
            "result": {"contains": {"fuzzy": "1.50"}},
        },
    ],
    "x-notes": {"input": 1.5},
}


def indented(text: str, by: str) -> str:
    return "".join(by + line for line in text.strip().splitlines(keepends=True))


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        (CASE_TEXT, CASE, CASE_VALUE),
        (f"-\n{indented(CASE_TEXT, '  ')}", CASES, [CASE_VALUE]),
        (f"test_cases:\n -\n{indented(CASE_TEXT, '  ')}", CASES, {"test_cases": [CASE_VALUE]}),
        (f"test_cases:\n -\n{indented(CASE_TEXT, '  ')}", AGENT, {"test_cases": [CASE_VALUE]}),
    ],
    ids=["a case", "a list of cases", "a file of cases", "an agent"],
)
def test_input_ground_truth_and_fuzzy_are_their_source_text(text: str, shape: Any, expected: Any) -> None:
    assert value(text, shape) == expected


def test_the_texts_of_a_scripted_model_are_their_source_text() -> None:
    replies = "[{input: 1.50, reply: 010, delay: 1.50, calls: [{args: {input: 1.50}, result: 1.50}]}]"
    expected = [
        {"input": "1.50", "reply": "010", "delay": 1.5, "calls": [{"args": {"input": 1.5}, "result": 1.5}]}
    ]
    assert value(f"model: {{replies: {replies}}}") == {"model": {"replies": expected}}
    assert (
        value(f"evaluations: {{model: {{replies: {replies}}}}}")["evaluations"]["model"]["replies"]
        == expected
    )


def test_elsewhere_the_same_keys_are_typed() -> None:
    assert value("input: 1.50\nx-y: {test_cases: [{input: 1.50}]}\ntools: [{parameters: {input: 1.50}}]") == {
        "input": 1.5,
        "x-y": {"test_cases": [{"input": 1.5}]},
        "tools": [{"parameters": {"input": 1.5}}],
    }
    assert value("input: 1.50", PLAIN) == {"input": 1.5}


def test_a_collection_where_text_is_meant_is_left_to_the_models() -> None:
    assert value("test_cases: [{input: [1.50, {fuzzy: 1.50}]}]") == {
        "test_cases": [{"input": [1.5, {"fuzzy": 1.5}]}]
    }


def test_the_place_of_use_decides_not_that_of_the_anchor() -> None:
    text = "x-a: &a 1.50\nx-t: &t {input: 1.50, turn_config: {k: 1.50}}\ntest_cases: [*t, {input: *a}]\n"
    assert value(text) == {
        "x-a": 1.5,
        "x-t": {"input": 1.5, "turn_config": {"k": 1.5}},
        "test_cases": [{"input": "1.50", "turn_config": {"k": 1.5}}, {"input": "1.50"}],
    }


# Merge keys


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("{<<: *a, c: 3}", {"k": 1, "l": 2, "c": 3}),
        ("{k: 9, <<: *a}", {"k": 9, "l": 2}),
        ("{<<: *a, k: 9}", {"k": 9, "l": 2}),
        ("{<<: [*a, *b]}", {"k": 1, "l": 2, "m": 4}),
        ("{<<: [*b, *a]}", {"k": 3, "l": 2, "m": 4}),
        ("{<<: {x: 1}, y: 2}", {"x": 1, "y": 2}),
        ("{<<: []}", {}),
        ("{<<: *c}", {"k": 5, "l": 2, "n": 6}),
        ("{'<<': 1}", {"<<": 1}),
    ],
    ids=[
        "adds",
        "own key first",
        "own key last",
        "list",
        "earlier wins",
        "written out",
        "empty list",
        "nested",
        "quoted",
    ],
)
def test_merge_keys(text: str, merged: dict[str, Any]) -> None:
    anchors = "a: &a {k: 1, l: 2}\nb: &b {k: 3, m: 4}\nc: &c {<<: *a, k: 5, n: 6}\n"
    assert value(f"{anchors}t: {text}")["t"] == merged


def test_merged_values_are_text_where_text_is_meant() -> None:
    text = "x-d: &d {input: 1.50, args: {fuzzy: 1.50}}\nx-f: &f {fuzzy: 1.50}\ntest_cases:\n- {<<: *d}\n"
    assert value(text)["test_cases"] == [{"input": "1.50", "args": {"fuzzy": 1.5}}]
    case = "test_cases: [{expected_tools: [{name: f, args: {a: {<<: *f}, b: {<<: *f, literal: {fuzzy: 1.50}}}}]}]"
    args = value("x-f: &f {fuzzy: 1.50}\n" + case)["test_cases"][0]["expected_tools"][0]["args"]
    assert args == {"a": {"fuzzy": "1.50"}, "b": {"fuzzy": "1.50", "literal": {"fuzzy": "1.50"}}}


@pytest.mark.parametrize("text", ["1", "[{a: 1}, 2]", "~", "text", "[[{a: 1}]]"])
def test_a_merge_of_anything_but_mappings_is_an_error(text: str) -> None:
    (problem,) = faults(f"a: {{b: 1, <<: {text}}}")
    assert problem[3].startswith("<< takes a mapping")


def test_two_merge_keys_in_one_mapping_are_a_duplicate() -> None:
    (problem,) = faults("a: &a {k: 1}\nb: &b {l: 1}\nc:\n  <<: *a\n  <<: *b\n")
    assert problem[:2] == (5, 3)
    assert problem[3] == "duplicate key <<: name several as a list, <<: [*a, *b] (first in line 4)"


def test_a_key_that_the_mapping_and_the_merge_have_is_no_duplicate() -> None:
    assert faults("a: &a {k: 1}\nb: {<<: *a, k: 2}\nc: {<<: [*a, *a]}\n") == []


# What is refused


def test_duplicate_keys_name_the_key_and_the_first_line() -> None:
    turn = '      - input: "first"\n        ground_truth: "1"\n        ground_truth: "2"\n'
    text = f"test_cases:\n  - name: t\n    turns:\n{turn}"
    assert faults(text) == [
        (6, 9, 'test_cases[0] "t" turns[0].ground_truth', 'duplicate key "ground_truth" (first in line 5)')
    ]


@pytest.mark.parametrize(
    "text",
    ['{a: 1, "a": 2}', "{a: 1, 'a': 2}", '{"\\x61": 1, a: 2}', "{a: {}, a: []}", "{? a : 1, a: 2}"],
)
def test_keys_of_one_text_are_duplicates_however_they_are_written(text: str) -> None:
    assert [message for *_, message in faults(f"x: {text}")] == ['duplicate key "a" (first in line 1)']


def test_each_repetition_is_a_problem_of_its_own() -> None:
    assert [line for line, *_ in faults("a: 1\na: 2\nb: 1\na: 3\nb: 2\n")] == [2, 4, 5]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("!foo x", '"!foo"'),
        ("!!str 5", '"!!str"'),
        ("!!python/name:os.system", '"!!python/name:os.system"'),
        ("!!map {a: 1}", '"!!map"'),
        ("!!seq [1]", '"!!seq"'),
        ("!<tag:example.com,2000:x> 1", '"tag:example.com,2000:x"'),
        ("! x", '"!"'),
        ("!", '"!"'),
        ('! "5"', '"!"'),
        ("! [1]", '"!"'),
    ],
)
def test_tags_are_errors_of_whatever_kind(text: str, shown: str) -> None:
    for before in ("b: ", "b: [1, ", "b: {c: "):
        close = {"b: ": "", "b: [1, ": "]", "b: {c: ": "}"}[before]
        (problem,) = faults(f"a: 1\n{before}{text} {close}\n")
        assert problem[:2] == (2, len(before) + 1)
        assert problem[3] == f"tags are not supported: leave out {shown}"


def test_an_exclamation_mark_in_a_text_is_no_tag() -> None:
    assert value("a: hello! you\nb: |\n  ! x\nc: 'is ! not'\nd: wow ! x\n# ! x\ne: x!\n")["b"] == "! x\n"


def test_a_tagged_key_is_an_error() -> None:
    assert [problem[:2] for problem in faults("a: 1\n!!str b: 2\n")] == [(2, 1)]


@pytest.mark.parametrize("key", ["5", "1.5", "true", "~", "0x1F", "null", ".inf"])
@pytest.mark.parametrize("where", ["args: {%s: v}", "%s: v", "- {%s: v}", "? %s\n: v"])
def test_keys_that_are_not_text_are_errors(key: str, where: str) -> None:
    text = where % key
    (problem,) = read_yaml(text, "f", ANYTHING).problems
    assert problem.message.startswith("a key must be text: write ")
    assert problem.column == text.index(key) + 1


def test_a_key_of_too_many_digits_is_not_text_either() -> None:
    (problem,) = faults(f"? {'9' * 5000}\n: v\n")
    assert problem[:2] == (1, 3)


@pytest.mark.parametrize("key", ["'5'", '"true"', "010", "no", "1a", "'~'", "''"])
def test_keys_in_quotes_or_of_text_are_fine(key: str) -> None:
    assert value(f"a: {{{key}: v}}") == {"a": {key.strip("'\""): "v"}}


def test_a_collection_as_a_key_is_an_error() -> None:
    assert [problem[3] for problem in faults("? [a]\n: 1\n? {b: 1}\n: 2\nc: 3\n")] == [
        "a key must be text, not a list or a mapping"
    ] * 2


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "1e999", "9" * 4301, "0x" + "f" * 4000])
def test_numbers_out_of_range_are_errors_at_their_place(text: str) -> None:
    (problem,) = faults(f"a: 1\nb: [1, {text}]\n")
    assert problem[:3] == (2, 8, "b[1]")


def test_everything_is_reported_at_once_and_in_the_order_of_the_file() -> None:
    text = """\
name: x
name: y
model: {temperature: .nan, 5: x, top_p: !!float 1}
test_cases:
  - name: one
    input: a
    input: b
    expected_tools: [{name: f, args: {1: x, b: .inf}}]
"""
    found = faults(text)
    assert [(line, column) for line, column, *_ in found] == [
        (2, 1),
        (3, 22),
        (3, 28),
        (3, 41),
        (7, 5),
        (8, 39),
        (8, 48),
    ]
    assert found[-1][2] == 'test_cases[0] "one" expected_tools[0] "f".args.b'


def test_a_value_of_its_kind_stands_in_for_a_faulty_one() -> None:
    document = read_yaml("a: .nan\nb: !x [1]\nc: {5: 1}\nd: 1\nd: 2\ne: !!str 5\n", "f", AGENT)
    assert len(document.problems) == 5
    assert document.value == {"a": 0.0, "b": [1], "c": {"5": 1}, "d": 2, "e": 5}


# The top of a document


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "~", "null\n", "--- ~\n...\n"])
def test_an_empty_file_is_an_error_that_says_what_it_must_hold(
    refusal: Callable[..., Any], text: str
) -> None:
    assert refusal(text).message == "the file is empty; it must hold a mapping"
    assert refusal(text, shape=CASES).message == "the file is empty; it must hold a list or a mapping"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n"])
def test_an_empty_file_of_settings_holds_none(read: Read, text: str) -> None:
    document = read(text, shape=SETTINGS)
    assert document.value == {}
    assert document.problem("m", ("execution", "retries")).column == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [("- 1\n", "a list"), ("hello\n", "a single value"), ("5", "a single value"), ("[]", "a list")],
)
def test_the_top_of_an_agent_file_is_a_mapping(refusal: Callable[..., Any], text: str, kind: str) -> None:
    problem = refusal(f"\n{text}")
    assert problem.message == f"the file must hold a mapping, not {kind}"
    assert (problem.line, problem.column) == (2, 1)


def test_the_top_of_a_case_file_is_a_list_or_a_mapping(read: Read, refusal: Callable[..., Any]) -> None:
    assert read("- {input: 5}\n", "cases.yaml", CASES).value == [{"input": "5"}]
    assert read("test_cases: []\n", "cases.yaml", CASES).value == {"test_cases": []}
    assert (
        refusal("text\n", "cases.yaml", CASES).message
        == "the file must hold a list or a mapping, not a single value"
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_breaks_and_a_byte_order_mark_change_nothing(read: Read, newline: str, mark: str) -> None:
    document = read((mark + "name: x\nmodel:\n  temperature: .nan\n").replace("\n", newline))
    assert document.value["name"] == "x"
    (problem,) = document.problems
    assert (problem.line, problem.column, problem.source) == (3, 16, "  temperature: .nan")
