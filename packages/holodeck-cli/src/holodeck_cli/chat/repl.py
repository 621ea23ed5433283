"""The loop of a chat: read, check, send or do, show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import aclosing

from holodeck_cli.chat.actions import Actions
from holodeck_cli.chat.display import Display
from holodeck_cli.chat.events import TurnDone
from holodeck_cli.chat.reader import Interrupted, Reader
from holodeck_cli.chat.saved import SavedConversation
from holodeck_cli.chat.session_manager import ChatSessionManager, StartFailed
from holodeck_cli.chat.signals import Signals
from holodeck_cli.chat.slash import Asked, Do, Say, Unknown, read_line
from holodeck_cli.chat.validators import NamedValidator, check_message
from holodeck_cli.exit_codes import ExitCode
from holodeck_core import Accepted, Refused, SessionState

_QUICK_START_S = 0.05
_STOPPING = "stopping; Ctrl-C again leaves at once"
_WAYS_ON = "/save keeps this conversation, /clear begins a new one"


class Repl:
    """One chat, from the first prompt to the exit code.

    ``attended`` says that a person sits before it: then a lost conversation or a stopped reply does not end it.
    """

    def __init__(
        self,
        manager: ChatSessionManager,
        reader: Reader,
        display: Display,
        actions: Actions,
        validators: Sequence[NamedValidator],
        signals: Signals,
        *,
        attended: bool,
    ) -> None:
        self._manager = manager
        self._reader = reader
        self._display = display
        self._actions = actions
        self._validators = validators
        self._signals = signals
        self._attended = attended

    async def run(self, resumed: SavedConversation | None = None) -> ExitCode:
        """Hold the conversation until the user leaves."""
        with self._signals.handled():
            try:
                return await self._converse(resumed)
            except asyncio.CancelledError:
                if not self._signals.terminated:
                    raise
                return ExitCode.TERMINATED
            except StartFailed as failure:
                self._display.tell(f"error: {failure}", "error")
                return ExitCode.NOT_RUN
            finally:
                self._display.rest()
                if trouble := await self._manager.shut_down():
                    self._display.tell(f"the agent did not close properly: {trouble}", "warning")

    async def _converse(self, resumed: SavedConversation | None) -> ExitCode:
        """The agent is started while the user reads the prompt."""
        begin = self._manager.start() if resumed is None else self._actions.resume(resumed)
        started = asyncio.create_task(begin)
        try:
            await asyncio.wait({started}, timeout=_QUICK_START_S)
            if resumed is not None and not await self._stoppable(started, "the agent starts"):
                return ExitCode.INTERRUPTED
            return await self._loop(started)
        finally:
            if not started.done():
                started.cancel()
                await asyncio.wait({started})

    async def _loop(self, started: asyncio.Task[None]) -> ExitCode:
        ready_to_leave = False
        while True:
            try:
                text = await self._next(started)
            except EOFError:
                return self._left(started)
            except Interrupted as interrupted:
                if not self._attended or (ready_to_leave and not interrupted.had_text):
                    return ExitCode.INTERRUPTED
                ready_to_leave = True
                self._display.tell("Ctrl-C again leaves, and so does Ctrl-D", "quiet")
                continue
            ready_to_leave = False
            asked = read_line(text)
            if isinstance(asked, Do) and asked.name == "exit":
                return self._left(started)
            if not started.done() and not await self._stoppable(started, "the agent starts"):
                return ExitCode.INTERRUPTED
            started.result()
            completed = await self._carry_out(asked)
            if self._display.unread:
                return self._left(started)
            if self._attended:
                continue
            if not completed:
                return ExitCode.INTERRUPTED
            if self._manager.ended is not None:
                return ExitCode.NOT_RUN

    async def _carry_out(self, asked: Asked) -> bool:
        """Do what a line asks for; False where it was stopped."""
        match asked:
            case Unknown():
                self._display.tell(asked.hint, "error")
                return True
            case Do():
                completed = await self._stoppable(self._actions.do(asked), f"/{asked.name}")
                if not completed:
                    self._display.tell("stopped", "quiet")
                return completed
            case Say():
                return await self._say(asked.text)

    async def _next(self, started: asyncio.Task[None]) -> str:
        """What the user writes; StartFailed where the agent turns out not to start meanwhile."""
        reading = asyncio.create_task(self._reader.read())
        try:
            with self._signals.taken_by(self._reader.interrupt):
                while not reading.done():
                    waited_for = {reading} if started.done() else {reading, started}
                    await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
                    if started.done() and started.exception() is not None:
                        started.result()
            return reading.result()
        finally:
            if not reading.done():
                reading.cancel()
                await asyncio.wait({reading})
            if not reading.cancelled():
                reading.exception()  # where the agent did not start, it does not matter

    async def _say(self, text: str) -> bool:
        """Send a message, if it may be sent, and show the reply; False where it was stopped."""
        checked = check_message(text, self._validators)
        if isinstance(checked, Refused):
            self._display.tell(checked.reason, "error")
            return True
        for note in checked.notes:
            self._display.tell(note, "warning")
        if refusal := self._manager.refusal():
            self._display.tell(f"not sent: {refusal}; {_WAYS_ON}", "error")
            return True
        return await self._exchange(checked)

    async def _exchange(self, message: Accepted) -> bool:
        before = self._manager.chat.message_count
        view = self._display.reply()

        async def show() -> None:
            async with aclosing(self._manager.process_message(message.text)) as events:
                async for event in events:
                    view.show(event)
                    if isinstance(event, TurnDone):
                        view.footer(event.turn, self._manager.usage)
                    await asyncio.sleep(0)  # also for an agent that never waits, Ctrl-C gets its turn

        if not await self._stoppable(show()):
            as_before = "; the conversation is as it was before your message"
            ended = self._manager.ended
            view.break_off(f"stopped{as_before}" if ended is None else f"stopped; {ended}", "quiet")
            self._tell_ways_on()
            return False
        self._tell_ways_on()
        if warning := self._manager.limit.warning(before, self._manager.chat.message_count):
            self._display.tell(f"{warning}; {_WAYS_ON}", "warning")
        return True

    def _tell_ways_on(self) -> None:
        if self._manager.ended is not None and self._attended:
            self._display.tell(_WAYS_ON, "warning")

    async def _stoppable(self, work: Awaitable[None], what: str | None = None) -> bool:
        """Wait for something that Ctrl-C stops; False where it did. ``what`` is shown while nothing else is."""
        task = asyncio.ensure_future(work)
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            self._display.waiting(_STOPPING)
            task.cancel()

        if what is not None:
            self._display.waiting(what)
        try:
            with self._signals.taken_by(stop, stops=True):
                await asyncio.wait({task})
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
            self._display.rest()
        if stopped and task.cancelled():
            return False
        task.result()
        return True

    def _left(self, started: asyncio.Task[None]) -> ExitCode:
        if started.done():
            started.result()
        lost = self._manager.chat.state is SessionState.TERMINATED
        return ExitCode.NOT_RUN if lost else ExitCode.OK
