"""What the host says about names and failures. Text of a plugin is made safe for one line here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.names import near

_LONGEST: Final = 300


def one_line(text: str) -> str:
    """The text on one line of bounded length, every character that does not print replaced."""
    line = " ".join(text[: 4 * _LONGEST].split())
    line = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line
    )
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def error_text(error: BaseException) -> str:
    """``Type: message`` on one line; the type alone where there is no message."""
    kind = one_line(type(error).__name__)
    try:
        message = one_line(str(error))
    except BaseException as unspeakable:  # noqa: BLE001 - boundary: the exception class of a plugin
        pass_interruptions(unspeakable)
        message = ""
    return f"{kind}: {message}" if message else kind


def shown(value: object) -> str:
    """The repr of a value for a message, on one line."""
    try:
        return one_line(repr(value))
    except BaseException as unspeakable:  # noqa: BLE001 - boundary: an object of a plugin
        pass_interruptions(unspeakable)
        return f"an object of type {one_line(type(value).__name__)}"


def pip_install(requirement: str, *options: str) -> str:
    """The command that installs a requirement, quoted for a shell where it has to be."""
    quoted = any(character in requirement for character in "[]<>=!~, ")
    return " ".join(("pip install", *options, f"'{requirement}'" if quoted else requirement))


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """``; did you mean 'a' or 'b'?``, or nothing where no choice is near."""
    matches = [f"'{match}'" for match in near(word, choices)]
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


def listed(heading: str, names: Sequence[str]) -> str:
    """``heading: a, b, c``; ``heading: none``."""
    return f"{heading}: {', '.join(names) or 'none'}"
