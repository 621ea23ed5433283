"""Paths in messages are in the words of the file."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_core.config.reading.paths import render

VALUE: dict[str, Any] = {
    "name": "agent",
    "model": {"provider": "scripted", "odd key.": 1, "": 2},
    "evaluations": {"metrics": [{"name": "near", "threshold": 1}]},
    "test_cases": [
        {
            "name": "sums",
            "turns": [
                {"input": "a"},
                {"expected_tools": ["add", {"name": "subtract", "args": {"a": {"regex": "("}}}]},
            ],
        },
        {"input": "no name", "name": 5},
        {"name": "x\x1b[31m\n" + "y" * 100},
    ],
}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ((), ""),
        (("model",), "model"),
        (("model", "provider"), "model.provider"),
        (("test_cases", 0), 'test_cases[0] "sums"'),
        (
            ("test_cases", 0, "turns", 1, "expected_tools", 1, "args", "a", "regex"),
            'test_cases[0] "sums" turns[1].expected_tools[1] "subtract".args.a.regex',
        ),
        (
            ("test_cases", 0, "turns", 1, "expected_tools", 0),
            'test_cases[0] "sums" turns[1].expected_tools[0]',
        ),
        (("test_cases", 1, "input"), "test_cases[1].input"),
        (("evaluations", "metrics", 0, "threshold"), 'evaluations.metrics[0] "near".threshold'),
        (("model", "odd key."), 'model["odd key."]'),
        (("model", ""), 'model[""]'),
    ],
)
def test_keys_indices_and_names(path: tuple[str | int, ...], words: str) -> None:
    assert render(path, VALUE) == words


@pytest.mark.parametrize(
    "path",
    [
        ("test_cases", 0, "TestCaseModel", "turns", 1),
        ("function-wrap[x]", "test_cases", 0, "turns", "list[Turn]", 1),
        ("test_cases", 0, "turns", 1, "Turn"),
        ("test_cases", 0, "turns", 1, 7),
        ("test_cases", "x", 0, "turns", -1, 1),
    ],
)
def test_what_the_value_does_not_have_is_left_out(path: tuple[str | int, ...]) -> None:
    assert render(path, VALUE) == 'test_cases[0] "sums" turns[1]'


def test_a_missing_key_is_shown_where_it_is_said_to_be_missing() -> None:
    assert (
        render(("test_cases", 0, "turns", 1, "input"), VALUE, missing=True)
        == 'test_cases[0] "sums" turns[1].input'
    )
    assert render(("model", "nowhere", "name"), VALUE, missing=True) == "model.name"
    assert render(("description",), VALUE, missing=True) == "description"


def test_a_list_of_cases_and_a_single_case() -> None:
    cases = VALUE["test_cases"]
    assert render((0, "turns", 1), cases) == '[0] "sums" turns[1]'
    assert render(("turns", 1), cases[0], case=True) == '"sums" turns[1]'
    assert render((), cases[0], case=True) == '"sums"'
    assert render(("input",), cases[1], case=True) == "input"


def test_names_and_keys_are_short_and_safe_to_print() -> None:
    words = render(("test_cases", 2), VALUE)
    assert words.startswith('test_cases[2] "x\ufffd[31m\ufffdyyy')
    assert len(words) < 90
    assert render(("a" * 1000,), {"a" * 1000: 1}) != "a" * 1000
    assert render(("\x1b[0m",), {"\x1b[0m": 1}).isprintable()


def test_a_path_of_any_depth_stays_short() -> None:
    value: object = 1
    for _ in range(300):
        value = [value]
    assert len(render((0,) * 300, value)) <= 400
