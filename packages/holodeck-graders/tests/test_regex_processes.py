"""The processes that match regular expressions: none is left behind, and a lost one is replaced."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import Matcher
from holodeck_graders.regex import guard

HOSTILE = ("(a|aa)+", ["a" * 60 + "b"])


@pytest.fixture(autouse=True)
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fresh = guard._Pool()
    monkeypatch.setattr(guard, "_pool", fresh)
    yield
    fresh.close()


def _processes() -> list[tuple[int, int, bool]]:
    """The number of each process and of its parent, and whether it still runs: not every system has ``ps``."""
    if Path("/proc/self/stat").exists():
        rows = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it has ended since
                state, parent = path.read_text(errors="replace").rpartition(")")[2].split()[:2]
                rows.append((int(path.parent.name), int(parent), state != "Z"))
        return rows
    listing = subprocess.run(
        ["ps", "-eo", "pid,ppid,stat"], capture_output=True, text=True, check=True
    ).stdout
    fields = [line.split() for line in listing.splitlines()[1:]]
    return [(int(pid), int(parent), not state.startswith("Z")) for pid, parent, state in fields]


def _children(of: int) -> set[int]:
    return {pid for pid, parent, runs in _processes() if parent == of and runs}


def _zombies(of: int) -> int:
    return sum(parent == of and not runs for _, parent, runs in _processes())


def _until(condition: Callable[[], bool], seconds: float = 5) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def _program() -> int:
    assert guard._pool._program is not None
    return guard._pool._program.pid


def test_nothing_is_started_before_it_is_needed(build: Callable[[Any], Matcher]) -> None:
    assert build({"regex": "(a|aa)+"}).mismatch("aa") is None
    assert guard._pool._program is None


def test_a_worker_is_used_again() -> None:
    for _ in range(5):
        assert guard.fullmatch_any("a+", ["aaa"])
    assert len(_children(_program())) == 1


def test_a_worker_whose_second_is_over_is_gone_and_leaves_no_zombie() -> None:
    with pytest.raises(guard.MatchTimeout):
        guard.fullmatch_any(*HOSTILE)
    assert _until(lambda: not _children(_program()))
    assert _zombies(_program()) == 0


@pytest.mark.parametrize("which", ["worker", "program"])
def test_a_process_that_was_ended_from_outside_is_replaced(which: str) -> None:
    assert guard.fullmatch_any("a+", ["aaa"])
    [worker] = _children(_program())
    for victim in [worker] if which == "worker" else [_program(), worker]:
        os.kill(victim, signal.SIGKILL)
    time.sleep(0.1)
    assert guard.fullmatch_any("a+", ["aaa"])
    assert not guard.fullmatch_any("a+", ["b"])


def test_only_a_few_workers_are_kept() -> None:
    threads = [threading.Thread(target=guard.fullmatch_any, args=("(.*)*x?", ["y" * 15])) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _until(lambda: len(_children(_program())) <= 4)


def test_closing_ends_everything() -> None:
    assert guard.fullmatch_any("a+", ["aaa"])
    program = _program()
    workers = _children(program)
    guard._pool.close()
    assert _until(lambda: not any(os.path.exists(f"/proc/{pid}/exe") for pid in workers))
    with pytest.raises(ProcessLookupError):
        os.kill(program, 0)


def test_a_copy_of_this_process_uses_none_of_its_workers() -> None:
    assert guard.fullmatch_any("a+", ["aaa"])
    program = _program()
    copy = os.fork()
    if copy == 0:
        good = guard.fullmatch_any("a+", ["aaa"]) and _program() != program
        guard._pool.close()
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0
    assert guard.fullmatch_any("a+", ["aaa"])
    assert _program() == program


@pytest.mark.parametrize("end", ["return", "kill"])
def test_all_processes_end_with_the_one_that_needed_them(end: str) -> None:
    script = f"""
        import threading, time
        from holodeck_graders.regex import guard
        guard.fullmatch_any("a+", ["aaa"])
        threading.Thread(target=guard.fullmatch_any, args={HOSTILE!r}, daemon=True).start()
        time.sleep(0.3)
        print(guard._pool._program.pid, flush=True)
        {"" if end == "return" else "time.sleep(30)"}
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as user:
        assert user.stdout is not None
        assert user.stderr is not None
        program = int(user.stdout.readline())
        workers = _children(program)
        if end == "kill":
            user.kill()
        _, errors = user.communicate()
    assert errors == ""
    assert workers or end == "return"
    assert _until(lambda: not _running({program, *workers}))


def _running(pids: set[int]) -> set[int]:
    return pids & {pid for pid, _, runs in _processes() if runs}
