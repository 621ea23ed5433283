"""Matches that may take long: in a process of their own, which ends when a second is over.

``re`` cannot be interrupted from another thread of its process, so that only another process keeps a match
from holding up everything else. One small program (``child.py``) is started when the first such match is
asked for. It forks a worker for each match that is going on at the same time, up to ``MAX_WORKERS`` (a
further one waits for its turn), and a few of them are kept for the next ones. The program is not a copy of
this process, gets none of the signals that a terminal sends to it, and ends with it; its workers do too,
those in a match when their second is over.

The one state of this module is that pool of workers. It holds nothing of any run.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from holodeck_graders.regex import child
from holodeck_graders.regex.child import MATCH_SECONDS

MAX_WORKERS: Final = 64
_KEPT: Final = 4
# How long an answer may take, the start of the processes on a busy machine included.
_PATIENCE_S: Final = 30.0


class MatchTimeout(Exception):
    """The match was ended because it took longer than ``MATCH_SECONDS``."""


class MatchFailed(Exception):
    """The match ended without an answer: it needed too much memory, or its process was ended from outside."""


def fullmatch_any(pattern: str, texts: Sequence[str]) -> bool:
    """Whether the whole of one of the texts matches. The second is for all of them together, from when they
    are looked at.

    Raises MatchTimeout, MatchFailed, and OSError where no process can be started.
    """
    return _pool.match(_request(pattern, texts))


def _request(pattern: str, texts: Sequence[str]) -> bytes:
    parts = [text.encode("utf-8", "surrogatepass") for text in (pattern, *texts)]
    framed = [piece for part in parts for piece in (len(part).to_bytes(8), part)]
    return b"".join([len(parts).to_bytes(8), *framed])


class _Pool:
    """The program, and sockets to those of its workers that have nothing to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(MAX_WORKERS)
        self._idle: list[socket.socket] = []
        self._program: subprocess.Popen[bytes] | None = None
        self._source: socket.socket | None = None

    def match(self, request: bytes) -> bool:
        with self._slots:
            started = time.monotonic()
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            answer = self._ask(worker, request) if worker is not None else b""
            if answer == b"" and time.monotonic() - started < MATCH_SECONDS / 2:
                # There was no worker, or it had been ended from outside while it had nothing to do.
                started = time.monotonic()
                answer = self._ask(self._worker(), request)
        if answer == b"" and time.monotonic() - started >= MATCH_SECONDS * 0.99:
            raise MatchTimeout
        if answer not in (child.MATCH, child.NO_MATCH):
            raise MatchFailed
        return answer == child.MATCH

    def _ask(self, worker: socket.socket, request: bytes) -> bytes:
        """The worker's answer; no bytes where it has ended."""
        answer = b""
        try:
            worker.sendall(request)
            answer = worker.recv(1)
        except ConnectionError:
            pass
        finally:
            with self._lock:
                keep = answer in (child.MATCH, child.NO_MATCH) and len(self._idle) < _KEPT
                if keep:
                    self._idle.append(worker)
            if not keep:
                worker.close()
        return answer

    def _worker(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.settimeout(_PATIENCE_S)
        with theirs:
            try:
                self._fork(theirs)
            except BaseException:
                ours.close()
                raise
        return ours

    def _fork(self, theirs: socket.socket) -> None:
        with self._lock:
            if self._source is not None:
                try:
                    socket.send_fds(self._source, [b"."], [theirs.fileno()])
                except ConnectionError:  # the program was ended from outside: start it again
                    self._end()
                else:
                    return
            source = self._start()
            socket.send_fds(source, [b"."], [theirs.fileno()])

    def _start(self) -> socket.socket:
        self._source, theirs = socket.socketpair()
        with theirs:
            # -I and -S keep everything out that is not the standard library.
            self._program = subprocess.Popen(  # noqa: S603 - our own interpreter, with our own program
                [sys.executable, "-I", "-S", "-W", "ignore", str(Path(child.__file__))],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._source

    def close(self) -> None:
        """End the program, and the workers that have nothing to do."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()
            self._end()

    def _end(self) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None
        if self._program is not None:
            self._program.kill()
            self._program.wait()
            self._program = None

    def disown(self) -> None:
        """In a copy of this process: leave everything to the original."""
        for each in (*self._idle, self._source):
            if each is not None:
                each.close()
        if self._program is not None:
            self._program.returncode = 0


_pool = _Pool()


def _close_pool() -> None:
    _pool.close()


def _replace_pool() -> None:
    global _pool
    _pool.disown()
    _pool = _Pool()


atexit.register(_close_pool)
os.register_at_fork(after_in_child=_replace_pool)
