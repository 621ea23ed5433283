"""A file that is not YAML: one problem, where the eye should go, in words that help."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holodeck_core.config.reading.document import Document
from holodeck_core.errors import Problem

Refusal = Callable[..., Problem]


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("a:\n\tb: 1", 2, 1, "a tab cannot indent: use spaces"),
        ("a:\n  b: 1\n\tc: 2", 3, 1, "a tab cannot indent"),
        ("a: >\n\tx: 1\n", 2, 1, "a tab cannot indent"),
        ("a: @x", 1, 4, "cannot begin with @: quote it"),
        ("a: `x`", 1, 4, "cannot begin with `: quote it"),
        ("a: %x", 1, 4, "cannot begin with %: quote it"),
        ("a: b: c", 1, 5, "quote a text that has ': ' in it"),
        ("a: 1\n b: 2", 2, 3, "check the indentation"),
        ("a:\n  - 1\n - 2", 3, 2, "the mapping that begins in line 1"),
        ("- a\nb: 1", 2, 1, "the list that begins in line 1"),
        ("a: - 1", 1, 4, "put it on a line of its own"),
        ("a: 1\nfoo\nb: 2", 2, 1, "there is no ':' after"),
        ("a:\n  b: 'x\nc: 1\n", 2, 6, "the quoted text that begins in line 2 is not closed"),
        ('a: "x\n', 1, 4, "its quote is missing"),
        ("a: 'it's'", 1, 8, "inside single quotes a ' is written twice"),
        ('a: "x" y', 1, 8, "nothing can follow a quoted text"),
        ('a: "\\d+"', 1, 5, "use single quotes"),
        ('a: "\\ud835"', 1, 7, "no character by itself"),
        ("x: 1\na: [1, 2", 2, 4, "the list that begins in line 2 is not closed: a ',' or ']' is missing"),
        ("a: {b: 1\n", 1, 4, "the mapping that begins in line 1 is not closed: a ',' or '}' is missing"),
        ("a: {b: ${KEY}}\n", 1, 8, 'within brackets, a text with a variable must be quoted: "${NAME}"'),
        ("a: [x, sk-${KEY}]\n", 1, 11, 'within brackets, a text with a variable must be quoted: "${NAME}"'),
        ("a: ]", 1, 4, "this bracket closes nothing"),
        ("a: |x\n foo", 1, 5, "the text begins on the next line"),
        ("%FOO\na: 1", 1, 5, "directives are not supported"),
        ("%YAML 2.0\n---\na: 1", 1, 1, "version of YAML"),
        ("a: !foo!bar x", 1, 4, "tags are not supported"),
        ("a: é\n# \u2028\nb: \x7f", 3, 4, "does not allow the character U+007F"),
        ("a: 😀\ufffe", 1, 5, "does not allow the character U+FFFE"),
    ],
)
def test_the_place_and_the_remedy(refusal: Refusal, text: str, line: int, column: int, says: str) -> None:
    problem = refusal(text)
    assert (problem.line, problem.column) == (line, column)
    assert says in problem.message
    assert problem.source is not None


@pytest.mark.parametrize("text", ["a: 1\n---\nb: 2\n", "---\na: 1\n...\n---\nb: 2\n", "a: 1\n---\n"])
def test_several_documents_in_a_file(refusal: Refusal, text: str) -> None:
    problem = refusal(text)
    assert "a file holds one document" in problem.message
    assert problem.source in ("---", "...")


def test_places_are_right_after_characters_beyond_ascii(refusal: Refusal) -> None:
    problem = refusal("é: 😀 \u2028 \x85 ü\nb: [é, 😀, *q]\n")
    assert (problem.line, problem.column, problem.source) == (2, 11, "b: [é, 😀, *q]")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "x: " + "[" * 100_000 + "]" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "\n".join(" " * depth + "a:" for depth in range(3000)),
    ],
    ids=["lists", "closed lists", "mappings", "items", "keys", "blocks"],
)
def test_endless_nesting_is_a_problem_and_nothing_worse(refusal: Refusal, text: str) -> None:
    assert refusal(text).message == "nested too deeply"


@pytest.mark.parametrize("depth", [200, 201, 900])
def test_the_bound_on_nesting(read: Callable[..., Document], depth: int) -> None:
    document = read("a: " + "[" * (depth - 1) + "]" * (depth - 1))
    messages = [problem.message for problem in document.problems]
    assert messages == ([] if depth <= 200 else ["nested deeper than 200 levels"])
