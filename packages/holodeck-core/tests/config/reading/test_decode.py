"""Every text file is UTF-8, with or without a byte-order mark, and whatever else it is gets said."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from holodeck_core.config.reading import decode
from holodeck_core.config.reading.decode import read_text
from holodeck_core.errors import ConfigError, Problem

Write = Callable[..., Path]


def refused(path: Path) -> Problem:
    with pytest.raises(ConfigError) as caught:
        read_text(path)
    (problem,) = caught.value.problems
    assert problem.file is not None
    return problem


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        (b"caf\xc3\xa9\n", "café\n"),
        (b"\xef\xbb\xbfname: x\n", "name: x\n"),
        (b"\xef\xbb\xbf", ""),
        (b"\xef\xbb\xbf\xef\xbb\xbfx\xef\xbb\xbf", "x\ufeff"),
        (b"a\r\nb\rc\n", "a\r\nb\rc\n"),
        (b"a\tb\x0cc\x7f\n", "a\tb\x0cc\x7f\n"),
        ("😀\u2028".encode(), "😀\u2028"),
    ],
    ids=[
        "empty",
        "utf-8",
        "mark",
        "mark alone",
        "two marks",
        "line breaks stay",
        "tab and form feed",
        "beyond ascii",
    ],
)
def test_utf8_is_read_as_it_stands_without_the_mark(write: Write, content: bytes, text: str) -> None:
    assert read_text(write(content)) == text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_utf16_and_utf32_are_named(write: Write, encoding: str) -> None:
    problem = refused(write("name: agent\ninput: hello\n".encode(encoding)))
    assert encoding[:6].upper() in problem.message
    assert "save it as UTF-8" in problem.message


def test_a_byte_that_is_not_utf8_is_shown_with_its_offset_and_place(write: Write) -> None:
    problem = refused(write(b"name: x\nauthor: Ren\xe9 D\n"))
    assert problem.message == "byte 0xE9 at offset 19 is not UTF-8; save the file as UTF-8"
    assert (problem.line, problem.column) == (2, 12)
    assert problem.source == "author: Ren\ufffd D"


def test_the_column_counts_characters_and_the_offset_bytes(write: Write) -> None:
    problem = refused(write("é😀".encode() + b"\xff"))
    assert (problem.line, problem.column) == (1, 3)
    assert "offset 6 " in problem.message


def test_a_mark_counts_as_bytes_but_not_as_a_character(write: Write) -> None:
    problem = refused(write(b"\xef\xbb\xbfab\xff"))
    assert (problem.column, problem.source) == (3, "ab\ufffd")
    assert "offset 5 " in problem.message


@pytest.mark.parametrize("byte", [0x00, 0x07, 0x0B, 0x1B, 0x1F])
def test_control_characters_are_refused_where_they_stand_and_never_printed(write: Write, byte: int) -> None:
    problem = refused(write(b"name: x\nauthor: a" + bytes([byte]) + b"b\n"))
    assert f"U+{byte:04X}" in problem.message
    assert (problem.line, problem.column) == (2, 10)
    assert problem.source == "author: a\ufffdb"


def test_a_missing_file_names_the_nearest_one_beside_it(write: Write, tmp_path: Path) -> None:
    write("x", "instructions.md")
    assert 'did you mean "instructions.md"?' in refused(tmp_path / "instruction.md").message


def test_a_missing_file_without_a_near_name(tmp_path: Path) -> None:
    problem = refused(tmp_path / "agent.yaml")
    assert problem.message == "there is no such file"
    assert (problem.line, problem.column) == (None, None)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert (
        f"the folder {tmp_path / 'nowhere'} does not exist" in refused(tmp_path / "nowhere" / "x.md").message
    )


def test_a_path_through_a_file_is_a_missing_file(write: Write) -> None:
    assert "there is no such file" in refused(write("x") / "below").message


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path).message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(write: Write) -> None:
    path = write("x")
    path.chmod(0)
    assert "cannot be read: Permission denied" in refused(path).message


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "\udcff\ud800"], ids=["NUL", "too long", "surrogates"])
def test_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    problem = refused(tmp_path / name)
    assert str(problem).isprintable()


def test_a_text_of_unreasonable_size_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "MAX_BYTES", 10)
    assert read_text(write(b"x" * 10)) == "x" * 10
    assert "larger than" in refused(write(b"x" * 11)).message


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb") as pipe:
        pipe.write(b"name: x")
        pipe.close()
        assert read_text(Path(f"/dev/fd/{reading}")) == "name: x"
