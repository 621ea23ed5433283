"""The file of results: lines that are whole or not there, whatever their length and number."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from holodeck_core import RunError
from holodeck_core.engine.journal import Journal


@pytest.mark.parametrize("length", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_a_line_of_any_length_is_read_as_it_was_written(length: int) -> None:
    journal = Journal()
    written = [bytes(byte % 26 + 97 for byte in range(length)) + b"\n", b"after\n"]
    for position, line in enumerate(written):
        journal.place(position, journal.note(line))
    assert [journal.read(position) for position in range(2)] == [[line] for line in written]


def test_a_position_has_one_line_several_or_none() -> None:
    journal = Journal()
    offsets = [journal.note(line) for line in (b"a\n", b"b\n", b"c\n", b"d\n", b"e\n")]
    journal.place(3, offsets[:2])
    journal.place(0, offsets[2])
    journal.place(1, offsets[3:])
    assert [journal.read(position) for position in (0, 1, 3)] == [
        [b"c\n"],
        [b"d\n", b"e\n"],
        [b"a\n", b"b\n"],
    ]
    assert (2 in journal, 4 in journal, len(journal)) == (False, False, 4)
    with pytest.raises(KeyError):
        journal.read(2)


def test_of_a_line_that_there_is_no_room_for_nothing_is_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results")
    journal.note(b"first\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(RunError, match="results cannot be stored: File too large"):
            journal.note(b"a line that fits in part\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "results").read_bytes() == b"first\n"
    journal.place(0, journal.note(b"second\n"))
    assert journal.read(0) == [b"second\n"]
    assert [line for _, line in Journal(tmp_path / "results").recover()] == [b"first\n", b"second\n"]
