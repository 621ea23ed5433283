"""``holodeck test --resume``: which run goes on, what speaks against it, and what is said of it."""

from __future__ import annotations

import shlex
from pathlib import Path

from holodeck_cli.find_runs import find_run, latest_incomplete, shown
from holodeck_cli.mistakes import UsageMistake
from holodeck_core import Run, Suite
from holodeck_core.engine.describe_run import what_changed
from holodeck_core.engine.run_folder import RunFolder


def find_resumed(word: str | None, runs: Path, agent: Path) -> RunFolder | None:
    """The run that is meant; the empty word is the latest incomplete run of the agent file, None is none."""
    if word is None:
        return None
    return find_run(word, runs, agent) if word else latest_incomplete(runs, agent)


def refuse_changes(resumed: RunFolder, suite: Suite) -> None:
    """Raises UsageMistake where old and new results would not be of the same agent: says why, and how to go on."""
    changes = what_changed(resumed.head, suite)
    if changes:
        listed = "".join(f"\n    {change}" for change in changes)
        raise UsageMistake(
            f"the run {resumed.head.run_id} cannot be resumed, since its results would not all be of the same agent:"
            f"{listed}\n"
            "Run all cases again without --resume, or resume with --allow-changes, which keeps the earlier results."
        )


def resumed_line(run: Run, *, stable: bool) -> str:
    """``resumed 20250102-…: 12 taken over, 1 changed, 3 new, 2 left out``; what was left out is known at the end.

    One that is ``stable`` does without the id.
    """
    counts = [
        f"{count} {what}"
        for what, count in run.taken_over.items()
        if what == "taken over" or (count and (what != "left out" or run.complete))
    ]
    return f"resumed{'' if stable else f' {run.id}'}: {', '.join(counts)}"


def go_on_line(agent: Path, folder: Path, *, stable: bool) -> str:
    """How to go on with a run that is not complete; where it is to be ``stable``, while it is the latest one."""
    command = ["holodeck", "test", str(agent)]
    if stable:
        command += ["--resume", "--run-dir", shown(folder.parent)]
    else:
        command += ["--resume", shown(folder)]
    return f"resume: {shlex.join(command)}"
