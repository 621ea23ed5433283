"""An event loop for one run, which ends with it: what was tested may have left things in it that never end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from holodeck_core.api.faults import describe

T = TypeVar("T")

LEFT_OVER_S = 3.0
"""How long tasks that the run leaves behind may take to end, once cancelled."""


def run_in_own_loop(main: Coroutine[Any, Any, T], stopped: Callable[[str], object] | None = None) -> T:
    """What ``asyncio.run`` does, Ctrl-C included, but for its end: tasks that do not end when they are cancelled are
    left, and threads of the loop's executor are not waited for.

    ``main`` goes on where others stop the loop, or raise SystemExit in tasks and callbacks of their own, which asyncio
    lets out of the loop; ``stopped`` is told of that, or else the loop's exception handler, which logs it.
    """
    runner = asyncio.Runner()  # never closed: that waits for everything
    try:
        return _run_to_end(runner, main, stopped)
    finally:
        loop = runner.get_loop()
        try:
            _end_tasks(runner, stopped)
            _run_to_end(runner, _bounded(loop.shutdown_asyncgens()), stopped)
        finally:
            asyncio.set_event_loop(None)
            # Else tasks that are left would be told of.
            loop.set_exception_handler(lambda _loop, _context: None)
            loop.close()


def _run_to_end(
    runner: asyncio.Runner, main: Coroutine[Any, Any, T], stopped: Callable[[str], object] | None
) -> T:
    task = runner.get_loop().create_task(main)
    while True:
        try:
            return runner.run(_result_of(task))
        except (SystemExit, RuntimeError) as error:
            if task.done():  # in the very step in which others stopped the loop
                return task.result()
            if not _lets_go_on(error):
                raise
            if stopped is not None:
                stopped(_what_stopped(error, describe(error)))
            else:  # a log masks no secrets
                message = _what_stopped(error, type(error).__name__)
                runner.get_loop().call_exception_handler({"message": message})


def _lets_go_on(error: BaseException) -> bool:
    return isinstance(error, SystemExit) or str(error).startswith("Event loop stopped")


def _what_stopped(error: BaseException, what: str) -> str:
    if isinstance(error, SystemExit):
        return f"what was tested raised {what} in a task or callback of its own; the run went on"
    return "what was tested stopped the event loop; the run went on"


async def _result_of(task: asyncio.Task[T]) -> T:
    """Who cancels this, cancels the task."""
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
    return task.result()


def _end_tasks(runner: asyncio.Runner, stopped: Callable[[str], object] | None) -> None:
    """Cancel whatever still runs, and tell the loop's exception handler what came of it, as ``asyncio.run`` does."""
    loop = runner.get_loop()
    tasks = asyncio.all_tasks(loop)
    if not tasks:
        return
    for task in tasks:
        task.cancel()
    _, left = _run_to_end(runner, _ended(tasks), stopped)
    if left:
        threading.Thread(target=_keep, args=(left,), name="holodeck-left-over", daemon=True).start()
    for task in tasks:
        error = task.exception() if task.done() and not task.cancelled() else None
        if error is not None and not isinstance(error, SystemExit):  # which is told when it happens
            loop.call_exception_handler(
                {"message": "a task that the run left behind failed", "exception": error, "task": task}
            )


async def _ended(tasks: set[asyncio.Task[Any]]) -> tuple[set[asyncio.Task[Any]], set[asyncio.Task[Any]]]:
    return await asyncio.wait(tasks, timeout=LEFT_OVER_S)


def _keep(left: set[asyncio.Task[Any]]) -> None:
    """Hold tasks that do not end for as long as the process lives, its last moments included.

    A coroutine that nobody holds is told to end, and one that refuses that as it refused to be cancelled would go round
    for ever in the thread that let go of it.
    """
    threading.Event().wait()


async def _bounded(closing: Coroutine[Any, Any, None]) -> None:
    await asyncio.wait({asyncio.ensure_future(closing)}, timeout=LEFT_OVER_S)
