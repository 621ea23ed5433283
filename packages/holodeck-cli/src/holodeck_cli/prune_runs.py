"""``holodeck runs prune``: removes runs and says so."""

from __future__ import annotations

from collections.abc import Iterable

from holodeck_cli.streams import tell, tell_error
from holodeck_core.engine.run_folder import RunFolder, is_live
from holodeck_core.errors import RunError
from holodeck_core.text import one_line


def prune_runs(runs: Iterable[RunFolder], *, dry_run: bool) -> int:
    """Remove the runs that are not going on, and say what becomes of each; returns how many could not be removed."""
    done = failures = 0
    for run in runs:
        name = one_line(run.path.name)
        if is_live(run.path):
            tell(f"{name} is still running and was not removed")
            continue
        try:
            if not dry_run:
                run.remove()
        except RunError as error:
            tell_error(f"error: {one_line(str(error))}")
            failures += 1
        else:
            done += 1
            tell(f"{'would remove' if dry_run else 'removed'} {name}")
    if not done:
        tell("nothing to remove" if dry_run else "nothing was removed")
    return failures
