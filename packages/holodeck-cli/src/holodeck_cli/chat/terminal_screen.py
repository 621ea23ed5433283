"""A terminal: colours, and a spinner while something is being waited for. Rich is imported when it is first needed."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Final, TextIO

from holodeck_cli.chat.screen import Tone
from holodeck_core.case_lines import duration

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

_STYLES: Final[dict[Tone, str]] = {"plain": "", "quiet": "dim", "warning": "yellow", "error": "red"}
_REFRESH_HZ: Final = 8
_PATIENCE_S: Final = 0.15  # what is over before needs no spinner


class TerminalScreen:
    """Everything is text, never markup. ``printed`` may be called in any thread, everything else in one."""

    live = True
    unread = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._console: Console | None = None
        self._live: Live | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._lock = threading.RLock()
        self._in_line = False
        self._above_prompt: Callable[[Callable[[], None]], object] | None = None

    def prepare(self) -> None:
        """Import what the first reply needs, in a thread, while the user reads the prompt."""
        threading.Thread(target=importlib.import_module, args=("rich.live",), daemon=True).start()

    @contextmanager
    def prompting(self, above: Callable[[Callable[[], None]], object]) -> Iterator[None]:
        """Inside the block a prompt stands on the screen: what others print is drawn when ``above`` calls for it, which
        it may do later and must do in the thread of everything else."""
        with self._lock:
            self._above_prompt = above
        try:
            yield
        finally:
            with self._lock:
                self._above_prompt = None

    def write(self, text: str) -> None:
        with self._lock:
            self.rest()
            self._stream.write(text)
            self._stream.flush()
            self._in_line = not text.endswith("\n")

    def end_line(self) -> None:
        with self._lock:
            if self._in_line:
                self.write("\n")

    def line(self, text: str, tone: Tone = "plain") -> None:
        if tone == "plain":
            self.write(f"{text}\n")
            return
        with self._lock:
            self.rest()
            self._draw(text, tone)

    def printed(self, text: str) -> None:
        with self._lock:
            if self._above_prompt is None:
                self._draw_printed(text)
            else:
                self._above_prompt(lambda: self._draw_printed(text))

    def _draw_printed(self, text: str) -> None:
        with self._lock:
            if self._in_line:
                self._stream.write("\n")
                self._in_line = False
            self._draw(text, "quiet")  # above the spinner, where there is one

    def _draw(self, text: str, tone: Tone) -> None:
        from rich.text import Text

        self._rich().print(Text(text, style=_STYLES[tone]), soft_wrap=True)

    def wait(self, what: str) -> None:
        self.rest()
        self._timer = asyncio.get_running_loop().call_later(_PATIENCE_S, self._spin, what)

    def _spin(self, what: str) -> None:
        from rich.live import Live
        from rich.spinner import Spinner

        console = self._rich()
        unicode = (console.encoding or "").lower().startswith("utf")
        spinner = Spinner("dots" if unicode else "line", style="dim")
        begun = monotonic() - _PATIENCE_S

        def drawn() -> RenderableType:
            with suppress(OSError):
                # Rich asks the standard streams, which are others' now.
                console.size = os.get_terminal_size(self._stream.fileno())
            waited = monotonic() - begun
            spinner.update(text=_shown(what if waited < 1 else f"{what} {duration(int(waited) * 1000)}"))
            return spinner

        with self._lock:
            self._live = Live(
                console=console,
                get_renderable=drawn,
                transient=True,
                refresh_per_second=_REFRESH_HZ,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()

    def rest(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            live, self._live = self._live, None
            if live is not None:
                live.stop()

    def _rich(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console(
                file=self._stream, force_terminal=True, markup=False, highlight=False, emoji=False
            )
        return self._console


def _shown(text: str) -> RenderableType:
    from rich.text import Text

    return Text(text, style="dim", overflow="ellipsis", no_wrap=True)
