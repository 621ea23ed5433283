"""``holodeck test``: load, run, report, and the verdict of it all."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

import attrs

from holodeck_cli.exit_codes import ExitCode, exit_code_of
from holodeck_cli.interrupt import Interrupt
from holodeck_cli.loading import load, tell_warnings
from holodeck_cli.outputs import Output, why_not_writable
from holodeck_cli.reporters.terminal import TerminalOptions, TerminalReporter
from holodeck_cli.select_cases import has_tag, name_test
from holodeck_cli.streams import tell_error
from holodeck_core import BoundCase, Reporter, Run, Suite, run_suite
from holodeck_core.engine.run import STOP_GRACE_S
from holodeck_core.errors import BrokenPlugin
from holodeck_core.plugins.host import PluginHost
from holodeck_core.text import one_line


@attrs.frozen(kw_only=True)
class RunRequest:
    """What a command line asks for.

    ``settings`` are fields of the execution settings. ``verbosity`` is -1, 0 or 1. ``name`` is the expression
    of ``-k``; of ``tags`` a case has to have one.
    """

    agent: Path
    settings: Mapping[str, object]
    env_file: Path | None = None
    name: str | None = None
    tags: tuple[str, ...] = ()
    verbosity: int = 0
    color: bool = True
    outputs: tuple[Output, ...] = ()


_STOPPING = f"stopping: cases under way have {STOP_GRACE_S:g} s; Ctrl-C again ends at once"


class UsageMistake(Exception):
    """The command line asks for what cannot be done; nothing was started."""


def run_tests(request: RunRequest) -> ExitCode:
    """Run the cases and write the reports. Mistakes in the command line are found before anything is sent.

    Raises ConfigError for mistakes in the agent file, and PluginError for a report format that cannot be had.
    """
    try:
        select = _select(request)
        reports = _reports(request.outputs)
    except UsageMistake as mistake:
        tell_error(f"Error: {mistake}")
        return ExitCode.USAGE
    to_stdout = any(output.path is None for output in request.outputs)
    # Standard output is the report's: what an agent or a module prints must not stand in it.
    with redirect_stdout(sys.stderr) if to_stdout else nullcontext():
        return _load_and_run(request, select, reports, to_stdout)


def _load_and_run(
    request: RunRequest, select: Callable[[BoundCase], bool] | None, reports: list[Reporter], to_stdout: bool
) -> ExitCode:
    suite = load(request.agent, request.settings, request.env_file)
    tell_warnings(suite)
    if why := _nothing_to_run(suite, select, request):
        tell_error(why)
        return ExitCode.NOT_RUN
    options = TerminalOptions(verbosity=request.verbosity, color=request.color, stderr=to_stdout)
    terminal = TerminalReporter(options)
    run = run_suite(suite, reporters=[terminal, *reports], select=select)
    interrupt = Interrupt(
        told=lambda: terminal.tell(_STOPPING),
        at_once=terminal.end,
        ending=lambda: terminal.run_over,
    )
    try:
        asyncio.run(_to_the_end(run, interrupt))
    finally:
        terminal.end()
    for note in run.notes:
        tell_error(f"warning: {one_line(note)}")
    for error in run.reporter_errors:
        tell_error(f"error: a report could not be written: {one_line(error)}")
    summary = run.summary
    return exit_code_of(
        total=summary.total_tests,
        failed=summary.failed,
        errored=summary.errored,
        signal=interrupt.signal,
        unwritten=len(run.reporter_errors),
    )


async def _to_the_end(run: Run, interrupt: Interrupt) -> None:
    with interrupt.stops(run.stop):
        await run.wait()


def _select(request: RunRequest) -> Callable[[BoundCase], bool] | None:
    if request.name is None and not request.tags:
        return None
    try:
        named = None if request.name is None else name_test(request.name)
    except ValueError as error:
        raise UsageMistake(f"-k {error}") from None

    def selected(case: BoundCase) -> bool:
        return (named is None or named(case.label)) and (not request.tags or has_tag(case.tags, request.tags))

    return selected


def _reports(outputs: tuple[Output, ...]) -> list[Reporter]:
    host = PluginHost()
    return [_report(host, output) for output in outputs]


def _report(host: PluginHost, output: Output) -> Reporter:
    if output.format == "terminal":
        raise UsageMistake("--format terminal: that is shown in any case")
    if output.path is not None and (why := why_not_writable(output.path)):
        raise UsageMistake(f"-o {output.path}: {why}")
    made = host.reporter(output.format, Reporter).object
    try:
        # Absolute, since an agent may change the working directory while the run goes on.
        reporter: Reporter = made(made.Options(), output.path and output.path.absolute())
    except Exception as error:
        raise BrokenPlugin(
            f"the reporter '{output.format}' cannot be made: {type(error).__name__}: {error}"
        ) from error
    return reporter


def _nothing_to_run(
    suite: Suite, select: Callable[[BoundCase], bool] | None, request: RunRequest
) -> str | None:
    total = len(suite.cases)
    if total == 0:
        return f"no test cases in {request.agent}"
    if select is None or any(select(case) for case in suite.cases):
        return None
    asked = [] if request.name is None else [f"-k {request.name!r}"]
    asked += [f"--tag {tag!r}" for tag in request.tags]
    return f"no test cases: {' '.join(asked)} selects none of {total}"
