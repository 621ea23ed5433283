"""What others print while a chat goes on: an agent, its tools, the processes that they start, loggers.

It comes through a pipe that stands in place of the standard streams, as Python knows them and as processes inherit
them, and is given on as text.
"""

from __future__ import annotations

import codecs
import os
import selectors
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from typing import Final, TextIO

from holodeck_cli.chat.gate import PrintGate
from holodeck_cli.chat.own_streams import OwnStreams
from holodeck_cli.streams import discard

_PIECE: Final = 65_536
_PIECES_AT_ONCE: Final = 16  # whoever prints without an end holds up nobody else
_END_S: Final = 1.0


class TakenOutput:
    """Gives what others print to ``show``, line by line and as the gate lets it pass; in the thread that asks for it
    with ``settle``, or in one of its own.

    The thread is there for an agent that prints and never lets go of the event loop; without it, one that prints more
    than a pipe holds would wait for ever. ``show`` is called by one thread at a time.
    """

    def __init__(self, gate: PrintGate, show: Callable[[str], None]) -> None:
        self._gate = gate
        self._show = show
        self._lock = threading.RLock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._outlet = -1

    @contextmanager
    def taken(self, own: OwnStreams, *, errors: bool = True) -> Iterator[None]:
        """Inside the block what is written to standard output comes here, and to standard error where ``errors``."""
        self._outlet, inlet = os.pipe()
        os.set_blocking(self._outlet, False)
        stop, stopped = os.pipe()
        watcher = threading.Thread(target=self._watch, args=(stop,), name="holodeck-prints", daemon=True)
        watcher.start()
        kept = {"stdout": own.out, "stderr": own.err} if errors else {"stdout": own.out}
        before = {name: getattr(sys, name) for name in kept}
        redirected = [
            (before[name].fileno(), stream.fileno())
            for name, stream in kept.items()
            if before[name] is not stream
        ]
        writers = {name: _writer(os.dup(inlet)) for name in kept}
        _put(writers)
        for descriptor, _ in redirected:
            os.dup2(inlet, descriptor)
        os.close(inlet)
        try:
            yield
        finally:
            _flush(*before.values())
            self.finish()
            _put(before)
            for name, writer in writers.items():
                _turn(writer, kept[name])
            for descriptor, own_descriptor in redirected:
                os.dup2(own_descriptor, descriptor)
            os.close(stopped)
            watcher.join(_END_S)
            os.close(stop)
            with self._lock:
                os.close(self._outlet)
                self._outlet = -1

    def settle(self) -> None:
        """Show the lines that were printed until now."""
        if self._outlet >= 0:
            _flush(sys.stdout, sys.stderr)
            self._drain()

    def finish(self) -> None:
        """Show all that was printed until now, a line that has no end included."""
        self.settle()
        with self._lock:
            self._show_lines(self._gate.finish())

    def _watch(self, stop: int) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._outlet, selectors.EVENT_READ)
            selector.register(stop, selectors.EVENT_READ)
            while all(key.fd != stop for key, _ in selector.select()):
                if not self._drain():
                    return

    def _drain(self) -> bool:
        """Show what is in the pipe; False at its end."""
        with self._lock:
            for _ in range(_PIECES_AT_ONCE):
                try:
                    piece = os.read(self._outlet, _PIECE)
                except BlockingIOError:
                    return True
                if not piece:
                    return False
                self._show_lines(self._gate.feed(self._decoder.decode(piece)))
        return True

    def _show_lines(self, lines: str) -> None:
        if lines:
            with suppress(OSError):  # nobody watches any more; whoever prints must not wait for that
                self._show(lines.removesuffix("\n"))


def _put(streams: Mapping[str, TextIO]) -> None:
    for name, stream in streams.items():
        setattr(sys, name, stream)


def _writer(descriptor: int) -> TextIO:
    """A stream to the descriptor, which is closed when nobody has the stream any more."""
    writer = os.fdopen(descriptor, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    weakref.finalize(writer, os.close, descriptor).atexit = False
    return writer


def _turn(writer: TextIO, stream: TextIO) -> None:
    """From now on the writer leads to where the stream does, and nowhere if that has no descriptor: handlers of logs
    and threads may have it for as long as the process lives."""
    _flush(writer)
    with suppress(ValueError, OSError):  # whoever prints may have closed it
        try:
            os.dup2(stream.fileno(), writer.fileno())
        except UnsupportedOperation:  # a stream of a program
            discard(writer)


def _flush(*streams: TextIO | None) -> None:
    for stream in streams:
        # Whoever prints may have put it away or closed it.
        with suppress(AttributeError, OSError, ValueError):
            if stream is not None:
                stream.flush()
