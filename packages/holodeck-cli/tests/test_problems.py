"""A problem shows where it is, with the source line and a caret under the place."""

from __future__ import annotations

import pytest

from holodeck_cli.problems import count_line, problem_lines
from holodeck_core import Problem


def at(source: str, column: int) -> list[str]:
    return problem_lines(Problem("wrong", "a.yaml", 3, column, "test_cases[0]", source))[1:]


@pytest.mark.parametrize(
    ("problem", "lines"),
    [
        (Problem("no such file", "a.yaml"), ["a.yaml: no such file"]),
        (Problem("must not be empty"), ["must not be empty"]),
        (
            Problem("unknown key 'inptu'", "a.yaml", 3, 7, "test_cases[0]", "    - inptu: hi"),
            ["a.yaml:3:7: test_cases[0]: unknown key 'inptu'", "        - inptu: hi", "          ^"],
        ),
        (
            Problem("x\x1b[2J\ny", "a\x1b]0;t\x07.yaml", 1, 1, 'test_cases[0] "t\u202e"', "\x9b31mkey: 1"),
            ['a.yaml:1:1: test_cases[0] "t": x y', "    key: 1", "    ^"],
        ),
    ],
    ids=["file-only", "nothing-known", "with-a-place", "hostile"],
)
def test_how_a_problem_is_shown(problem: Problem, lines: list[str]) -> None:
    assert problem_lines(problem) == lines


@pytest.mark.parametrize(
    ("source", "column", "lines"),
    [
        pytest.param("key", 4, ["    key", "       ^"], id="behind-the-end"),
        pytest.param("\tkey", 2, ["    \tkey", "    \t^"], id="a-tab-is-as-wide-below"),
        pytest.param("名前: x", 5, ["    名前: x", "          ^"], id="wide-characters-take-two-cells"),
        pytest.param(
            "cafe\u0301: x", 8, ["    cafe\u0301: x", "          ^"], id="combining-marks-take-none"
        ),
        pytest.param("\x1b[31mkey: x", 11, ["    key: x", "         ^"], id="what-is-removed-takes-none"),
        pytest.param("x" * 100, 1, ["    " + "x" * 100, "    ^"], id="a-hundred-characters-fit"),
        pytest.param(
            "a" * 500 + "B" + "c" * 500,
            501,
            ["    ..." + "a" * 50 + "B" + "c" * 49 + "...", "    " + " " * 53 + "^"],
            id="of-a-long-line-the-part-around-the-place",
        ),
        pytest.param(
            "a" * 500 + "B",
            501,
            ["    ..." + "a" * 99 + "B", "    " + " " * 102 + "^"],
            id="the-end-of-a-long-line",
        ),
    ],
)
def test_the_caret_stands_under_the_place(source: str, column: int, lines: list[str]) -> None:
    assert at(source, column) == lines


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (["a.yaml"], "1 problem in a.yaml"),
        (["a.yaml", "a.yaml"], "2 problems in a.yaml"),
        (["a.yaml", "b.jsonl"], "2 problems in 2 files"),
        ([None], "1 problem"),
    ],
)
def test_the_count_says_how_many_and_where(files: list[str | None], line: str) -> None:
    assert count_line([Problem("wrong", file) for file in files]) == line
