"""Rows of text as lines whose columns stand below each other in a terminal. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from holodeck_core.cells import pad, width_of


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """One line a row, two spaces between columns, and none behind the last. All rows are of one length."""
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([*map(pad, row[:-1], widths), row[-1]]) for row in rows]
