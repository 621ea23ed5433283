"""Exceptions of user code, as the text that a report shows."""

from __future__ import annotations

from holodeck_core.api.values import text_of
from holodeck_core.text import shorten

USER_FAULTS = (Exception, SystemExit)
"""What code of plugins and users may raise while it is loaded without ending more than its own part.
KeyboardInterrupt is not among them: it is the user's."""

MAX_TEXT = 2_000


class WorkerFailure(Exception):
    """Code in a worker thread ended with something that is no Exception, such as SystemExit.

    The text is ``Type: message``.
    """


class TooManyAbandoned(Exception):
    """The code was not called: too many of its earlier calls never came back."""


def describe(error: BaseException) -> str:
    """``Type: message``, shortened to ``MAX_TEXT`` characters."""
    if isinstance(error, WorkerFailure | TooManyAbandoned):
        return str(error)
    message = text_of(error)
    name = type(error).__name__
    return shorten(f"{name}: {message}" if message else name, MAX_TEXT)
