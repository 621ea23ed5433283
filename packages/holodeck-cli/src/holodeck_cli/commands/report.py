"""``holodeck report``."""

from __future__ import annotations

from typing import Annotated

import typer

from holodeck_cli.option_order import OrderedCommand, asked_outputs
from holodeck_cli.shared_options import Formats, NoColor, Outputs, Quiet, Stable, StoredRuns, Verbose

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(cls=OrderedCommand)
def report(
    ctx: typer.Context,
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="An id, 'last', 'last~1', or the path of a run folder.")
    ] = "last",
    run_dir: StoredRuns = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    stable: Stable = False,
    no_color: NoColor = False,
    output: Outputs = None,
    format: Formats = None,  # noqa: A002 - the option's name
) -> int:
    """Show a stored run again, or write it in any format.

    The agent is not loaded. Of a run that is still going on, what has finished so far is shown. Exit codes: 0 done;
    2 there is no such run, or a report could not be written.
    """
    from holodeck_cli.render_run import render_run
    from holodeck_cli.reporters.terminal import TerminalOptions

    if verbose and quiet:
        raise typer.BadParameter("-v and -q exclude each other")
    options = TerminalOptions(verbosity=verbose - quiet, color=not no_color, timed=not stable)
    return render_run(run, run_dir, asked_outputs(ctx), options, stable=stable)
