"""What a command line cannot ask for."""

from __future__ import annotations


class UsageMistake(Exception):
    """The command line asks for what cannot be done; nothing was started. Its text is shown to the user."""
