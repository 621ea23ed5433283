"""Hands the events of a run to its reporters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from holodeck_core.api.events import (
    CaseFinished,
    CaseStarted,
    RepeatFinished,
    RunEvent,
    RunFinished,
    RunStarted,
    TurnFinished,
)
from holodeck_core.api.faults import describe
from holodeck_core.api.reporter import Reporter
from holodeck_core.engine.stable import StableEvents
from holodeck_core.engine.workers import Workers, passes_through
from holodeck_core.redaction import NO_SECRETS, Redactor

_METHODS: dict[type[Any], str] = {
    RunStarted: "run_started",
    CaseStarted: "case_started",
    TurnFinished: "turn_finished",
    RepeatFinished: "repeat_finished",
    CaseFinished: "case_finished",
    RunFinished: "run_finished",
}


class Reporters:
    """The reporters of one run. One that raises gets no more events; ``errors`` says which and why.

    With ``stable`` they are told what is the same in every run (see ``StableEvents``). What they are told, and what is
    told of them, has nothing of ``secrets`` in it.
    """

    def __init__(
        self, reporters: Sequence[Reporter], secrets: Redactor = NO_SECRETS, *, stable: bool = False
    ) -> None:
        self._stable = StableEvents() if stable else None
        self.errors: list[str] = []
        self._secrets = secrets
        self._listeners: dict[type[Any], list[Reporter]] = {event: [] for event in _METHODS}
        self.add(*reporters)

    def add(self, *reporters: Reporter) -> None:
        """Further reporters, which are told what happens from now on. Raises TypeError for what is none."""
        for reporter in reporters:
            _check_reporter(reporter)
        for event, method in _METHODS.items():
            self._listeners[event] += [reporter for reporter in reporters if _overrides(reporter, method)]
        stable = self._stable is not None
        self.turns = bool(self._listeners[TurnFinished]) and not stable
        self.repeats = bool(self._listeners[RepeatFinished]) and not stable
        self.starts = bool(self._listeners[CaseStarted]) or stable
        self.cases = bool(self._listeners[CaseFinished]) or stable

    def tell(self, event: RunEvent) -> None:
        """Tell every reporter that listens to events of this kind."""
        for told in (event,) if self._stable is None else self._stable.of(event):
            self._tell(told)

    async def tell_finished(self, event: RunFinished, workers: Workers) -> None:
        """Tell the end, one reporter after the other, in a worker thread: writing a report may take a while."""
        for told in (event,) if self._stable is None else self._stable.of(event):
            if isinstance(told, RunFinished):
                await self._finish(told, workers)
            else:
                self._tell(told)

    def _tell(self, event: RunEvent) -> None:
        kind = type(event)
        if self._secrets:
            event = _without_secrets(event, self._secrets)
        for reporter in list(self._listeners[kind]):
            try:
                getattr(reporter, _METHODS[kind])(event)
            except BaseException as error:  # boundary: a reporter may raise anything
                if passes_through(error):
                    raise
                self._drop(reporter, error)

    async def _finish(self, event: RunFinished, workers: Workers) -> None:
        for reporter in list(self._listeners[RunFinished]):
            finish: Callable[[], None] = lambda reporter=reporter: reporter.run_finished(event)  # type: ignore[misc] # noqa: E731
            try:
                await workers.call(finish, key=type(reporter).__qualname__)
            except Exception as error:  # noqa: BLE001 - boundary: what a reporter raises costs its report
                self._drop(reporter, error)

    def _drop(self, reporter: Reporter, error: BaseException) -> None:
        output = getattr(reporter, "output", None)  # a subclass may not have called its base
        where = f" ({output})" if output is not None else ""
        told = f"{type(reporter).__name__}{where}: {describe(error)}"
        self.errors.append(self._secrets.redact_shown(told))
        for listeners in self._listeners.values():
            if reporter in listeners:
                listeners.remove(reporter)


def _without_secrets(event: RunEvent, secrets: Redactor) -> RunEvent:
    """The event with its name redacted. What else it tells is made of what is kept."""
    if isinstance(event, CaseStarted | TurnFinished | RepeatFinished | CaseFinished):
        name = secrets.redact_shown(event.name)
        return event if name == event.name else attrs.evolve(event, name=name)
    return event


def _check_reporter(reporter: object) -> None:
    if isinstance(reporter, Reporter):
        return
    if isinstance(reporter, type):
        raise TypeError(f"{reporter.__name__} is a class: a reporter is an object, made with its options")
    raise TypeError(f"a reporter is an instance of a subclass of Reporter, got {type(reporter).__name__}")


def _overrides(reporter: Reporter, method: str) -> bool:
    return getattr(type(reporter), method) is not getattr(Reporter, method)
