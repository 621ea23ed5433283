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
from holodeck_core.engine.run import Run, Select
from holodeck_core.engine.run_folder import RunFolder
from holodeck_core.errors import RunError
from holodeck_core.models.test_result import TestReport


def run_suite(
    suite: Suite,
    *,
    reporters: Sequence[Reporter] = (),
    run_dir: str | os.PathLike[str] | None = None,
    select: Select | None = None,
    fail_fast: bool = False,
) -> Run:
    """A run of the suite, which starts when it is awaited or iterated.

    ``reporters`` are told what happens as it happens; ``select`` picks the cases to run. With ``run_dir`` the run is
    kept in a folder of its own below it, as it happens; without, its results go with it. ``fail_fast`` starts no case
    after the first that did not pass. Nothing that an agent or a plugin does raises here: it is in the report.
    """
    runs = None if run_dir is None else Path(run_dir).absolute()  # an agent may change the working directory
    return Run(suite, reporters, select, run_dir=runs, fail_fast=fail_fast)


def resume_suite(
    suite: Suite,
    folder: str | os.PathLike[str],
    *,
    reporters: Sequence[Reporter] = (),
    select: Select | None = None,
    allow_changes: bool = False,
    fail_fast: bool = False,
) -> Run:
    """Go on with the run that is kept in ``folder``: only cases that it has no result of, or that have changed, run.

    Raises RunError where ``folder`` holds no run, or one of an agent or of plugins that have changed since, unless
    ``allow_changes``.
    """
    resumed = RunFolder.open(Path(folder).absolute())
    changes = [] if allow_changes else what_changed(resumed.head, suite)
    if changes:
        raise RunError(f"the run {resumed.path.name} cannot be resumed: {'; '.join(changes)}")
    return Run(suite, reporters, select, resumed=resumed, fail_fast=fail_fast)


def run_suite_sync(
    suite: Suite,
    *,
    reporters: Sequence[Reporter] = (),
    run_dir: str | os.PathLike[str] | None = None,
    select: Select | None = None,
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
            suite, reporters=reporters, run_dir=run_dir, select=select, fail_fast=fail_fast
        )

    return run_in_own_loop(run())
