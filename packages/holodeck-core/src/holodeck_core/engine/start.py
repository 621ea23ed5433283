"""The two ways to start a run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from holodeck_core.api.reporter import Reporter
from holodeck_core.api.suite import Suite
from holodeck_core.engine.run import Run, Select
from holodeck_core.errors import RunError
from holodeck_core.models.test_result import TestReport


def run_suite(suite: Suite, *, reporters: Sequence[Reporter] = (), select: Select | None = None) -> Run:
    """A run of the suite, which starts when it is awaited or iterated.

    ``reporters`` are told what happens as it happens; ``select`` picks the cases to run. Nothing that an agent or a
    plugin does raises here: it is in the report.
    """
    return Run(suite, reporters, select)


def run_suite_sync(
    suite: Suite, *, reporters: Sequence[Reporter] = (), select: Select | None = None
) -> TestReport:
    """Run the suite to its end, from code without a running event loop, and return the report.

    Raises RunError where a loop is running (a notebook has one): ``await run_suite(suite)`` there.
    """
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        raise RunError("an event loop is running: use `await run_suite(suite)` instead of run_suite_sync")

    async def run() -> TestReport:
        return await run_suite(suite, reporters=reporters, select=select)

    return asyncio.run(run())
