"""Code of others that would end the process, or put another program in its place, in the middle of what it does."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeAlias

from holodeck_cli.ending import leave, leave_as_decided, leave_later
from holodeck_cli.exit_codes import ExitCode
from holodeck_cli.streams import finish_streams, tell_error

Tell: TypeAlias = Callable[[str], int]

_REPLACING: Final = ("execv", "execve")  # what all others of their kind call


@contextmanager
def guarded(tell: Tell) -> Iterator[None]:
    """Inside of the block ``os._exit`` cannot make an unfinished process look like one that did its work.

    It calls ``tell``, in whatever thread, with what was called; the process ends with the code that this returns. What
    would replace the process raises PermissionError instead, a fault of whoever calls it. Copies of the process, which
    code of others forks, are not concerned, and what ends a process from below Python cannot be guarded.
    """
    guard = _Guard(tell)
    ours = {"_exit": guard.exit}
    ours |= {name: partial(guard.replace, getattr(os, name)) for name in _REPLACING}
    before = {name: getattr(os, name) for name in ours}
    for name, function in ours.items():
        setattr(os, name, function)
    try:
        yield
    finally:
        guard.over = True
        for name, function in before.items():
            if getattr(os, name) is ours[name]:  # what was tested may have put its own there
                setattr(os, name, function)


def tell_loading_ended(what: str) -> int:
    """Say that ``what`` was called by a module as it was imported; returns the exit code."""
    tell_error(f"error: {what} was called while the agent file was loaded")
    return ExitCode.NOT_RUN


def tell_plugin_ended(what: str) -> int:
    """Say that ``what`` was called by a plugin as it was looked at; returns the exit code."""
    tell_error(f"error: a plugin called {what}")
    return ExitCode.NOT_RUN


class _Guard:
    """In the place of the functions; whoever took them from there has it also when it is ``over``."""

    def __init__(self, tell: Tell) -> None:
        self.over = False
        self._tell = tell
        self._pid = os.getpid()
        # Never released: nobody ends the process while another still tells of it.
        self._ending = threading.RLock()

    @property
    def _is_on(self) -> bool:
        return not self.over and os.getpid() == self._pid

    def exit(self, status: int) -> None:
        if not self._is_on:
            leave_as_decided(status)
        code: int = ExitCode.NOT_RUN
        try:
            leave_later(code)  # also where nobody reads what is told
            self._ending.acquire()
            code = self._tell(f"os._exit({status!r})")
            finish_streams()
        finally:
            leave(code)

    def replace(self, replace: Callable[..., Any], path: Any, *args: Any) -> Any:
        if not (self._is_on and (isinstance(path, int) or os.access(path, os.X_OK))):
            return replace(path, *args)  # which says what is wrong
        raise PermissionError(errno.EPERM, "the program in which agents are tested cannot be replaced", path)
