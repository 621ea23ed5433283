"""How long a provider asks to wait, however it says so."""

from __future__ import annotations

import math
import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from holodeck_core.plugins.foreign import pass_interruptions

_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{0,12})?")


def seconds_to_wait(asked: object, now: float | None = None) -> float | None:
    """The seconds that ``asked`` stands for: a number, or the text of one, or an HTTP-date as in ``Retry-After``.

    A date in the past is 0. None for what makes no sense. ``now`` is the time in seconds since the epoch.
    """
    if isinstance(asked, str):
        text = asked.strip()
        seconds = number_in(text)
        return seconds if seconds is not None else _seconds_until(text, time.time() if now is None else now)
    if isinstance(asked, bool) or not isinstance(asked, int | float):
        return None
    try:
        seconds = float(asked)
    except OverflowError:
        seconds = math.inf if asked > 0 else -math.inf
    return seconds if seconds >= 0 else None  # false of nan, too


def number_in(text: str | None) -> float | None:
    """The number that a header holds; None where it holds something else."""
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None


def attribute_or_none(holder: object, name: str) -> Any:
    """What an exception of somebody else's says under a name; None where it does not, or raises."""
    try:
        return getattr(holder, name, None)
    except BaseException as error:  # noqa: BLE001 - boundary: a property of somebody's exception
        pass_interruptions(error)
        return None


def _seconds_until(text: str, now: float) -> float | None:
    try:
        date = parsedate_to_datetime(text)
        moment = (date if date.tzinfo is not None else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(0.0, moment - now)
