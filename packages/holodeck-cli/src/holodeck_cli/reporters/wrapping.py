"""Lines that are too long for the terminal. Pure."""

from __future__ import annotations

from typing import Final

_LEAST: Final = 20
"""What a line has at least, however narrow the terminal says it is."""


def wrap(text: str, width: int, hang: int = 0) -> list[str]:
    """The text in lines of at most ``width`` cells, from the second on indented by ``hang``, which a narrow terminal
    makes less. Nothing but white space where a line ends is lost."""
    width = max(width, _LEAST)
    if text.isascii() and len(text) <= width:
        return [text]
    from wcwidth import wrap as wrap_cells  # here, since most lines fit

    return wrap_cells(
        text,
        width,
        subsequent_indent=" " * min(hang, width // 3),
        break_on_hyphens=False,
        replace_whitespace=False,
    ) or [""]
