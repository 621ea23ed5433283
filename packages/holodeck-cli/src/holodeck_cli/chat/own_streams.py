"""Standard streams that are the chat's own: what others do to the process's streams leaves them alone."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO


class OwnStreams:
    """``out`` and ``err`` lead to where standard output and standard error led when this was made."""

    def __init__(self) -> None:
        self.out = _own(sys.stdout)
        self.err = _own(sys.stderr)

    def close(self) -> None:
        """Let go of them."""
        for own, standard in ((self.out, sys.stdout), (self.err, sys.stderr)):
            if own is not standard:
                with suppress(OSError):  # nobody reads it any more
                    own.close()


def _own(stream: TextIO) -> TextIO:
    try:
        descriptor = os.dup(stream.fileno())
    except (OSError, ValueError):  # something in a program has taken the place of the stream
        return stream
    return open(descriptor, "w", encoding=stream.encoding, errors=stream.errors)
