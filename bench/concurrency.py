"""What a run adds to the time of many slow conversations, against the same calls without HoloDeck, in one run.

    python bench/concurrency.py [--cases 1000] [--delay-ms 50] [--parallel 100]

Every case has four turns, each answered after the delay. The ideal is one task a case under a semaphore with the same
limit, which sends the same messages to the same agent and looks at nothing. Printed is the time that passes for both,
and the ratio: on an idle core, and by the clock on the wall, which other programs hold up. The time on an idle core is
this process's CPU time and all the waiting of the event loop, which is added up and not waited for. Loading is not part
of it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import selectors
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from suites import write_suite

from holodeck_core import Reply, ToolCall, UserMessage, load_suite, run_suite

TURNS = 4

AGENT = """\
import concurrency


async def create():
    return concurrency.SlowAdder()
"""


class SlowAdder:
    """The agent of both: answers after ``delay`` seconds."""

    delay = 0.05

    async def send(self, message: UserMessage) -> Reply:
        await asyncio.sleep(self.delay)
        a, b = map(int, message.text.split(" + "))
        return Reply(str(a + b), [ToolCall("add", {"a": a, "b": b}, a + b)])


async def ideal(cases: int, parallel: int) -> None:
    """The same messages, at the same limit."""
    limit = asyncio.Semaphore(parallel)

    async def hold(a: int) -> None:
        async with limit:
            agent = SlowAdder()
            for b in range(TURNS):
                await agent.send(UserMessage(f"{a} + {b}"))

    await asyncio.gather(*[hold(a) for a in range(cases)])


class Unwaiting(selectors.DefaultSelector):
    """Adds up how long the loop would wait, and does not wait."""

    waited = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing here waits for anything but time")
        events = super().select(0)
        if not events:
            self.waited += max(timeout, 0.0)
        return events


class IdleCoreLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is the CPU time of the process, and its own waiting."""

    def __init__(self) -> None:
        self._unwaiting = Unwaiting()
        super().__init__(self._unwaiting)

    def time(self) -> float:
        return time.process_time() + self._unwaiting.waited


Factory = Callable[[], asyncio.AbstractEventLoop]


def seconds(run: Callable[[], Awaitable[None]], loop: Factory) -> float:
    """How long it takes by the time of the loop."""

    async def measure() -> float:
        clock = asyncio.get_running_loop()
        before = clock.time()
        await run()
        return clock.time() - before

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(measure())


CLOCKS: dict[str, Factory] = {"idle core": IdleCoreLoop, "wall clock": asyncio.new_event_loop}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--parallel", type=int, default=100)
    options = parser.parse_args()
    cases, parallel = options.cases, options.parallel
    with tempfile.TemporaryDirectory() as name:
        suite = load_suite(write_suite(Path(name), cases, TURNS, agent=AGENT, parallel=parallel))

        async def engine() -> None:
            run = run_suite(suite)
            await run.wait()
            if run.summary.passed != cases:
                raise SystemExit(f"not every case passed: {run.summary}")

        gc.freeze()  # as `holodeck test` does when the suite is loaded

        import concurrency  # as the agent's module sees it: this file itself is __main__

        concurrency.SlowAdder.delay = SlowAdder.delay = options.delay_ms / 1000
        print(f"{cases} cases of {TURNS} turns, {options.delay_ms:g} ms each, {parallel} side by side")
        for clock, loop in CLOCKS.items():
            best = seconds(lambda: ideal(cases, parallel), loop)
            found = seconds(engine, loop)
            print(f"{clock}: ideal {best:6.3f} s, the engine {found:6.3f} s, {found / best:5.3f} x the ideal")


if __name__ == "__main__":
    main()
