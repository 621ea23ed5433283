"""The prompt of a terminal: a line editor with a history, completion of commands, and pastes of several lines."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import is_searching
from prompt_toolkit.input.defaults import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

from holodeck_cli.chat.reader import Interrupted
from holodeck_cli.chat.slash import SLASH_COMMANDS
from holodeck_cli.chat.terminal_screen import TerminalScreen

PROMPT: Final = "> "
_CONTINUED: Final = ". "
_MENU_ROWS: Final = 4


class Editor:
    """Enter sends; Alt-Enter begins another line; a paste is one message, however many lines it has.

    ``saved_ids`` gives what ``/resume`` can be completed with. ``out`` is the terminal that ``screen`` draws on.
    """

    def __init__(self, saved_ids: Callable[[], Iterable[str]], screen: TerminalScreen, out: TextIO) -> None:
        self._screen = screen
        output = Vt100_Output.from_pty(out)
        output.enable_cpr = False  # not every terminal answers the question where the cursor is
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            multiline=True,
            prompt_continuation=_CONTINUED,
            completer=_CommandCompleter(saved_ids),
            key_bindings=_bindings(),
            reserve_space_for_menu=_MENU_ROWS,
            enable_suspend=True,
            input=create_input(sys.stdin),
            output=output,
        )

    async def read(self) -> str:
        self._session.layout.focus(self._session.default_buffer)  # a signal may have come in a search
        loop = asyncio.get_running_loop()
        with self._screen.prompting(lambda draw: loop.call_soon_threadsafe(self._above, draw)):
            # Its handler of exceptions would ask for a key, for whatever goes wrong in a task of the agent's.
            return await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)

    def _above(self, draw: Callable[[], None]) -> None:
        """Draw something above the prompt; where there is none any more, where the cursor is."""
        app: Any = self._session.app
        if app.is_running:
            app.renderer.erase()
        draw()  # not as `run_in_terminal` does: it switches the echo on, and shows keys twice that come meanwhile
        if app.is_running:
            app.invalidate()

    def interrupt(self) -> None:
        app: Any = self._session.app
        if app.is_running:
            app.exit(exception=Interrupted(bool(self._session.default_buffer.text)))


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @bindings.add("c-c", filter=~is_searching)  # a search it ends
    def _interrupt(event: KeyPressEvent) -> None:
        event.app.exit(exception=Interrupted(bool(event.current_buffer.text)), style="class:aborting")

    @bindings.add(Keys.Vt100MouseEvent)
    def _nothing(event: KeyPressEvent) -> None:
        """No mouse is asked for: this is a colour that was pasted without marks, say."""

    return bindings


class _CommandCompleter(Completer):
    """Completes the commands, and the ids behind ``/resume``."""

    def __init__(self, saved_ids: Callable[[], Iterable[str]]) -> None:
        self._saved_ids = saved_ids

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        if not text.startswith("/") or "\n" in text:
            return
        command, space, argument = text.partition(" ")
        if not space:
            for name, slash in SLASH_COMMANDS.items():
                if name.startswith(command[1:]):
                    yield Completion(f"/{name}", -len(text), display_meta=slash.summary)
        elif command == "/resume":
            for each in self._saved_ids():
                if each.startswith(argument):
                    yield Completion(each, -len(argument))
