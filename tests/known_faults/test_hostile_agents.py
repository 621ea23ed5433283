"""What agents raise and report that made more of a run fail than the turn it happened in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
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


FORKING = """
import asyncio, os

class Agent:
    KEYWORD send(self, message):
        child = os.fork()
        if child == 0:
            WHAT
        return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("keyword", ["def", "async def"])
@pytest.mark.parametrize(
    ("what", "code"),
    [
        pytest.param("return 'of the copy'", "0", id="returns"),
        pytest.param("raise ValueError('of the copy')", "1", id="raises"),
        pytest.param("raise SystemExit", "0", id="ends"),
        pytest.param("raise SystemExit('of the copy')", "1", id="ends with a message"),
        pytest.param("raise SystemExit(7)", "7", id="ends with a code"),
        pytest.param("os._exit(3)", "3", id="ends at once"),
    ],
)
def test_a_copy_of_the_process_does_not_go_on_with_the_run(
    write: Callable[..., Path],
    holodeck: Callable[..., Any],
    what: str,
    code: str,
    keyword: str,
    tmp_path: Path,
) -> None:
    cases = [{"input": "q", "ground_truth": code}] * 2
    agent = {
        "model": {"provider": "python", "agent": "forking:Agent"},
        "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
        "test_cases": cases,
    }
    write(agent, forking=FORKING.replace("KEYWORD", keyword).replace("WHAT", what))
    done = holodeck("test", "-q")
    assert (done.returncode, done.stdout[:20]) == (0, "2 passed, 0 failed i")
    [journal] = tmp_path.glob(".holodeck/runs/*/results.jsonl")
    assert len(journal.read_bytes().splitlines()) == 2
