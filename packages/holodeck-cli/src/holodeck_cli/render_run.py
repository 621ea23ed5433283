"""``holodeck report``: the events of a run that is kept, told to reporters once more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from holodeck_cli.environment import hide_environment
from holodeck_cli.exit_codes import ExitCode
from holodeck_cli.find_runs import find_run, runs_folder
from holodeck_cli.make_reports import keep_files, make_reports
from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.outputs import Output
from holodeck_cli.reporters.terminal import TerminalOptions, TerminalReporter
from holodeck_cli.streams import tell, tell_error
from holodeck_core.engine.reporting import Reporters
from holodeck_core.engine.stored import StoredRun
from holodeck_core.errors import RunError
from holodeck_core.text import one_line


def render_run(
    word: str, run_dir: Path | None, outputs: Sequence[Output], options: TerminalOptions, *, stable: bool
) -> ExitCode:
    """Write the reports that are asked for, or show the run where none is. What is ``stable`` holds no ids, times and
    durations.

    Raises UsageMistake where there is no such run, and PluginError for a format that is not available.
    """
    run = find_run(word, runs_folder(run_dir))
    if run.head.agent_file is not None:
        keep_files(outputs, Path(run.head.agent_file))
    terminal = None if outputs else TerminalReporter(options)
    reporters = Reporters(make_reports(outputs) if terminal is None else [terminal], stable=stable)
    try:
        stored = StoredRun(run)
        for event in stored.events():
            reporters.tell(event)
    except RunError as error:
        raise UsageMistake(str(error)) from None
    finally:
        if terminal is not None:
            terminal.end()
    if damage := stored.damage:
        tell_error(f"warning: {one_line(damage)}")
    if reporters.errors:
        hide_environment()
    for trouble in reporters.errors:
        tell_error(f"error: a report could not be written: {one_line(trouble)}")
    if reporters.errors:
        return ExitCode.USAGE
    # Standard output is a report's where it holds one.
    told = tell_error if any(output.path is None for output in outputs) else tell
    told(f"wrote {output.path}" for output in outputs if output.path is not None)
    return ExitCode.OK
