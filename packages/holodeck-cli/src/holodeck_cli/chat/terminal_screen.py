"""A terminal: colours, and a spinner while something is being waited for. Rich is imported when it is first needed."""

from __future__ import annotations

import asyncio
import importlib
import threading
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
    """Everything is text, never markup."""

    live = True
    unread = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._console: Console | None = None
        self._live: Live | None = None
        self._timer: asyncio.TimerHandle | None = None

    def prepare(self) -> None:
        """Import what the first reply needs, in a thread, while the user reads the prompt."""
        threading.Thread(target=importlib.import_module, args=("rich.live",), daemon=True).start()

    def write(self, text: str) -> None:
        self.rest()
        self._stream.write(text)
        self._stream.flush()

    def line(self, text: str, tone: Tone = "plain") -> None:
        if tone == "plain":
            self.write(f"{text}\n")
            return
        from rich.text import Text

        self.rest()
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
            waited = monotonic() - begun
            spinner.update(text=_shown(what if waited < 1 else f"{what} {duration(int(waited) * 1000)}"))
            return spinner

        self._live = Live(
            console=console, get_renderable=drawn, transient=True, refresh_per_second=_REFRESH_HZ
        )
        self._live.start()

    def rest(self) -> None:
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
