"""JSON Lines are read as a stream, each line judged for itself."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from holodeck_core.config.reading import json_lines
from holodeck_core.config.reading.json_lines import iter_lines
from holodeck_core.config.reading.shapes import PLAIN
from holodeck_core.errors import ConfigError

Write = Callable[..., Path]


def problems(path: Path) -> list[tuple[int | None, int | None, str]]:
    return [
        (problem.line, problem.column, problem.message)
        for line in iter_lines(path)
        for problem in line.problems
    ]


def test_each_line_is_a_case_with_its_number_and_its_offset(write: Write) -> None:
    content = (
        '{"input": 1.50}\n\n  \t\r\n{"name": "é", "input": "b"}\r\n'
        ' {"turns": [{"input": true}]} \n{"input": null}'
    )
    path = write(content, "cases.jsonl")
    lines = list(iter_lines(path))
    assert [(line.line, line.value) for line in lines] == [
        (1, {"input": "1.50"}),
        (4, {"name": "é", "input": "b"}),
        (5, {"turns": [{"input": "true"}]}),
        (6, {"input": None}),
    ]
    data = path.read_bytes()
    assert [data[line.offset :].split(b"\n")[0].strip()[:8] for line in lines] == [
        b'{"input"',
        b'{"name":',
        b'{"turns"',
        b'{"input"',
    ]
    assert all(line.problems == [] and line.file == str(path) for line in lines)


def test_a_byte_order_mark_is_not_part_of_the_first_line(write: Write) -> None:
    (first, second) = iter_lines(write(b'\xef\xbb\xbf{"a": 1}\n{"b": 2}\n', "x.jsonl"))
    assert (first.value, first.offset, first.locate(("a",)).column) == ({"a": 1}, 3, 7)
    assert (second.value, second.offset) == ({"b": 2}, 12)


@pytest.mark.parametrize("content", ["", "\n\n", " \r\n", "\ufeff"])
def test_a_file_of_blank_lines_has_no_cases(write: Write, content: str) -> None:
    assert list(iter_lines(write(content, "x.jsonl"))) == []


def test_another_shape_than_a_case_can_be_read(write: Write) -> None:
    (line,) = iter_lines(write('{"input": 1.50}', "x.jsonl"), PLAIN)
    assert line.value == {"input": 1.5}


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("{'a': 1}", 2, "JSON has double quotes only"),
        ('{"é": 1, "a": nope}', 15, "a value is expected here, not nope"),
        (
            '{"a": 1',
            8,
            "the text ends where ',' or '}' is expected; in JSON Lines an object must be on one line",
        ),
        ("{", 2, "in JSON Lines an object must be on one line"),
        ('{"a": 1}]', 9, "does not belong"),
        ("[1]", 1, "each line must hold a JSON object"),
        ("5", 1, "each line must hold a JSON object"),
        ("null", 1, "each line must hold a JSON object"),
        ("[" * 5000, 201, "nested deeper"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_line_that_is_no_object(write: Write, text: str, column: int, says: str) -> None:
    first, bad, last = iter_lines(write(f'{{"a": 1}}\n{text}\n{{"b": 2}}\n', "x.jsonl"))
    assert (first.value, bad.value, last.value) == ({"a": 1}, None, {"b": 2})
    (problem,) = bad.problems
    assert (problem.line, problem.column) == (2, column)
    assert says in problem.message
    assert problem.source is not None
    assert bad.problem("anything else").line == 2


def test_mistakes_inside_an_object_leave_its_value(write: Write) -> None:
    path = write('{"a": 1}\n{"name": "n", "a": 1e999, "a": 2, "b": "\\ud800"}\n', "x.jsonl")
    _, line = iter_lines(path)
    assert line.value == {"name": "n", "a": 2, "b": "?"}
    assert problems(path) == [
        (2, 20, "the number is too large for a float: if it is meant as text, quote it"),
        (2, 27, 'duplicate key "a" (first in line 2)'),
        (2, 40, "\\ud800 is half of a surrogate pair, and no character without the other"),
    ]
    assert [problem.path for problem in line.problems] == ['"n" a', '"n" a', '"n" b']


def test_a_place_in_a_line_is_file_line_and_column(write: Write) -> None:
    path = write('\n{"name": "sums", "turns": [{"input": "é"}, {"inptu": "b"}]}\n', "x.jsonl")
    (line,) = iter_lines(path)
    problem = line.problem("unknown key", ("turns", 1, "inptu"), key=True)
    assert problem.headline() == f'{path}:2:45: "sums" turns[1].inptu: unknown key'
    assert line.line_of(("turns", 1)) == 2


def test_a_line_that_is_not_utf8_is_that_lines_problem(write: Write) -> None:
    path = write('{"a": "é"}\n'.encode() + b'{"\xc3\xa9": "Ren\xe9"}\n{"b": 2}\n', "x.jsonl")
    assert problems(path) == [(2, 11, "byte 0xE9 at offset 23 is not UTF-8; save the file as UTF-8")]
    assert [line.value for line in iter_lines(path)] == [{"a": "é"}, None, {"b": 2}]


def test_control_characters_in_a_line_are_that_lines_problem(write: Write) -> None:
    path = write(b'{"a": "x\x00"}\n{"b": "\x1b[0m"}\n', "x.jsonl")
    assert [(line, column) for line, column, _ in problems(path)] == [(1, 9), (2, 8)]
    for line in iter_lines(path):
        assert line.problems[0].source is not None
        assert line.problems[0].source.isprintable()


def test_an_endless_line_is_a_problem_and_the_lines_after_it_are_read(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 5_000_000)
    path = write(b'{"a": 1}\n' + b"x" * 30_000_000 + b'\n{"b": 2}\n' + b"y" * 6_000_000, "x.jsonl")
    tracemalloc.start()
    try:
        lines = [(line.line, line.offset, line.value, len(line.problems)) for line in iter_lines(path)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == [
        (1, 0, {"a": 1}, 0),
        (2, 9, None, 1),
        (3, 30_000_010, {"b": 2}, 0),
        (4, 30_000_019, None, 1),
    ]
    assert "longer than" in problems(path)[0][2]
    assert peak < 20_000_000


def test_a_line_of_exactly_the_bound_is_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 8)
    path = write('{"a": 1}\n{"b": 2}\n{"c": 33}\n{"d": 4}', "x.jsonl")
    assert [line.value for line in iter_lines(path)] == [{"a": 1}, {"b": 2}, None, {"d": 4}]


def test_memory_does_not_grow_with_the_number_of_lines(write: Write) -> None:
    path = write('{"name": "a", "turns": [{"input": 5}, {"input": "b"}]}\n' * 50_000, "x.jsonl")
    tracemalloc.start()
    try:
        assert sum(1 for _ in iter_lines(path)) == 50_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
def test_a_file_in_another_encoding_is_refused_as_a_whole(write: Write, encoding: str) -> None:
    with pytest.raises(ConfigError, match=encoding[:6].upper()):
        list(iter_lines(write('{"a": 1}\n{"b": 2}\n'.encode(encoding), "x.jsonl")))


def test_a_missing_file_and_a_folder(write: Write, tmp_path: Path) -> None:
    write("", "cases.jsonl")
    with pytest.raises(ConfigError, match=r'did you mean "cases\.jsonl"'):
        list(iter_lines(tmp_path / "case.jsonl"))
    with pytest.raises(ConfigError, match="folder"):
        list(iter_lines(tmp_path))


def test_what_cannot_be_read_twice_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ConfigError, match="cannot be a pipe"):
        list(iter_lines(tmp_path / "pipe.jsonl"))
