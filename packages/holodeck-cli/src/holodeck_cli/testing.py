"""The command line in this process, for tests: ``cli("test", "agent.yaml").exit_code``."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from holodeck_cli.main import main


class CliResult(NamedTuple):
    """What a command line ended with and wrote; see ``ExitCode`` for what the codes mean."""

    exit_code: int
    stdout: str
    stderr: str


def cli(
    *args: str,
    folder: str | os.PathLike[str] | None = None,
    environ: Mapping[str, str] | None = None,
    stdin: str = "",
) -> CliResult:
    """Run ``holodeck`` with these arguments, without a terminal.

    ``folder`` is the working directory meanwhile, by default the one that there is; ``environ`` is added to the
    environment, and ``stdin`` is what can be read. All of this belongs to the whole process: no other thread may depend
    on it, and what writes to the file descriptors themselves (child processes, C code) is not caught.
    """
    out, err = _stream(), _stream()
    with _place(folder), _environment(environ or {}), _streams(out, err, stdin):
        try:
            code = main(args)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return CliResult(int(code), _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    raw: Any = stream.buffer
    return str(raw.getvalue().decode("utf-8"))


@contextmanager
def _place(folder: str | os.PathLike[str] | None) -> Iterator[None]:
    before, imported_from = Path.cwd(), list(sys.path)
    try:
        if folder is not None:
            os.chdir(folder)
        yield
    finally:
        os.chdir(before)
        sys.path[:] = imported_from


@contextmanager
def _environment(added: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _streams(out: io.TextIOWrapper, err: io.TextIOWrapper, stdin: str) -> Iterator[None]:
    streams: Any = sys
    names = ("stdin", "stdout", "stderr", "__stdout__", "__stderr__")
    before = {name: getattr(streams, name) for name in names}
    typed = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape")), encoding="utf-8")
    now = {"stdin": typed, "stdout": out, "stderr": err, "__stdout__": out, "__stderr__": err}
    try:
        for name, stream in now.items():
            setattr(streams, name, stream)
        yield
    finally:
        for name, stream in before.items():
            setattr(streams, name, stream)
