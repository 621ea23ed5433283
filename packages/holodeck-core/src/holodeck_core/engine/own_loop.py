"""An event loop for one run, which ends with it: what was tested may have left things in it that never end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

LEFT_OVER_S = 3.0
"""How long tasks that the run leaves behind may take to end, once cancelled."""


def run_in_own_loop(main: Coroutine[Any, Any, T]) -> T:
    """What ``asyncio.run`` does, Ctrl-C included, but for its end: tasks that do not end when they are cancelled are
    left, and threads of the loop's executor are not waited for."""
    runner = asyncio.Runner()  # never closed: that waits for everything
    try:
        return runner.run(main)
    finally:
        loop = runner.get_loop()
        try:
            _end_tasks(loop)
            loop.run_until_complete(_bounded(loop.shutdown_asyncgens()))
        finally:
            asyncio.set_event_loop(None)
            loop.set_exception_handler(
                lambda _loop, _context: None
            )  # else tasks that are left would be told of
            loop.close()


def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel whatever still runs, and tell the loop's exception handler what came of it, as ``asyncio.run`` does."""
    tasks = asyncio.all_tasks(loop)
    if not tasks:
        return
    for task in tasks:
        task.cancel()
    _, left = loop.run_until_complete(asyncio.wait(tasks, timeout=LEFT_OVER_S))
    if left:
        threading.Thread(target=_keep, args=(left,), name="holodeck-left-over", daemon=True).start()
    for task in tasks:
        if task.done() and not task.cancelled() and (error := task.exception()) is not None:
            loop.call_exception_handler(
                {"message": "a task that the run left behind failed", "exception": error, "task": task}
            )


def _keep(left: set[asyncio.Task[Any]]) -> None:
    """Hold tasks that do not end for as long as the process lives, its last moments included.

    A coroutine that nobody holds is told to end, and one that refuses that as it refused to be cancelled would go round
    for ever in the thread that let go of it.
    """
    threading.Event().wait()


async def _bounded(closing: Coroutine[Any, Any, None]) -> None:
    await asyncio.wait({asyncio.ensure_future(closing)}, timeout=LEFT_OVER_S)
