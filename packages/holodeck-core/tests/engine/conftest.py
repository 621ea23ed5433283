"""Suites built in code: real backends, matchers and metrics, written out in a test."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import (
    Agent,
    Backend,
    BoundCase,
    BoundMetric,
    BoundTurn,
    CaseRef,
    Metric,
    NoOptions,
    Reply,
    ReplyEvent,
    Score,
    Session,
    Suite,
    TurnView,
    UserMessage,
)


class TalkSession(Session):
    """A session that answers with a function of the message, and remembers that it was closed."""

    def __init__(self, backend: TalkBackend, case: CaseRef | None) -> None:
        self.backend = backend
        self.case = case

    def stream(self, message: UserMessage) -> AsyncIterator[ReplyEvent]:
        raise AssertionError("the engine collects through send")

    async def send(self, message: UserMessage) -> Reply:
        answer = self.backend.talk(message.text)
        if inspect.isawaitable(answer):
            answer = await answer
        return Reply(answer) if isinstance(answer, str) else answer

    async def close(self) -> None:
        self.backend.closed.append(self.case)


class TalkBackend(Backend):
    """Opens sessions that answer with ``talk(text)``: a text, a Reply, or an awaitable of one."""

    Options = NoOptions

    def __init__(self, talk: Callable[[str], Any]) -> None:
        super().__init__(NoOptions(), Path())
        self.talk = talk
        self.opened: list[CaseRef | None] = []
        self.closed: list[CaseRef | None] = []

    async def open(self, agent: Agent, case: CaseRef | None = None) -> Session:
        self.opened.append(case)
        return TalkSession(self, case)


class Judge(Metric):
    """A metric that is a function of the turn."""

    Options = NoOptions
    blocking = False

    def __init__(
        self, judge: Callable[[TurnView], Any], blocking: bool = False, timeout_s: float | None = None
    ) -> None:
        super().__init__(NoOptions())
        self.judge = judge
        self.blocking = blocking
        self.timeout_s = timeout_s

    def score(self, turn: TurnView) -> Any:
        return self.judge(turn)


def says(turn: TurnView) -> Score:
    """Whether the reply is the ground truth."""
    same = turn.agent_response == turn.ground_truth
    return Score(
        float(same), same, None if same else f"expected {turn.ground_truth}, got {turn.agent_response}"
    )


@pytest.fixture
def metric() -> Callable[..., BoundMetric]:
    """Makes a bound metric of a function of the turn."""

    def make(judge: Callable[[TurnView], Any] = says, name: str = "says", **keys: Any) -> BoundMetric:
        rules = {key: keys.pop(key) for key in ("threshold", "fail_on_error") if key in keys}
        return BoundMetric(name=name, kind="standard", metric=Judge(judge, **keys), **rules)

    return make


@pytest.fixture
def turn() -> Callable[..., BoundTurn]:
    """Makes a bound turn of its input and keys."""

    def make(text: str = "hello", **keys: Any) -> BoundTurn:
        return BoundTurn(message=UserMessage(text), **keys)

    return make


@pytest.fixture
def suite_of() -> Callable[..., Suite]:
    """Makes a suite of a function that answers, and the turns of each case."""

    def make(
        talk: Callable[[str], Any], *cases: Sequence[BoundTurn], backend: Backend | None = None, **keys: Any
    ) -> Suite:
        case_keys = {key: keys.pop(key) for key in ("on_turn_failure", "multi_turn") if key in keys}
        return Suite(
            agent=Agent.model_validate({"name": "agent", "model": {"provider": "talk"}}),
            backend=backend or TalkBackend(talk),
            cases=[
                BoundCase(index=index, turns=tuple(turns), **case_keys) for index, turns in enumerate(cases)
            ],
            **keys,
        )

    return make
