"""``holodeck runs``."""

from __future__ import annotations

from typing import Annotated

import typer

from holodeck_cli.shared_options import StoredRuns

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def runs() -> None:
    """List stored runs, and remove old ones."""


@app.command("list")
def list_kept(
    run_dir: StoredRuns = None,
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> int:
    """List the stored runs and the results of their cases, the one last started or resumed first."""
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.find_runs import runs_folder, shown
    from holodeck_cli.kept_runs import run_data, run_table
    from holodeck_cli.streams import tell, tell_error
    from holodeck_core.engine.run_folder import list_runs, unreadable_runs
    from holodeck_core.text import one_line

    folder = runs_folder(run_dir)
    found = [run_data(run) for run in reversed(list_runs(folder))]
    if json:
        from holodeck_cli.json_text import json_text

        tell(json_text({"runs": found}))
    else:
        tell(run_table(found) if found else f"no runs in {shown(folder)}")
    tell_error(f"warning: {one_line(why)}" for why in unreadable_runs(folder))
    return ExitCode.OK


@app.command()
def prune(
    keep: Annotated[
        int | None, typer.Option("--keep", min=0, metavar="N", help="Keep the N latest runs.")
    ] = None,
    older_than: Annotated[
        int | None,
        typer.Option(
            "--older-than",
            min=0,
            max=36500,
            metavar="DAYS",
            help="Remove only runs that were last started or resumed more than DAYS days ago.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Only say what would be removed.")] = False,
    run_dir: StoredRuns = None,
) -> int:
    """Remove old runs, and say which. A run that is still going on is left alone.

    With both options, only runs that are not among the N latest and are older than DAYS days are removed. A run counts
    from when it was last started or resumed. Exit codes: 0 done; 2 neither option is given; 3 a run could not be
    removed.
    """
    from datetime import UTC, datetime, timedelta

    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.find_runs import runs_folder
    from holodeck_cli.kept_runs import old_runs
    from holodeck_cli.mistakes import UsageMistake
    from holodeck_cli.prune_runs import prune_runs
    from holodeck_core.engine.run_folder import list_runs

    if keep is None and older_than is None:
        raise UsageMistake("say which runs are old, with --keep N or --older-than DAYS")
    age = None if older_than is None else timedelta(days=older_than)
    found = list_runs(runs_folder(run_dir))
    failures = prune_runs(old_runs(found, keep, age, datetime.now(UTC)), dry_run=dry_run)
    return ExitCode.NOT_RUN if failures else ExitCode.OK
