"""What people see is safe: nothing a terminal acts on, nothing a reader cannot see, each word is there."""

from __future__ import annotations

import json
import re
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holodeck_core.text import (
    one_line,
    reveal,
    sanitize_tool_output,
    shorten,
    show_value,
    without_commands,
)

ALLOWED_CONTROLS = {"\t", "\n"}
BIDI = {*"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}

hostile_pieces = st.sampled_from(
    [
        *(
            "\x1b[31m",
            "\x1b]0;title\x07",
            "\x1b]52;c;SGk=\x1b\\",
            "\x1bP+q\x1b\\",
            "\x1b_apc\x9c",
            "\x9b2J",
            "\x9d8;;u\x9c",
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
            "\r\n",
            "\x00",
            "\x7f",
            "\x85",
        ),
        *(
            "\u202e",
            "\u2066",
            "\u200b",
            "\u200c",
            "\u200d",
            "\ufe0f",
            "\ufeff",
            "\U000e0041",
            "\U000e0100",
            "\u20e3",
        ),
        *(
            "\ud835",
            "\udc9c",
            "\u2028",
            "\u3000",
            "1",
            "#",
            "a",
            "é",
            "م",
            "👨",
            " ",
            "\t",
            "\n",
            "[0m",
            "\\",
            "word",
        ),
    ]
)
hostile = st.lists(hostile_pieces | st.text(max_size=3), max_size=30).map("".join)


def is_harmless(character: str) -> bool:
    if character in ALLOWED_CONTROLS:
        return True
    return unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"} and character not in BIDI


@given(hostile)
@example("\x1b\x1b[31m[31m")
@example("\x1b]0;\x1b]0;a\x07b\x07")
@example("\x9b\x9b1m1m")
def test_nothing_a_terminal_acts_on_survives(text: str) -> None:
    assert [character for character in sanitize_tool_output(text) if not is_harmless(character)] == []


@given(hostile)
@example("\u200d\ufe0f\u200d")
@example("é\u200d\u200dé")
@example("1\ufe0f\u200d\u20e3")
def test_sanitizing_twice_is_sanitizing_once(text: str) -> None:
    once = sanitize_tool_output(text)
    assert sanitize_tool_output(once) == once


@given(hostile)
def test_one_line_is_one_line_and_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    assert line.split() == sanitize_tool_output(text).split()
    assert "\n" not in line
    assert one_line(line) == line


@given(
    st.lists(st.text(st.characters(categories=["L", "N"], max_codepoint=0x2FF), min_size=1), max_size=6),
    st.data(),
)
def test_words_survive_whatever_stands_between_them(words: list[str], data: st.DataObject) -> None:
    between = st.sampled_from(
        [
            "\x1b[1;31m",
            "\x1b]0;t\x07",
            "\x1b]8;;http://x\x1b\\",
            "\x1bc",
            "\x9b2J",
            "\x08\x08",
            "\u202e",
            "\u200b",
            "\r",
            "\x00",
        ]
    )
    text = "".join(f"{word} {data.draw(between)} " for word in words)
    assert sanitize_tool_output(text).split() == words


@given(
    st.text(
        st.characters(
            categories=["L", "N", "P", "S", "M", "Zs"], exclude_characters="\u034f\u115f\u1160\u3164\uffa0"
        )
    )
)
def test_plain_text_stays_as_it_is(text: str) -> None:
    if not re.search("[\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]", text):
        assert sanitize_tool_output(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("before\x1b]52;c;SGVsbG8=\x07after", "beforeafter", id="clipboard-write"),
        pytest.param(
            "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link", id="hyperlink-keeps-its-text"
        ),
        pytest.param("\x9b31mred\x9b0m", "red", id="8-bit-csi"),
        pytest.param("\x9d0;title\x9cbody", "body", id="8-bit-osc"),
        pytest.param("\x1bcreset", "reset", id="reset"),
        pytest.param("\x1b(0lines\x1b(B", "lines", id="character-set"),
        pytest.param("\x1b[2Jwiped", "wiped", id="clear-screen"),
        pytest.param("\x1b[38:2::255:0:0mred", "red", id="csi-with-colons"),
        pytest.param("\x1b[?2004hpaste", "paste", id="private-mode"),
        pytest.param("\x1bP+q544e\x1b\\answer", "answer", id="dcs"),
        pytest.param("a\rb", "a\nb", id="carriage-return-overwrites-nothing"),
        pytest.param(
            "a\r\nb\x0bc\x0cd\x85e\u2028f\u2029g", "a\nb\nc\nd\ne\nf\ng", id="every-line-break-is-one"
        ),
        pytest.param("ab\x08\x08cd\x07", "abcd", id="backspace-and-bell"),
        pytest.param("tab\tand\nline", "tab\tand\nline", id="tab-and-line-feed-stay"),
        pytest.param(
            "\x1b]0;never ended\nthe rest", "0;never ended\nthe rest", id="unterminated-osc-swallows-nothing"
        ),
        pytest.param(
            "\x1bPnever ended, the rest", "never ended, the rest", id="unterminated-dcs-swallows-nothing"
        ),
        pytest.param("\x1b]0;a\x1b[1mb\x07c", "0;abc", id="a-sequence-inside-an-osc"),
        pytest.param("\x1b", "", id="lone-escape"),
        pytest.param("\x1b[", "", id="csi-cut-off"),
        pytest.param(
            "pay \u202eevil\u202c now \u2066x\u2069 \u200b\U000e0041", "pay evil now x ", id="bidi-and-tags"
        ),
        pytest.param(
            "\ufeffbom, soft\xadhyphen, zero\u200bwidth", "bom, softhyphen, zerowidth", id="invisible"
        ),
        pytest.param("\ud835", "\ufffd", id="lone-surrogate"),
        pytest.param(
            "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3",
            "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3",
            id="emoji-stay-whole",
        ),
        pytest.param("می\u200cخواهم", "می\u200cخواهم", id="persian-non-joiner-stays"),
        pytest.param("क्\u200dष", "क्\u200dष", id="indic-joiner-stays"),
        pytest.param("العَرَبِيَّة", "العَرَبِيَّة", id="arabic-marks-stay"),
        pytest.param("葛\U000e0100", "葛\U000e0100", id="ideographic-variant-stays"),
        pytest.param("a\u200db\u200cc", "abc", id="joiners-beside-ascii-go"),
        pytest.param("é\u200d\u200d\u200dé", "é\u200dé", id="of-several-joiners-one-stays"),
        pytest.param("a" + "\U000e0148\U000e0149", "a", id="text-hidden-in-selectors-after-ascii"),
        pytest.param(
            "😀" + "\U000e0148\U000e0149", "😀\U000e0148", id="text-hidden-in-selectors-after-emoji"
        ),
        pytest.param(
            "see [/etc/hosts], [bold and [/] and arr[0]",
            "see [/etc/hosts], [bold and [/] and arr[0]",
            id="brackets",
        ),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert sanitize_tool_output(text) == shown


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "\x1b",
            "\x1b[",
            "\x1b]",
            "\x1b]a",
            "\x1b[1;",
            "\x1b[ ",
            "\x1bP",
            "\x1b ",
            "\x9b",
            "\x9d",
            "\x9d\t",
            "\x90a",
        ),
        *("\u200d", "é\u200d", "\u200da", "\ufe0f", "é\ufe0f", "1\ufe0f", "\ud835", "\r", "\u0301", "\x1b]é"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("start", ["", "\x1b]", "é"], ids=ascii)
def test_a_megabyte_takes_linear_time(start: str, piece: str) -> None:
    def seconds(size: int) -> float:
        text = start + piece * (size // len(piece))
        begin = time.process_time()
        sanitize_tool_output(text)
        return time.process_time() - begin

    assert seconds(1_000_000) < 2.0  # quadratic time would be minutes


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("0123456789", 9, "0123...89"),
        ("0123456789", 3, "..."),
        ("0123456789", 4, "...9"),
    ],
)
def test_shortening_leaves_the_middle_out(text: str, width: int, shown: str) -> None:
    assert shorten(text, width) == shown


@given(st.text(), st.integers(3, 50))
def test_a_shortened_text_is_never_wider_than_asked(text: str, width: int) -> None:
    assert len(shorten(text, width)) == min(len(text), width)
    assert len(one_line(text, width)) <= width


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (206588, "206588"),
        (None, "null"),
        (True, "true"),
        ("206,588", '"206,588"'),
        ({"a": [1, 2.5]}, '{"a": [1, 2.5]}'),
        ("naïve", '"naïve"'),
        ("naı\u0308ve", '"naı\u0308ve"'),
        ("cafe\u0301", '"cafe\\u0301"'),
        ("e\u0301\u0302", '"e\\u0301\\u0302"'),
        ("1\xa0000", '"1\\u00a0000"'),
        ("\x1b[31m\x9b", '"\\u001b[31m\\u009b"'),
        ("\u202e\U000e0041\ud835", '"\\u202e\\U000e0041\\ud835"'),
        ("❤\ufe0f", '"❤\\ufe0f"'),
        ("\\u202e", '"\\\\u202e"'),
        ({"k\x1b[31m": "v"}, '{"k\\u001b[31m": "v"}'),
        pytest.param(10**5000, "<int>", id="an-integer-too-long-to-write"),
    ],
    ids=ascii,
)
def test_how_a_value_is_shown(value: object, shown: str) -> None:
    assert show_value(value) == shown


