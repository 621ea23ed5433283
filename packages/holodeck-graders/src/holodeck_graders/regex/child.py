"""The program of the process that matches regular expressions. It is run as a script and imports next to nothing.

Its standard input is a Unix socket. Each message there brings a socket of its own, and a fork of this process
serves that one: it answers each request with one byte, until the other side closes it. A request is a count
of parts, then each part as its length and its text: first the pattern, then the texts. All numbers have eight
bytes.

A match that takes longer than a second ends its process: the alarm's default action does, which waits for nobody.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import socket

MATCH, NO_MATCH, FAILED = b"y", b"n", b"f"
MATCH_SECONDS = 1.0

_MEMORY = 1 << 29


def serve_sockets(source: socket.socket) -> None:
    """Fork for every socket that arrives, until the other side is gone."""
    while True:
        _, sockets, _, _ = socket.recv_fds(source, 1, 1)
        if not sockets:
            return
        if os.fork() == 0:
            source.close()
            _serve_requests(sockets[0])
            os._exit(0)
        os.close(sockets[0])


def _serve_requests(channel: int) -> None:
    os.nice(5)
    with contextlib.suppress(OSError, ValueError):  # a system without such a limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with open(channel, "rb", closefd=False) as stream:
        while head := stream.read(8):
            parts = [stream.read(int.from_bytes(stream.read(8))) for _ in range(int.from_bytes(head))]
            pattern, *texts = [part.decode("utf-8", "surrogatepass") for part in parts]
            signal.setitimer(signal.ITIMER_REAL, MATCH_SECONDS)
            answer = _answer(pattern, texts)
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.write(channel, answer)


def _answer(pattern: str, texts: list[str]) -> bytes:
    try:
        compiled = re.compile(pattern)
        return MATCH if any(compiled.fullmatch(text) for text in texts) else NO_MATCH
    except (MemoryError, RecursionError):
        return FAILED


def main() -> None:
    """What the parent has done to signals is inherited, and undone here. Ended forks are nobody's to wait for."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=0) as source:
        serve_sockets(source)


if __name__ == "__main__":
    main()
