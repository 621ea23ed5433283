"""``holodeck chat``: load, put the parts together, converse."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from pydantic import ValidationError

from holodeck_cli.chat.actions import Actions
from holodeck_cli.chat.display import Display
from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.own_streams import OwnStreams
from holodeck_cli.chat.reader import LineReader, Reader
from holodeck_cli.chat.repl import Repl
from holodeck_cli.chat.saved import SavedConversation
from holodeck_cli.chat.screen import PlainScreen, Screen
from holodeck_cli.chat.session_manager import ChatSessionManager, Observer
from holodeck_cli.chat.signals import Signals
from holodeck_cli.chat.store import ConversationStore, StoreProblem, conversations_folder
from holodeck_cli.chat.terminal_screen import TerminalScreen
from holodeck_cli.chat.validators import find_validators
from holodeck_cli.early_end import guarded, tell_loading_ended
from holodeck_cli.exit_codes import ExitCode
from holodeck_cli.loading import load
from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.streams import shown, tell_error
from holodeck_core import ChatConfig, PluginHost, Suite
from holodeck_core.api.faults import describe
from holodeck_core.engine.own_loop import run_in_own_loop
from holodeck_core.plugins.wording import pip_install

if TYPE_CHECKING:
    from holodeck_cli.chat.terminal_modes import QuietKeyboard
    from holodeck_cli.chat.tracing_setup import Tracing

_PIECE = 65_536
_INSTALL = pip_install("holodeck-cli[otel]")


@attrs.frozen(kw_only=True)
class ChatRequest:
    """What a command line asks for. ``resume`` is the id of a saved conversation, None for a new one."""

    agent: Path
    verbose: bool = False
    observability: bool = False
    max_messages: int = 50
    resume: str | None = None
    env_file: Path | None = None


def run_chat(request: ChatRequest) -> ExitCode:
    """Hold a conversation. Raises ConfigError and UsageMistake for what is wrong before it begins."""
    with guarded(tell_loading_ended):
        suite = load(request.agent, env_file=request.env_file)
    try:
        config = ChatConfig(
            agent_config_path=request.agent,
            verbose=request.verbose,
            enable_observability=request.observability,
            max_messages=request.max_messages,
        )
        store = ConversationStore(conversations_folder(os.environ))
        resumed = None if request.resume is None else store.load(request.resume)
    except StoreProblem as problem:
        raise UsageMistake(str(problem)) from None
    except ValidationError as error:  # the agent file is a pipe, say
        raise UsageMistake(error.errors(include_url=False)[0]["msg"]) from None
    own = OwnStreams()
    chat = _Chat(suite, config, store, request.env_file, own)
    try:
        with guarded(chat.tell_end), chat.display.others.taken(own, errors=chat.takes_errors):
            return run_in_own_loop(chat.run(resumed))
    except asyncio.CancelledError:
        tell_error("error: the agent cancelled every task, those of the chat too")
        return ExitCode.NOT_RUN
    except (SystemExit, GeneratorExit) as error:
        tell_error(f"error: the agent ended the chat: {describe(error)}")
        return ExitCode.NOT_RUN
    finally:
        chat.leave()
        own.close()


class _Chat:
    """The parts of a chat, for the terminal that it is held in, or for a pipe."""

    def __init__(
        self,
        suite: Suite,
        config: ChatConfig,
        store: ConversationStore,
        env_file: Path | None,
        own: OwnStreams,
    ) -> None:
        self._suite = suite
        self._config = config
        self._store = store
        self._env_file = env_file
        self._typed = sys.stdin is not None and sys.stdin.isatty()
        shown = sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self._edited = self._typed and shown
        self.takes_errors = not shown or sys.stderr.isatty()  # else somebody wants them elsewhere
        self._own = own
        self._terminal = TerminalScreen(own.out) if shown else None
        self._screen: Screen = self._terminal or PlainScreen(own.out, own.err)
        self.gate = OutputGate(suite.secrets)
        self.display = Display(self._screen, self.gate, verbose=config.verbose)
        self._keyboard = _keyboard() if self._edited else None
        self._tracing: Tracing | None = None

    def leave(self) -> None:
        """The terminal becomes what it was."""
        self._screen.rest()
        if self._keyboard is not None:
            self._keyboard.restore()

    def tell_end(self, what: str) -> int:
        """Code of others ends the process by ``what``: say so in a terminal as it was found; returns the exit code."""
        self.display.others.finish()
        self.leave()
        self._own.err.write(shown(f"error: the agent called {what}: the chat ends here") + "\n")
        self._own.err.flush()
        return ExitCode.NOT_RUN

    async def run(self, resumed: SavedConversation | None) -> ExitCode:
        display = self.display
        manager = ChatSessionManager(self._suite, self._config.max_messages, self._observer())
        agent = self._suite.agent
        host = PluginHost(aliases=agent.plugins.aliases, disabled=agent.plugins.disabled)
        validators, problems = find_validators(host)
        for problem in problems:
            display.tell(f"warning: {problem}", "warning")
        if self._edited:
            display.tell(f"{agent.name} ({agent.model.provider}); /help shows the commands", "plain")
        reader = self._reader()
        if self._keyboard is not None:
            self._keyboard.begin()
        self._screen.prepare()
        actions = Actions(manager, self._store, display, self._env_file)
        repl = Repl(manager, reader, display, actions, validators, Signals(self.leave), attended=self._typed)
        try:
            with _no_input_for_others():
                return await repl.run(resumed)
        finally:
            if self._tracing is not None and (trouble := self._tracing.close()):
                display.tell(f"the traces could not be exported: {trouble}", "warning")

    def _observer(self) -> Observer | None:
        if not self._config.enable_observability:
            return None
        from holodeck_cli.chat.tracing_options import tracing_options

        options = tracing_options(self._suite, os.environ)
        try:
            from holodeck_cli.chat.tracing_setup import Tracing
        except ImportError as error:
            raise UsageMistake(f"--observability needs OpenTelemetry ({error}): {_INSTALL}") from None
        self._tracing = Tracing(options, self._suite.agent, self.gate, self._own.err)
        return self._tracing.observer

    def _reader(self) -> Reader:
        if self._typed and self._terminal is not None:
            from holodeck_cli.chat.editor import Editor

            return Editor(self._store.ids, self._terminal, self._own.out)
        return LineReader(_input(), self._ask if self._typed else _say_nothing)

    def _ask(self) -> None:
        self._own.err.write("> ")
        self._own.err.flush()


@contextmanager
def _no_input_for_others() -> Iterator[None]:
    """What an agent or a tool would read are the user's messages: inside the block an ``input()`` finds an end."""
    before = sys.stdin
    with open(os.devnull, encoding="utf-8") as nothing:
        sys.stdin = nothing
        try:
            yield
        finally:
            sys.stdin = before


def _keyboard() -> QuietKeyboard:
    from holodeck_cli.chat.terminal_modes import QuietKeyboard

    return QuietKeyboard(sys.stdin.fileno())


def _input() -> Callable[[], bytes]:
    """Gives the next bytes of standard input; none where there is no such stream."""
    if sys.stdin is None:
        return bytes
    try:
        return partial(os.read, sys.stdin.fileno(), _PIECE)
    except (OSError, ValueError):  # something in a program has taken the place of the stream
        return partial(sys.stdin.buffer.read, _PIECE)


def _say_nothing() -> None: ...