def test_a_value_too_deep_to_write_is_shown_by_its_type() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert show_value(value) == "<list>"


@given(hostile, hostile)
@example("a", "a\u200d")
@example("❤", "❤\ufe0f")
@example("\\u200b", "\u200b")
def test_different_texts_are_shown_differently_and_safely(one: str, other: str) -> None:
    shown = show_value(one, 10_000)
    assert all(is_harmless(character) for character in shown)
    assert (shown == show_value(other, 10_000)) == (one == other)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(max_codepoint=0x9F)), st.lists
    )
)
def test_a_shown_value_reads_back_as_json(value: object) -> None:
    assert json.loads(show_value(value, 1_000_000)) == value


@given(hostile)
@example("\ufffe\U0001ffff\ufdd0")
@example("a\ud835b")
@example("👩\u200d\u200dé")
def test_what_is_revealed_is_safe_for_a_terminal_and_for_xml(text: str) -> None:
    shown = reveal(text)
    assert sanitize_tool_output(shown) == shown
    assert not re.search("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", shown)
    assert reveal(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \n\ttext ä 名 👩\u200d🚀 ❤\ufe0f", "plain \n\ttext ä 名 👩\u200d🚀 ❤\ufe0f"),
        ("\x1b[31mred\x00", r"\u001b[31mred\u0000"),
        ("one\r\ntwo\rthree\u2028", "one\ntwo\\u000dthree\\u2028"),
        ("a\u202eb\u200bc", r"a\u202eb\u200bc"),
        ("half \ud835", r"half \ud835"),
        ("\ufffe\U0001ffff", r"\ufffe\U0001ffff"),
        ("a\u200d\u200db", r"a\u200d\u200db"),
    ],
)
def test_what_cannot_be_seen_is_revealed(text: str, shown: str) -> None:
    assert reveal(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a ##vso[task.complete]b", r"a #\u0023vso[task.complete]b"),
        ("###[error]x ##[warning]y", r"##\u0023[error]x #\u0023[warning]y"),
        ("::error::x", r":\u003aerror::x"),
        ("a\n \t::set-output name=x::y", "a\n \t:\\u003aset-output name=x::y"),
        ("# [x] ## vso[ #[y]", "# [x] ## vso[ #[y]"),
        ("a ::error::x", "a ::error::x"),
        ("::std and more\nend::", "::std and more\nend::"),
        ("", ""),
    ],
    ids=ascii,
)
def test_what_a_build_server_would_obey_has_an_escape_in_it(text: str, shown: str) -> None:
    assert without_commands(text) == shown
    assert without_commands(shown) == shown
    assert without_commands(text, "#", ":") == text
