"""Text of a plugin stands on one line of a message and brings nothing with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.plugins.wording import error_text, one_line, pip_install, shown


class _Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text for you")

    __repr__ = __str__


@given(st.text())
def test_a_line_is_printable_and_bounded_whatever_the_text(text: str) -> None:
    assert one_line(text).isprintable()
    assert len(one_line(text)) <= 300


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (ValueError(), "ValueError"),
        (SystemExit(3), "SystemExit: 3"),
        (ValueError("two\n  lines"), "ValueError: two lines"),
        (ValueError("\x1b[31mred"), "ValueError: \N{REPLACEMENT CHARACTER}[31mred"),
        (ValueError("\N{RIGHT-TO-LEFT OVERRIDE}x"), "ValueError: \N{REPLACEMENT CHARACTER}x"),
        (_Unspeakable(), "_Unspeakable"),
    ],
)
def test_an_error_is_its_type_and_message_on_one_line(error: BaseException, expected: str) -> None:
    assert error_text(error) == expected


def test_a_long_message_is_cut() -> None:
    assert error_text(ValueError("x" * 10_000)) == f"ValueError: {'x' * 299}…"


def test_an_object_without_a_repr_is_shown_by_its_type() -> None:
    assert shown(_Unspeakable()) == "an object of type _Unspeakable"


@pytest.mark.parametrize(
    ("requirement", "command"),
    [
        ("holodeck-acme", "pip install holodeck-acme"),
        ("holodeck-acme>=1.2", "pip install 'holodeck-acme>=1.2'"),
        ("holodeck-core[semantic-kernel]", "pip install 'holodeck-core[semantic-kernel]'"),
    ],
)
def test_a_requirement_is_quoted_where_a_shell_would_misread_it(requirement: str, command: str) -> None:
    assert pip_install(requirement) == command
