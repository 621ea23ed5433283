"""Write a file so that whoever looks sees the old one or the new one, whole."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write in the same folder, which takes the place of ``path`` when the block ends without an
    error.

    Links are followed, and the permissions of an existing file stay. What is no regular file, such as a pipe
    or ``/dev/null``, is written to directly. Raises OSError for whatever cannot be done.
    """
    if path.exists() and not path.is_file():  # what a pipe without a name resolves to is no path
        with path.open("wb") as direct:
            yield direct
        return
    target = path.resolve()
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
