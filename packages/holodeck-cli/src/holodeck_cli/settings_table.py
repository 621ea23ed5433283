"""The execution settings in force, as a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from holodeck_cli.table import aligned
from holodeck_core import Setting
from holodeck_core.text import one_line

_HEAD = ("setting", "value", "from")


def settings_table(settings: Iterable[Setting]) -> list[str]:
    """One line a setting below a head: its name, its value, and where it comes from."""
    rows = ((name, _shown(value), one_line(origin)) for name, value, origin in settings)
    return aligned([_HEAD, *rows])


def _shown(value: int | float | str) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
