"""A text that comes in pieces is made as safe as a whole one, and is the same in the end."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.text import sanitize_tool_output
from holodeck_core.text_stream import LONGEST_HELD, StreamSanitizer

PARTS = st.sampled_from(
    [
        *(
            "a",
            "1",
            " ",
            "\n",
            "\t",
            "é",
            "❤",
            "👩",
            "ن",
            "\u20e3",
            "\\",
            "]",
            "[",
            "0;t",
            "31m",
            "m",
            "52;c;SGk=",
        ),
        *(
            "\x1b",
            "\x1b[",
            "\x1b]",
            "\x1bP",
            "\x9b",
            "\x9d",
            "\x9c",
            "\x07",
            "\x08",
            "\r",
            "\x00",
            "\x7f",
            "\x85",
        ),
        *("\u200d", "\u200c", "\ufe0f", "\ufe0e", "\u202e", "\u2066", "\u200b", "\U000e0041", "\U000e0100"),
        *("\ud83d", "\ude00", "😀"),
    ]
)


def whole(text: str) -> str:
    return sanitize_tool_output(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def in_pieces(pieces: list[str]) -> str:
    stream = StreamSanitizer()
    return "".join([*map(stream.feed, pieces), stream.finish()])


@given(st.lists(PARTS, max_size=14), st.data())
def test_any_cutting_gives_what_the_whole_text_gives(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert in_pieces(pieces) == whole(text)


@given(st.lists(PARTS, max_size=14))
def test_character_by_character_too(parts: list[str]) -> None:
    assert in_pieces(list("".join(parts))) == whole("".join(parts))


@given(st.lists(PARTS, max_size=14))
def test_nothing_that_was_shown_could_have_acted(parts: list[str]) -> None:
    stream = StreamSanitizer()
    for part in parts:
        shown = stream.feed(part)
        assert not set(shown) & set("\x1b\x9b\x9d\x9c\x07\x08\r\x00\x7f\x85\u202e\u2066")


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["plain ", "text"], ["plain ", "text", ""]),
        (["a\x1b", "[31", "mb"], ["a", "", "b", ""]),
        (["a\x1b]0;ti", "tle", "\x07b"], ["a", "", "b", ""]),
        (["a\x1b]52;c;SGk=\x1b", "\\b"], ["a", "b", ""]),
        (["a\x1b]0;never ended", " by\nanything"], ["a", "0;never ended by\nanything", ""]),
        (["a\x1b"], ["a", ""]),
        (["one\r", "\ntwo"], ["one", "\ntwo", ""]),
        (["one\r", "two"], ["one", "\ntwo", ""]),
        (["é\u200d", "x"], ["é", "x", ""]),
        (["👩\u200d", "👩"], ["👩", "\u200d👩", ""]),
        (["1\ufe0f", "\u20e3"], ["1", "\ufe0f\u20e3", ""]),
        (["1\ufe0f", "2"], ["1", "2", ""]),
        (["\ud83d", "\ude00"], ["", "😀", ""]),
        (["\ud83d", "x"], ["", "\ufffdx", ""]),
        (["\ud83d"], ["", "\ufffd"]),
    ],
)
def test_only_what_may_still_change_is_kept_back(pieces: list[str], shown: list[str]) -> None:
    stream = StreamSanitizer()
    assert [*map(stream.feed, pieces), stream.finish()] == shown


def test_a_sequence_without_an_end_holds_up_no_more_than_a_few_kilobytes() -> None:
    stream = StreamSanitizer()
    assert stream.feed("\x1b]0;" + "x" * 10 * LONGEST_HELD) == "0;" + "x" * 10 * LONGEST_HELD
    assert stream.feed("\x07y") == "y"


def test_a_run_without_an_end_neither() -> None:
    stream = StreamSanitizer()
    assert stream.feed("é" + "\u200d" * 100_000).startswith("é")
    assert len(stream.feed("x")) < 10


def test_the_time_grows_with_the_text_alone() -> None:
    def seconds(count: int) -> float:
        stream, started = StreamSanitizer(), process_time()
        for _ in range(count):
            stream.feed("\x1b]\x9d\x1b[\u200d\u202e" * 10)
        return process_time() - started

    seconds(100)
    assert seconds(4000) < 40 * max(seconds(400), 0.001)
