"""The ways to start a run."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from holodeck_core.api.reporter import Reporter
from holodeck_core.api.suite import Suite
from holodeck_core.engine.describe_run import what_changed
from holodeck_core.engine.own_loop import run_in_own_loop
from holodeck_core.engine.repeats import RepeatOptions
from holodeck_core.engine.run import Run
from holodeck_core.engine.run_folder import RunFolder
from holodeck_core.engine.scheduler import Scope, Select
from holodeck_core.errors import RunError
from holodeck_core.models.test_result import TestReport


def run_suite(
    suite: Suite,
    *,
    reporters: Sequence[Reporter] = (),
    run_dir: str | os.PathLike[str] | None = None,
    select: Select | None = None,
    repeat: int | None = None,
    all_repeats: bool = False,
    fail_fast: bool = False,
) -> Run:
    """A run of the suite, which starts when it is awaited or iterated.

    ``reporters`` are told what happens as it happens; ``select`` picks the cases to run. With ``run_dir`` the run is
    kept in a folder of its own below it, as it happens; without, its results go with it. ``repeat`` is how often each
    case is run, None as often as it says itself; with ``all_repeats`` also where its verdict stands before.
    ``fail_fast`` starts no case after the first that did not pass. Nothing that an agent or a plugin does raises here:
    it is in the report. Raises ValueError for a ``repeat`` under 1, TypeError for what is no suite, no
    reporter or no ``select``.
    """
    _check_suite(suite)
    _check_select(select)
    runs = None if run_dir is None else Path(run_dir).absolute()  # an agent may change the working directory
    scope = Scope(select=select, repeats=RepeatOptions(repeat, all_repeats), fail_fast=fail_fast)
    return Run(suite, reporters, scope, run_dir=runs)


def resume_suite(
    suite: Suite,
    folder: str | os.PathLike[str],
    *,
    reporters: Sequence[Reporter] = (),
    select: Select | None = None,
    allow_changes: bool = False,
    fail_fast: bool = False,
) -> Run:
    """Continue the run that is stored in ``folder``: run only the cases that have no result yet or have changed, and
    the missing repeats of repeated cases. The number of repeats is that with which the run was started.

    Raises RunError where ``folder`` holds no run, or one of an agent or of plugins that have changed since, unless
    ``allow_changes``.
    """
    _check_suite(suite)
    _check_select(select)
    resumed = RunFolder.open(Path(folder).absolute())
    changes = [] if allow_changes else what_changed(resumed.head, suite)
    if changes:
        raise RunError(f"the run {resumed.path.name} cannot be resumed: {'; '.join(changes)}")
    return Run(suite, reporters, Scope(select=select, fail_fast=fail_fast), resumed=resumed)


def run_suite_sync(
    suite: Suite,
    *,
    reporters: Sequence[Reporter] = (),
    run_dir: str | os.PathLike[str] | None = None,
    select: Select | None = None,
    repeat: int | None = None,
    all_repeats: bool = False,
    fail_fast: bool = False,
) -> TestReport:
    """Run the suite to its end, from code without a running event loop, and return the report.

    Raises RunError where a loop is running (a notebook has one): ``await run_suite(suite)`` there.
    """
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        raise RunError("an event loop is running: use `await run_suite(suite)` instead of run_suite_sync")

    async def run() -> TestReport:
        return await run_suite(
            suite,
            reporters=reporters,
            run_dir=run_dir,
            select=select,
            repeat=repeat,
            all_repeats=all_repeats,
            fail_fast=fail_fast,
        )

    return run_in_own_loop(run())


def _check_select(select: object) -> None:
    if select is not None and not callable(select):
        raise TypeError(f"`select` is a function from a case to a bool, got {type(select).__name__}")


def _check_suite(suite: object) -> None:
    if not isinstance(suite, Suite):
        made = "load_suite(path) makes one of an agent file, build_suite(cases, agent=…) of objects"
        raise TypeError(f"a run needs a Suite, got {type(suite).__name__}: {made}")
