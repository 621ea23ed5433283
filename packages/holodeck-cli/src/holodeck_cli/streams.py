"""Standard streams that cannot make the program fail: by their encoding, or by a reader that went away.

What the program itself says passes through here: it is safe for a terminal, gives no commands to a server that reads
along, and holds no secret that is known.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, TextIO

from holodeck_core.errors import HoloDeckError
from holodeck_core.text import sanitize_tool_output, without_commands

if TYPE_CHECKING:
    from holodeck_core.redaction import Redactor


def prepare_streams() -> None:
    """Characters that a stream cannot encode are replaced; a stream that is closed goes nowhere."""
    sys.stdout = _prepared(sys.stdout)
    sys.stderr = _prepared(sys.stderr)


def _prepared(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    return stream


def finish_streams() -> bool:
    """Write what is buffered; what cannot be written goes nowhere. False where that is an error, which is told: a
    reader that went away is none."""
    written = True
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            discard(stream)
        except OSError as error:
            discard(stream)
            if stream is sys.stdout:
                tell_error(f"error: {unwritable(error)}")
                written = False
        except (AttributeError, ValueError):  # what was tested has put it away or closed it
            continue
    return written


@contextmanager
def others_to_stderr() -> Iterator[None]:
    """What code of others writes meanwhile goes to standard error: prints, and what C code and child processes write to
    file descriptor 1."""
    with _as_stderr(sys.stdout), redirect_stdout(sys.stderr):
        yield


@contextmanager
def _as_stderr(stream: TextIO) -> Iterator[None]:
    """The file descriptor of the stream is that of standard error; one without any stays as it is."""
    try:
        stream.flush()
        descriptor, instead = stream.fileno(), sys.stderr.fileno()
    except (OSError, ValueError):
        yield
        return
    real = os.dup(descriptor)
    os.dup2(instead, descriptor)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            stream.flush()
        os.dup2(real, descriptor)
        os.close(real)


def discard(stream: TextIO) -> None:
    """Send what is still written to the stream nowhere, the flush at the end of the process included."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != descriptor:  # as it is where the descriptor was closed: it is the first that is free
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


_secrets: list[Redactor] = []


def hide(*secrets: Redactor) -> None:
    """What is told from now on has none of these secrets in it, beside those that were hidden before."""
    _secrets.extend(secrets)


def forget_secrets() -> None:
    """Another command line begins in this process."""
    _secrets.clear()


def tell(lines: Iterable[str] | str) -> None:
    """Write lines to standard output, safe for a terminal. Raises BrokenPipeError where nobody reads them any more, and
    HoloDeckError where they cannot be written."""
    try:
        _write(sys.stdout, lines)
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise unwritable(error) from None


def unwritable(error: OSError) -> HoloDeckError:
    """The error to raise, or to tell, of standard output that cannot be written."""
    return HoloDeckError(f"standard output cannot be written: {error.strerror or error}")


def tell_error(lines: Iterable[str] | str) -> None:
    """Write lines to standard error, safe for a terminal. What cannot be told changes nothing else."""
    try:
        _write(sys.stderr, lines)
    except OSError:
        discard(sys.stderr)


def _write(stream: TextIO | None, lines: Iterable[str] | str) -> None:
    if stream is None or getattr(stream, "closed", False):  # what was tested has put it away
        return
    stream.writelines(shown(line) + "\n" for line in ((lines,) if isinstance(lines, str) else lines))


def shown(text: str) -> str:
    """The text as it may be told."""
    for secrets in _secrets:
        text = secrets.redact_shown(text)
    return without_commands(sanitize_tool_output(text))
