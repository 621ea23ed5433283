"""The secrets of the environment, for messages of code that no agent file gave its secrets to."""

from __future__ import annotations

import os

from holodeck_cli.streams import hide
from holodeck_core.config.reading.secret_names import names_secret
from holodeck_core.redaction import Redactor


def hide_environment() -> None:
    """What is told from now on has none of the variables in it whose names say that they are secrets."""
    hide(
        Redactor(
            value
            for name, value in os.environ.items()
            if names_secret(name, in_environment=True) and not _is_path(value)
        )
    )


def _is_path(value: str) -> bool:
    """``PWD`` is no password, ``SSH_AUTH_SOCK`` no key, and a message without its paths no help."""
    return os.path.isabs(value) and os.path.exists(value)
