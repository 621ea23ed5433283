"""Runs that are kept: where they are, and which one is meant."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from holodeck_cli.mistakes import UsageMistake
from holodeck_core.engine.describe_run import path_text
from holodeck_core.engine.run_folder import RunFolder, is_live, list_runs
from holodeck_core.engine.stored import StoredRun
from holodeck_core.errors import RunError

_LAST = re.compile(r"last(?:~(\d{1,9}))?")


def runs_folder(run_dir: Path | None, agent: Path = Path("agent.yaml")) -> Path:
    """Where runs are kept: in ``run_dir``, else beside the agent file."""
    return (agent.parent / ".holodeck" / "runs" if run_dir is None else run_dir).absolute()


def runs_of(agent: Path, runs: Path) -> list[RunFolder]:
    """The runs of an agent file, the latest last."""
    file = path_text(agent.resolve())
    return [run for run in list_runs(runs) if run.head.agent_file == file]


def find_run(word: str, runs: Path, agent: Path | None = None) -> RunFolder:
    """The run that is meant by its id, by ``last`` or ``last~1``, or by the path of its folder.

    ``last`` looks at the runs of ``agent``, or at all. Raises UsageMistake where there is none.
    """
    if last := _LAST.fullmatch(word):
        found = list_runs(runs) if agent is None else runs_of(agent, runs)
        return _from_the_end(found, int(last[1] or 0), word, runs, agent)
    inside = runs / word
    # Absolute, since an agent may change the working directory while the run goes on.
    path = inside if os.sep not in word and inside.is_dir() else Path(word).absolute()
    if not path.is_dir():
        raise UsageMistake(
            f"there is no run {word!r} in {shown(runs)}, and no such folder; "
            "'holodeck runs list' shows the runs that there are"
        )
    try:
        return RunFolder.open(path)
    except RunError as error:
        raise UsageMistake(str(error)) from None


def latest_incomplete(runs: Path, agent: Path) -> RunFolder:
    """The latest run of an agent file that did not come to its end, or of which results are gone. Raises UsageMistake
    where there is none."""
    for run in reversed(runs_of(agent, runs)):
        if not (run.head.complete and _is_whole(run)):
            return run
    raise UsageMistake(
        f"{shown(runs)} holds no run of {agent} that is incomplete; without --resume all cases are run"
    )


def latest_with_results(runs: Path, agent: Path) -> StoredRun:
    """The latest run of an agent file that is not going on and has results. Raises UsageMistake where there is none."""
    for run in reversed(runs_of(agent, runs)):
        if not is_live(run.path) and len(stored := StoredRun(run)):
            return stored
    raise UsageMistake(f"{shown(runs)} holds no run of {agent} that has results")


def _is_whole(run: RunFolder) -> bool:
    try:
        return StoredRun(run).complete
    except RunError:  # nobody could go on with it
        return True


def shown(path: Path) -> str:
    """The path as people read it: from the working directory where it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def _from_the_end(
    found: Sequence[RunFolder], back: int, word: str, runs: Path, agent: Path | None
) -> RunFolder:
    if back < len(found):
        return found[-1 - back]
    whose = "" if agent is None else f" of {agent}"
    count = f"{len(found) or 'no'} run{'' if len(found) == 1 else 's'}"
    raise UsageMistake(f"there is no {word}: {shown(runs)} holds {count}{whose}")
