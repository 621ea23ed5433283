"""What agents raise and report that made more of a run fail than the turn it happened in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from holodeck_core import TestReport

Run: TypeAlias = Callable[..., TestReport]

RAISING = """
import math, sys
from holodeck_core import RateLimited, Reply, SessionLost, ToolCall, TransientError

class Bare(TransientError):
    def __init__(self):
        pass

class Unasked(RateLimited):
    @property
    def retry_after(self):
        raise RuntimeError("no")
    @retry_after.setter
    def retry_after(self, value):
        pass

class Mute(Exception):
    def __init__(self, fault):
        self.fault = fault
    def __str__(self):
        raise self.fault
    __repr__ = __str__

class MuteLoss(SessionLost):
    def __str__(self):
        raise ValueError("no")

class MuteValue:
    def __str__(self):
        raise SystemExit("no")
    __repr__ = __str__
    __format__ = None

def deep(self):
    return deep(self)

class Deep(Exception):
    __str__ = __repr__ = deep

def digits(limit, reply):
    sys.set_int_max_str_digits(limit)
    return reply

class Agent:
    def __init__(self, what, kind):
        self.what = what
        self.sent = 0

    KIND

    def answer(self, message):
        self.sent += 1
        if self.sent != 2:
            return "ok"
        made = eval(self.what)
        if isinstance(made, BaseException):
            raise made
        return made
"""

SYNC = "def send(self, message):\n        return self.answer(message)"
ASYNC = "async def send(self, message):\n        return self.answer(message)"

# (what the second of three turns raises or replies, its status, whether it is sent again)
HOSTILE: list[tuple[str, str, bool]] = [
    ("RateLimited('slow down', retry_after='0')", "passed", True),
    ("RateLimited('slow down', retry_after='Wed, 21 Oct 2015 07:28:00 GMT')", "passed", True),
    ("TransientError('busy', retry_after=0)", "passed", True),
    ("TransientError('busy', retry_after='600')", "error", False),
    ("RateLimited('slow down', retry_after=10**400)", "error", False),
    ("RateLimited('slow down', retry_after=math.inf)", "error", False),
    ("Mute(ValueError('no'))", "error", False),
    ("Mute(SystemExit('no'))", "error", False),
    ("Mute(RecursionError('no'))", "error", False),
    ("Deep()", "error", False),
    ("Reply('x', [ToolCall(MuteValue(), {})])", "error", False),
    ("Reply('x', [ToolCall('call', MuteValue())])", "error", False),
    ("Reply('x', [ToolCall('call', {'a': MuteValue()}, MuteValue(), error=MuteValue())])", "passed", False),
    ("digits(0, Reply('x', [ToolCall('call', {'a': 10 ** 100_000}, duration_ms=10 ** 5000)]))", "passed", False),
    ("digits(0, Reply('x', usage={'prompt_tokens': 10 ** 5000}))", "error", False),
    ("digits(4300, Reply('x', usage={'prompt_tokens': 10 ** 5000}))", "error", False),
    ("digits(640, Reply('x', [ToolCall('call', {'a': 10 ** 1000})]))", "passed", False),
    ("digits(640, 10 ** 5000)", "error", False),
]  # fmt: skip
SLOW = [
    "RateLimited('slow down', retry_after='soon')",
    "RateLimited('slow down', retry_after=math.nan)",
    "RateLimited('slow down', retry_after=-3)",
    "RateLimited('slow down', retry_after=True)",
    "RateLimited('slow down', retry_after=[2])",
    "Unasked('slow down')",
    "Bare()",
]


@pytest.fixture
def hold(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], TestReport]:
    """Two cases of three turns; the second turn of the first is hostile."""
    monkeypatch.setattr("holodeck_core.engine.pace.FIRST_WAIT_S", 0.01)

    def hold(what: str, kind: str) -> TestReport:
        agent: dict[str, Any] = {
            "model": {"provider": "python", "agent": "raising:Agent", "what": what, "kind": kind},
            "test_cases": [{"turns": [{"input": f"{turn}", "expected_tools": []} for turn in range(3)]}],
        }
        agent["test_cases"][0]["turns"][1].pop("expected_tools")
        return run(agent, raising=RAISING.replace("KIND", ASYNC if kind == "async" else SYNC))

    return hold


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(("what", "status", "again"), [*HOSTILE, *((what, "passed", True) for what in SLOW)])
def test_a_hostile_turn_costs_itself_only(
    hold: Callable[[str, str], TestReport], what: str, status: str, again: bool, kind: str
) -> None:
    before = sys.get_int_max_str_digits()
    try:
        [result] = hold(what, kind).results
    finally:
        sys.set_int_max_str_digits(before)
    assert result.turns is not None
    assert [turn.status for turn in result.turns] == ["passed", status, "passed"], result.errors
    assert (result.turns[1].retry_count > 0) is again
    assert result.turns[1].model_dump_json()
