"""``holodeck report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holodeck_cli.option_order import OrderedCommand, asked_outputs

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(cls=OrderedCommand)
def report(
    ctx: typer.Context,
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="An id, 'last', 'last~1', or the path of a run folder.")
    ] = "last",
    run_dir: Annotated[
        Path | None,
        typer.Option("--run-dir", metavar="PATH", help="Where the runs are, if not in .holodeck/runs."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show all that is known of every turn.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only the summary.")] = False,
    stable: Annotated[
        bool,
        typer.Option("--stable", help="Leave ids, times and durations out, and show cases in file order."),
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Show no colours.")] = False,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write a report to a file; its format is that of the --format before it, else of its suffix.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The format of the -o behind it; without one, of standard output.",
        ),
    ] = None,
) -> int:
    """Show a run that is kept once more, or write it in any format.

    Nothing of the agent is loaded. A run that is going on shows what has finished by now. Exit codes: 0 done;
    2 there is no such run, or a report could not be written.
    """
    from holodeck_cli.render_run import render_run
    from holodeck_cli.reporters.terminal import TerminalOptions

    if verbose and quiet:
        raise typer.BadParameter("-v and -q exclude each other")
    options = TerminalOptions(verbosity=verbose - quiet, color=not no_color, timed=not stable)
    return render_run(run, run_dir, asked_outputs(ctx), options, stable=stable)
