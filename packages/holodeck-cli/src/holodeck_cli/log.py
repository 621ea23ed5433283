"""What is logged where nobody has said where to: Python writes it to standard error, beside what the program says."""

from __future__ import annotations

import logging

from holodeck_cli.streams import shown


class _Shown(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return shown(super().format(record))


def guard_log() -> None:
    """It passes from now on through what all passes that is told: asyncio logs what tasks of an agent raised."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_Shown())
