"""Every exception that HoloDeck raises on purpose.

HoloDeckError
├── ConfigError          the files or the settings hold mistakes; ``.problems`` has them all
├── PluginError          a contribution is not available
│   ├── UnknownName      nothing installed contributes that name
│   └── BrokenPlugin     something contributes it, but it cannot be loaded
├── RunError             the run as a whole could not be carried out
└── AgentError           what an agent or a backend raises to say what happened to a turn
    ├── TransientError   the session is as before the message; trying again may help
    │   └── RateLimited  the provider asks to slow down
    └── SessionLost      the conversation is gone; its remaining turns cannot be sent
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class HoloDeckError(Exception):
    """Base class of all errors that HoloDeck raises on purpose."""


class Problem(NamedTuple):
    """One mistake (or warning) in a file, with its place.

    ``line`` and ``column`` count from 1; both are None where the problem has no place of its own (a missing file).
    ``path`` leads through the document in the words of the file: ``test_cases[3] "name" turns[1].input``.
    ``source`` is the source line as it stands in the file, without its line break.
    """

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    path: str = ""
    source: str | None = None

    def headline(self) -> str:
        """``file:line:column: path: message``, without the parts that are not known."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.path, self.message) if part)

    def __str__(self) -> str:
        if self.source is None or self.column is None:
            return self.headline()
        return f"{self.headline()}\n    {self.source}\n    {' ' * (self.column - 1)}^"


class ConfigError(HoloDeckError):
    """The configuration has mistakes. ``problems`` holds all that were found, in file order."""

    def __init__(self, problems: Iterable[Problem] | str) -> None:
        self.problems: tuple[Problem, ...] = (
            (Problem(problems),) if isinstance(problems, str) else tuple(problems)
        )
        super().__init__("\n".join(str(problem) for problem in self.problems))


class PluginError(HoloDeckError):
    """A contribution that was asked for by name is not available."""


class UnknownName(PluginError):
    """No installed plugin contributes that name; the message lists what there is and what to install."""


class BrokenPlugin(PluginError):
    """The plugin that owns the name is installed, but could not be loaded; the message says why."""


class RunError(HoloDeckError):
    """The run as a whole could not be carried out."""


class AgentError(HoloDeckError):
    """Raised by an agent or a backend to say what happened to a turn; any other exception is that turn's error."""


class TransientError(AgentError):
    """The turn failed, the session is as it was before the message, and trying again may help.

    Raise it only when no tool has been started. ``retry_after`` is in seconds, None where the provider named none.
    """

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RateLimited(TransientError):
    """The provider asks to slow down; all conversations with it then wait."""


class SessionLost(AgentError):
    """The conversation cannot go on: the remaining turns of its case are skipped."""
