"""``holodeck test``: load, run, report, and the verdict of it all."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import attrs

from holodeck_cli.early_end import guarded, tell_loading_ended
from holodeck_cli.environment import hide_environment
from holodeck_cli.exit_codes import ExitCode, exit_code_of
from holodeck_cli.find_runs import latest_with_results, runs_folder
from holodeck_cli.interrupt import Interrupt
from holodeck_cli.loading import load, tell_warnings
from holodeck_cli.make_reports import keep_files, make_reports
from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.outputs import Output
from holodeck_cli.report_stdout import ReportStdout
from holodeck_cli.reporters.terminal import TerminalOptions, TerminalReporter
from holodeck_cli.resume import find_resumed, go_on_line, refuse_changes, resumed_line
from holodeck_cli.selection import CaseTest, case_test, selects_none
from holodeck_cli.streams import tell_error
from holodeck_core import Reporter, Run, RunError, Suite
from holodeck_core.api.faults import describe
from holodeck_core.engine.own_loop import run_in_own_loop
from holodeck_core.engine.repeats import RepeatOptions
from holodeck_core.engine.run import STOP_GRACE_S
from holodeck_core.engine.run_folder import RunFolder
from holodeck_core.engine.scheduler import Scope
from holodeck_core.models import Selection
from holodeck_core.text import one_line


@attrs.frozen(kw_only=True)
class RunRequest:
    """What a command line asks for.

    ``settings`` are fields of the execution settings. ``verbosity`` is -1, 0 or 1. ``name`` is the expression
    of ``-k``; of ``tags`` a case has to have one. ``run_dir`` is where runs are kept, None beside the agent file;
    ``resume`` is the word for the run to go on with, empty for the latest incomplete one, None for a new run. What is
    ``stable`` holds no ids, times and durations.
    """

    agent: Path
    settings: Mapping[str, object]
    env_file: Path | None = None
    name: str | None = None
    tags: tuple[str, ...] = ()
    last_failed: bool = False
    repeats: RepeatOptions = attrs.field(factory=RepeatOptions)
    fail_fast: bool = False
    run_dir: Path | None = None
    resume: str | None = None
    allow_changes: bool = False
    verbosity: int = 0
    color: bool = True
    stable: bool = False
    outputs: tuple[Output, ...] = ()


_STOPPING = f"stopping: cases under way have {STOP_GRACE_S:g} s; Ctrl-C again ends at once"


def run_tests(request: RunRequest) -> ExitCode:
    """Run the cases and write the reports. Mistakes in the command line are found before anything is sent.

    Raises UsageMistake for those, ConfigError for mistakes in the agent file, and PluginError for a report format
    that is not available.
    """
    runs = runs_folder(request.run_dir, request.agent)
    resumed = find_resumed(request.resume, runs, request.agent)
    if resumed is None:
        cases = _Cases.of(_selection(request, runs), runs)
    else:
        cases = _Cases.of(resumed.head.selection, resumed.path.absolute().parent)
    reports = make_reports(request.outputs)
    to_stdout = any(output.path is None for output in request.outputs)
    options = TerminalOptions(
        verbosity=request.verbosity, color=request.color, stderr=to_stdout, timed=not request.stable
    )
    early_end = _EarlyEnd(request, TerminalReporter(options))
    with guarded(early_end.tell):
        if not to_stdout:
            return _load_and_run(request, runs, resumed, cases, early_end, reports)
        with closing(ReportStdout()) as stdout:
            return _load_and_run(request, runs, resumed, cases, early_end, [stdout, *reports])


@attrs.frozen
class _Cases:
    """Which cases run, as it is written down, and as a test of each; both are None for all."""

    selection: Selection | None
    select: CaseTest | None

    @classmethod
    def of(cls, selection: Selection | None, runs: Path) -> _Cases:
        return cls(selection, case_test(selection, runs))

    def why_none(self, suite: Suite, agent: Path) -> str | None:
        """Why no case runs; None where one does."""
        total = len(suite.cases)
        if total == 0:
            return f"no test cases in {agent}"
        if self.selection is None or self.select is None or any(map(self.select, suite.cases)):
            return None
        return selects_none(self.selection, suite.cases)


class _EarlyEnd:
    """What there is to say where what was tested ends the process: of ``run``, once there is one."""

    def __init__(self, request: RunRequest, terminal: TerminalReporter) -> None:
        self.terminal = terminal
        self.run: Run | None = None
        self.interrupt: Interrupt | None = None
        self._request = request

    def tell(self, what: str) -> int:
        """Say that ``what`` was called, and how to go on; returns the exit code."""
        self.terminal.end()
        if self.run is None:
            return tell_loading_ended(what)
        tell_error(f"error: what was tested called {what}: the run ends here, without reports")
        self.tell_how_to_go_on()
        signal = None if self.interrupt is None else self.interrupt.signal
        return ExitCode.NOT_RUN if signal is None else ExitCode(128 + signal)

    def tell_how_to_go_on(self) -> None:
        """Say it where the run is kept and not complete."""
        run = self.run
        if run is not None and run.folder is not None and not run.complete:
            request = self._request
            how = go_on_line(request.agent, run.folder.path, stable=request.stable)
            self.terminal.tell(how, whole=True)


def _load_and_run(
    request: RunRequest,
    runs: Path,
    resumed: RunFolder | None,
    cases: _Cases,
    early_end: _EarlyEnd,
    reports: list[Reporter],
) -> ExitCode:
    terminal = early_end.terminal
    suite = load(request.agent, request.settings, request.env_file)
    tell_warnings(suite)
    if why := cases.why_none(suite, request.agent):
        tell_error(why)
        return ExitCode.NOT_RUN
    if request.outputs:
        keep_files(request.outputs, request.agent, next(iter(suite.cases)).source)
    if resumed is not None and not request.allow_changes:
        refuse_changes(resumed, suite)
    run = _kept_run(request, suite, [terminal, *reports], cases, resumed, runs)
    gc.freeze()  # what is loaded stays to the end: the collector need not go through it again and again
    interrupt = Interrupt(
        told=lambda: terminal.tell(_STOPPING),
        at_once=terminal.end,
        ending=lambda: terminal.run_over,
    )
    early_end.run, early_end.interrupt = run, interrupt
    loop_troubles: dict[str, None] = {}
    try:
        ended = _why_ended(run, interrupt, loop_troubles.setdefault)
    except KeyboardInterrupt:  # raised by what was tested, or Ctrl-C as the run begins or ends
        early_end.tell_how_to_go_on()
        raise
    finally:
        terminal.end()
    if ended is not None:
        tell_error(f"error: {one_line(ended)}")
    if resumed is not None:
        terminal.tell(resumed_line(run, stable=request.stable))
    early_end.tell_how_to_go_on()
    for note in (*loop_troubles, *run.notes):
        tell_error(f"warning: {one_line(note)}")
    if run.reporter_errors:
        hide_environment()
    for error in run.reporter_errors:
        tell_error(f"error: a report could not be written: {one_line(error)}")
    summary = run.summary
    left_out_on_purpose = request.fail_fast and summary.failed > 0
    return exit_code_of(
        total=summary.total_tests,
        failed=summary.failed,
        errored=summary.errored,
        signal=interrupt.signal,
        unwritten=len(run.reporter_errors),
        broken_off=ended is not None or not (run.complete or left_out_on_purpose),
    )


def _why_ended(run: Run, interrupt: Interrupt, loop_stopped: Callable[[str], object]) -> str | None:
    """Carry the run out. Returns what ended it, if that was neither its last case nor a signal; ``loop_stopped`` is
    told what stopped the event loop and did not end it."""
    try:
        run_in_own_loop(_to_the_end(run, interrupt), loop_stopped)
    except RunError as error:
        return str(error)
    except asyncio.CancelledError:
        return "what was tested cancelled every task, those of the run too"
    except (SystemExit, GeneratorExit) as error:
        return f"what was tested ended the program: {describe(error)}"
    return None


async def _to_the_end(run: Run, interrupt: Interrupt) -> None:
    with interrupt.stops(run.stop):
        await run.wait()


def _selection(request: RunRequest, runs: Path) -> Selection | None:
    if request.name is None and not request.tags and not request.last_failed:
        return None
    before = latest_with_results(runs, request.agent).folder if request.last_failed else None
    return Selection(
        name=request.name,
        tags=list(request.tags),
        last_failed=None if before is None else before.path.name,
    )


def _kept_run(
    request: RunRequest,
    suite: Suite,
    reporters: Sequence[Reporter],
    cases: _Cases,
    resumed: RunFolder | None,
    runs: Path,
) -> Run:
    """The run, with its folder; a new one that cannot be kept beside the agent file is not kept, and that is told."""
    scope = Scope(select=cases.select, repeats=request.repeats, fail_fast=request.fail_fast)
    run = Run(
        suite,
        reporters,
        scope,
        run_dir=runs if resumed is None else None,
        resumed=resumed,
        selection=cases.selection,
        stable=request.stable,
    )
    try:
        run.claim_folder()
    except RunError as error:
        if resumed is not None or request.run_dir is not None:
            raise UsageMistake(str(error)) from None
        tell_error(
            f"note: this run is not stored: {one_line(str(error))}; use --run-dir to choose another folder"
        )
        return Run(suite, reporters, scope, stable=request.stable)
    return run
