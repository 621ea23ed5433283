"""YAML that is written is read as the very same values: by the reader of agent files, and by others."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from holodeck_cli.recorded.yaml_text import block, flow
from holodeck_core.config.reading.shapes import PLAIN, Shape
from holodeck_core.config.reading.yaml_document import read_yaml

ANY = Shape(accepts=(dict, list))

# fmt: off
WORDS = [
    "no", "yes", "Off", "y", "null", "~", "Null", "010", "1e3", "0x1f", "0o17", ".5", "1.", ".inf", ".nan", "12:30:00",
    "2020-01-01", "1_000", "<<", "=", "${X}", "$${X}", "-", "?", ":", "--", "---", "...", "#", "&a", "*a", "!x", "%x",
    "@", "`", "|", ">", "x:", ":x", "x:y", "x,y", "{}", "[]", "''", '""', "+1", "true",
]
# fmt: on
PIECES = [
    "a",
    " ",
    "  ",
    "\n",
    "\t",
    "\r",
    "x: y",
    "# z",
    "- q",
    "---",
    "...",
    '"',
    "'",
    "\\",
    "ä",
    "😀",
    "\u200b",
]
TEXTS = (
    st.text()
    | st.sampled_from(
        [*WORDS, "", " a", "a ", "\n", "a\n\n", "\na", "a\x85b", "\u2028", "\ufeff", "\0", "\ufffe"]
    )
    | st.lists(st.sampled_from(PIECES)).map("".join)
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**40, max_value=10**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)


def spelled(value: Any) -> str:
    """The value with its types: ``1``, ``1.0`` and ``true`` are three."""
    return repr(value)


@settings(max_examples=300, deadline=None)
@given(VALUES, st.sampled_from([0, 1, 4]))
def test_whatever_is_written_is_read_again(value: Any, indent: int) -> None:
    for text in (block([value], indent), f"- {flow(value)}\n"):
        document = read_yaml(text, "file", ANY)
        assert not document.problems
        assert spelled(document.value) == spelled([value])


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_other_readers_take_text_for_text(text: str) -> None:
    for written in (block([text]), f"- {flow(text)}\n", block({text: text})):
        read = yaml.safe_load(written)
        assert read == ({text: text} if isinstance(read, dict) else [text])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Where is my order?", "Where is my order?"),
        ('it\'s, "so"', '"it\'s, \\"so\\""'),
        ("no", '"no"'),
        ("010", '"010"'),
        ("a\tb\x1b[0m\u202e😀", '"a\\tb\\x1b[0m\\u202e😀"'),
        ("", '""'),
        (None, "null"),
        (True, "true"),
        (1e300, "1e+300"),
        (10**30, str(10**30)),
    ],
)
def test_a_scalar_is_as_plain_as_it_can_be(value: Any, text: str) -> None:
    assert flow(value) == text
    assert read_yaml(f"[{text}]", "file", PLAIN if isinstance(value, dict) else ANY).value == [value]


def test_texts_of_several_lines_and_small_collections_are_written_for_people() -> None:
    value = {
        "text": "one\n\n  two: 2\n",
        "args": {"order": "LM-1002", "many": []},
        "turns": [{"a": [[1]]}],
        "no": {},
    }
    assert block(value) == (
        'text: |\n  one\n\n    two: 2\nargs: {order: LM-1002, many: []}\nturns:\n  - a:\n      - - 1\n"no": {}\n'
    )


def test_white_space_that_editors_take_away_stands_in_quotes() -> None:
    assert block(["a \nb", "a\t\nb\n"]) == '- "a \\nb"\n- "a\\t\\nb\\n"\n'
