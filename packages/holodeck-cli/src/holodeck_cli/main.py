"""The console script ``holodeck``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from holodeck_cli import __version__
from holodeck_cli.exit_codes import ExitCode
from holodeck_cli.streams import discard, finish_streams, prepare_streams, tell, tell_error
from holodeck_core.errors import HoloDeckError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (see ``ExitCode``).

    Shell completion, and commands of plugins that call ``sys.exit``, end with SystemExit.
    """
    code: int = _run(list(sys.argv[1:] if argv is None else argv))
    if argv is None and "holodeck_cli.ending" in sys.modules:
        from holodeck_cli.ending import end_in_time

        end_in_time(code)
    return code


def _run(args: list[str]) -> int:
    prepare_streams()
    try:
        code = _code_of(args)
    finally:
        written = finish_streams()
    return code if written else code or ExitCode.NOT_RUN


def _code_of(args: list[str]) -> int:
    try:
        if args == ["--version"]:
            tell(f"holodeck {__version__}")
            return ExitCode.OK
        from holodeck_cli.app import execute

        return execute(args)
    except BrokenPipeError:  # of `--version`: `execute` tells of its own
        discard(sys.stdout)
        return ExitCode.OK
    except HoloDeckError as error:
        tell_error(f"error: {error}")
        return ExitCode.NOT_RUN
    except KeyboardInterrupt:
        tell_error("interrupted")
        return ExitCode.INTERRUPTED
