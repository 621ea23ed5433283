"""The cases of a run, side by side up to the limit: what starts when, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

import attrs

from holodeck_core.api.events import CaseStarted, RepeatFinished, TurnFinished
from holodeck_core.api.suite import BoundCase, Suite
from holodeck_core.engine.case import TurnDone, run_case
from holodeck_core.engine.case_events import case_finished
from holodeck_core.engine.feed import Feed
from holodeck_core.engine.outcomes import CaseOutcome, TurnOutcome
from holodeck_core.engine.repeats import Plan, RepeatOptions
from holodeck_core.engine.reporting import Reporters
from holodeck_core.engine.results import Results
from holodeck_core.engine.send import Limits
from holodeck_core.engine.workers import passes_through
from holodeck_core.errors import RunError

Select: TypeAlias = Callable[[BoundCase], bool]


@attrs.frozen(kw_only=True)
class Scope:
    """What of a suite is run: the cases that ``select`` picks, repeated as ``repeats`` says. With ``fail_fast`` no case
    starts after the first that did not pass."""

    select: Select | None = None
    repeats: RepeatOptions = attrs.field(factory=RepeatOptions)
    fail_fast: bool = False


WHOLE: Final = Scope()


class Due:
    """One conversation that is to be held. ``plan`` is None, and ``repeat`` 0, for a case that is not repeated."""

    __slots__ = ("case", "plan", "position", "repeat")

    def __init__(self, position: int, case: BoundCase, plan: Plan | None, repeat: int) -> None:
        self.position = position
        self.case = case
        self.plan = plan
        self.repeat = repeat


class Scheduler:
    """Holds the conversations of one run. Cases start in file order, the repeats of one before the next case."""

    def __init__(self, suite: Suite, scope: Scope, reporters: Reporters) -> None:
        self._suite = suite
        self._scope = scope
        self._reporters = reporters
        self._tasks: list[asyncio.Task[None]] = []
        self._grace: asyncio.TimerHandle | None = None
        self._stopping = False
        self._failed_fast = False
        self._started = -1
        """The highest position that was started."""

    def total(self) -> int:
        """The number of cases that are run."""
        return len(self._suite.cases) if self._scope.select is None else sum(1 for _ in self._selected())

    def parallel(self, total: int) -> int:
        """How many conversations are held side by side, at most, of ``total`` cases."""
        limit = max(1, self._suite.parallel)
        if total >= limit:  # as many cases need not be read to know
            return limit
        plans = map(self._scope.repeats.plan, islice(self._selected(), limit))
        return max(1, min(limit, sum(1 if plan is None else plan.repeat for plan in plans)))

    async def run(self, results: Results, limits: Limits, parallel: int) -> None:
        """Run what is missing in ``results``. What is raised is not the fault of a case; RunError where user code has
        cancelled what it does not know."""
        in_memory = isinstance(self._suite.cases, Sequence)
        feed = Feed(self._selected(), 0 if in_memory else parallel)
        due = self._due(feed, results)
        self._tasks = [asyncio.create_task(self._work(due, feed, limits, results)) for _ in range(parallel)]
        try:
            # The first that raises, or a cancellation from outside, ends the others before it passes on.
            await asyncio.gather(*self._tasks)
        except asyncio.CancelledError as error:
            if passes_through(error):
                raise
            if not self._stopping:
                raise RunError("what was tested cancelled the run") from None
        finally:
            self._cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def stop(self, grace_s: float) -> None:
        """Start nothing more, and cancel in ``grace_s`` seconds what is under way then."""
        if self._grace is None:
            self._stopping = True
            self._grace = asyncio.get_running_loop().call_later(grace_s, self._cancel)

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _selected(self) -> Iterator[BoundCase]:
        cases = self._suite.cases
        return iter(cases) if self._scope.select is None else filter(self._scope.select, cases)

    def _due(self, feed: Feed, results: Results) -> Iterator[Due | None]:
        """What is to be run, in its order, as far as it is known when it is asked for; None for each case whose result
        is taken over."""
        for position, case in feed:
            if self._stopping or self._failed_fast:
                return
            plan = self._scope.repeats.plan(case)
            earlier = results.take_over(position, case, plan)
            if earlier is not None:
                if self._reporters.cases:
                    self._reporters.tell(case_finished(position, case, earlier, results, taken_over=True))
                yield None
            elif plan is None:
                yield Due(position, case, None, 0)
            else:
                for repeat in range(plan.repeat):
                    if position in results or self._stopping:
                        break
                    if results.is_due(position, repeat):
                        yield Due(position, case, plan, repeat)

    async def _work(
        self, all_due: Iterator[Due | None], feed: Feed, limits: Limits, results: Results
    ) -> None:
        """Take what is due until there is no more."""
        for due in all_due:
            if due is None:
                # Results taken over in a row do not keep the loop from timers and signals.
                await asyncio.sleep(0)
                continue
            if due.position > self._started:
                self._started = due.position
                if self._reporters.starts:
                    case = due.case
                    self._reporters.tell(
                        CaseStarted(index=case.index, name=case.label, turns=len(case.turns))
                    )
            feed.read_ahead_soon()
            turn_done = self._turn_teller(due) if self._reporters.turns else None
            outcome = await run_case(due.case, self._suite, limits, turn_done)
            self._keep(due, outcome, results)

    def _keep(self, due: Due, outcome: CaseOutcome, results: Results) -> None:
        position, case, plan = due.position, due.case, due.plan
        if plan is None:
            record = results.keep(position, case, outcome)
        elif not results.is_due(position, due.repeat):
            return  # the case is over since
        else:
            over = results.keep_repeat(position, case, plan, due.repeat, outcome)
            if self._reporters.repeats:
                self._reporters.tell(
                    RepeatFinished(
                        index=case.index,
                        name=case.label,
                        repeat=due.repeat,
                        planned=plan.repeat,
                        status=outcome.status,
                        duration_ms=sum(turn.duration_ms for turn in outcome.turns),
                    )
                )
            if over is None:
                return
            record = over
        if self._reporters.cases:
            self._reporters.tell(case_finished(position, case, record, results))
        if self._scope.fail_fast and record["status"] != "passed":
            self._failed_fast = True

    def _turn_teller(self, due: Due) -> TurnDone:
        def tell(index: int, outcome: TurnOutcome) -> None:
            self._reporters.tell(
                TurnFinished(
                    index=due.case.index,
                    name=due.case.label,
                    turn_index=index,
                    status=outcome.status,
                    duration_ms=outcome.duration_ms,
                    repeat=due.repeat,
                )
            )

        return tell
