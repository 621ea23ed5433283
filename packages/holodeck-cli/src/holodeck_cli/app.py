"""The application: from a command line to an exit code, whatever happens in between."""

from __future__ import annotations

import os
import sys
import traceback
from io import StringIO
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from holodeck_cli import __version__
from holodeck_cli.exit_codes import ExitCode
from holodeck_cli.group import LazyGroup
from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.problems import count_line, problem_lines
from holodeck_cli.streams import discard, forget_secrets, tell, tell_error
from holodeck_core.errors import ConfigError, HoloDeckError, UnknownName
from holodeck_core.text import one_line

PROGRAM = "holodeck"

_app = typer.Typer(
    name=PROGRAM,
    cls=LazyGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        tell(f"{PROGRAM} {__version__}")
        raise typer.Exit


@_app.callback()
def _holodeck(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
) -> None:
    """Test conversational agents: each test case is one conversation, and every turn of it is checked."""


def execute(args: list[str]) -> int:
    """Run a command line; returns its exit code. What goes wrong is told on standard error."""
    forget_secrets()
    debug = "--debug" in args
    command: Any = typer.main.get_command(_app)
    if f"_{PROGRAM.upper()}_COMPLETE" in os.environ:
        command.main(args, prog_name=PROGRAM)
    try:
        with command.make_context(PROGRAM, args) as context:
            return int(command.invoke(context))
    except typer.Exit as end:
        return int(end.exit_code)
    except TyperException as error:
        tell_error(_usage_text(error))
        return ExitCode.USAGE
    except UsageMistake as mistake:
        tell_error(f"Error: {mistake}".splitlines())
        return ExitCode.USAGE
    except typer.Abort:
        tell_error("aborted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        discard(sys.stdout)
        return ExitCode.OK
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - boundary: the process ends here, with a line and a code
        from holodeck_cli.environment import hide_environment

        hide_environment()  # what failed may not have come so far as to say what its secrets are
        if debug and not isinstance(error, ConfigError | UnknownName):
            tell_error(traceback.format_exc())
        return _tell_failure(error)


def _tell_failure(error: BaseException) -> ExitCode:
    match error:
        case ConfigError():
            for problem in error.problems:
                tell_error(problem_lines(problem))
            tell_error(count_line(error.problems))
            return ExitCode.USAGE
        case UnknownName():
            tell_error(f"error: {one_line(str(error))}")
            return ExitCode.USAGE
        case HoloDeckError():
            tell_error(f"error: {one_line(str(error))}")
            return ExitCode.NOT_RUN
        case _:
            message = one_line(f"{type(error).__name__}: {error}")
            tell_error(f"internal error: {message} (run with --debug for the traceback)")
            return ExitCode.NOT_RUN


def _usage_text(error: TyperException) -> str:
    """The usage line, a hint and the message; the help page where a command is called without arguments."""
    show: Any = getattr(error, "show", None)
    if show is None:
        return f"Error: {error.format_message()}"
    text = StringIO()
    show(file=text)
    return text.getvalue().rstrip("\n")
