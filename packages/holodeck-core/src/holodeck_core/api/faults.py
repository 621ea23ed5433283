"""Exceptions of user code, as the text that a report shows."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import PurePath

from holodeck_core.api.values import text_of
from holodeck_core.text import shorten

USER_FAULTS = (Exception, SystemExit)
"""What an agent may raise in a conversation as a failure of its own. Whatever else it raises goes to the engine, which
knows whether a generator or a run is ending."""

MAX_TEXT = 2_000

_NOT_THE_USERS = frozenset(
    {"holodeck_core", "holodeck_graders", "holodeck_cli", "site-packages", "dist-packages"}
)
"""Folders whose code is HoloDeck's own or installed."""

_STDLIB = sysconfig.get_path("stdlib")


class WorkerFailure(Exception):
    """Code in a worker thread ended with something that is no Exception, such as SystemExit.

    The text is ``Type: message``.
    """


class TooManyAbandoned(Exception):
    """The code was not called: too many of its earlier calls never came back."""


def describe(error: BaseException, *, with_place: bool = False) -> str:
    """``Type: message``, shortened to ``MAX_TEXT`` characters; with the place in the user's code where it came from, as
    ``(file.py:12 in function)``, where that is asked for and known."""
    if isinstance(error, WorkerFailure | TooManyAbandoned):
        told = str(error)
    else:
        message = text_of(error)
        name = type(error).__name__
        told = shorten(f"{name}: {message}" if message else name, MAX_TEXT)
    place = place_of(error) if with_place else None
    return told if place is None else f"{told} ({place})"


def place_of(error: BaseException) -> str | None:
    """Where in code that is neither HoloDeck's nor an installed package's the exception came from, innermost first."""
    if isinstance(error, WorkerFailure) and error.__cause__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_the_users(frame.filename)]
    if not own:
        return None
    return f"{PurePath(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}"


def _is_the_users(file: str) -> bool:
    path = PurePath(file)
    elsewhere = file.startswith("<frozen") or path.is_relative_to(_STDLIB)
    return not elsewhere and _NOT_THE_USERS.isdisjoint(path.parts)
