"""Shows a conversation on a screen: replies as they come, tool calls as they happen."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Final

from holodeck_cli.chat.events import ChatEvent, ChatTurn, TryingAgain, TurnDone, TurnFailed
from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.screen import Screen, Tone
from holodeck_cli.chat.taken_output import TakenOutput
from holodeck_cli.chat.wording import call_details, call_line, call_text, tokens_text
from holodeck_core import TextDelta, TokenUsage, ToolCall, ToolFinished, ToolStarted
from holodeck_core.api.values import well_formed
from holodeck_core.case_lines import duration

EMPTY_REPLY: Final = "(the agent replied with no text)"
_THINKING: Final = "waiting for the agent"


class Display:
    """The only one who writes on the screen; all that it is given passes the gate. ``verbose`` shows tool calls in
    full, and more of each turn."""

    def __init__(self, screen: Screen, gate: OutputGate, *, verbose: bool) -> None:
        self._screen = screen
        self._gate = gate
        self._verbose = verbose
        self.others = TakenOutput(gate.prints(), screen.printed)
        """What others print, which is shown as well."""

    @property
    def unread(self) -> bool:
        """Whether nobody reads any more what the agent says."""
        return self._screen.unread

    def tell(self, text: str, tone: Tone = "plain") -> None:
        """Lines about the conversation."""
        self.others.settle()
        self._screen.line(self._gate.block(text), tone)

    def tell_all(self, lines: Iterable[str]) -> None:
        """What a command shows, line by line."""
        for line in lines:
            self.tell(line)

    def waiting(self, what: str) -> None:
        """Something takes its time before anything can be shown."""
        self._screen.wait(self._gate.line(what))

    def rest(self) -> None:
        """Whatever took its time is over."""
        self._screen.rest()
        self.others.finish()

    def reply(self) -> ReplyView:
        """The view of one reply."""
        return ReplyView(self._screen, self._gate, self.others, verbose=self._verbose)

    def turn(self, turn: ChatTurn) -> None:
        """A turn of the conversation so far."""
        self._said("you", turn.message)
        for call in turn.reply.tool_calls:
            self._screen.line(f"  {call_line(self._gate, call, None)}")
            if self._verbose:
                for line in call_details(self._gate, call):
                    self._screen.line(f"  {line}")
        self._said("agent", turn.reply.text if turn.reply.text.strip() else EMPTY_REPLY)

    def _said(self, who: str, text: str) -> None:
        """All lines but the first are indented, so that none looks like another turn."""
        first, *rest = self._gate.block(text).split("\n")
        self.tell("\n".join([f"{who}: {first}", *(f"  {line}".rstrip() for line in rest)]))


class ReplyView:
    """One reply while it comes in."""

    def __init__(self, screen: Screen, gate: OutputGate, others: TakenOutput, *, verbose: bool) -> None:
        self._screen = screen
        self._gate = gate
        self._others = others
        self._verbose = verbose
        self._text = gate.stream()
        self._received: list[str] = []
        self._begun: dict[str, tuple[ToolStarted, float, str]] = {}
        screen.wait(_THINKING)

    def show(self, event: ChatEvent) -> None:
        """Show what happened, and before it what others have printed meanwhile."""
        self._others.settle()
        match event:
            case TextDelta():
                self._received.append(event.text)
                self._write(self._text.feed(event.text))
            case ToolStarted():
                self._end_text()
                shown = call_text(self._gate, event.name, event.args, event.raw_args)
                self._begun[event.call_id] = (event, perf_counter(), shown)
                self._wait()
            case ToolFinished():
                self._end_text()
                self._finished(event)
                self._wait()
            case TryingAgain():
                self._screen.line(self._gate.line(f"{event.reason}; trying again"), "warning")
                self._screen.wait(_THINKING)
            case TurnDone():
                self._done(event.turn)
            case TurnFailed():
                self.break_off(self._gate.line(event.reason))
            case _:
                pass

    def footer(self, turn: ChatTurn, conversation: TokenUsage | None) -> None:
        """Tokens and time of a turn that is done."""
        if self._screen.live or self._verbose:
            told = (tokens_text(turn.usage, conversation), duration(turn.seconds * 1000))
            self._screen.line(", ".join(part for part in told if part), "quiet")

    def break_off(self, why: str, tone: Tone = "error") -> None:
        """The reply ends here, and does not count."""
        self._end_text()
        self._unfinished()
        self._others.finish()
        self._screen.line(why, tone)

    def _done(self, turn: ChatTurn) -> None:
        final = turn.reply.text
        received = well_formed("".join(self._received))
        if final.strip() and not received.rstrip().endswith(final.strip()):
            self._end_text()  # the reply replaces the pieces that it came in, or there were none
            self._write(self._gate.block(final))
        self._end_text()
        self._unfinished()
        if not final.strip():
            self._screen.line(EMPTY_REPLY, "quiet")
        self._others.finish()

    def _write(self, text: str) -> None:
        if text:
            self._screen.write(text)

    def _end_text(self) -> None:
        self._write(self._text.finish())
        self._screen.rest()
        self._screen.end_line()

    def _finished(self, event: ToolFinished) -> None:
        begun, at, _ = self._begun.pop(event.call_id, (None, 0.0, ""))
        if begun is None:
            return
        call = ToolCall(begun.name, begun.args, event.result, event.error, event.duration_ms, begun.raw_args)
        self._screen.line(
            call_line(self._gate, call, perf_counter() - at), "quiet" if event.error is None else "error"
        )
        if self._verbose:
            for line in call_details(self._gate, call):
                self._screen.line(line, "quiet")

    def _unfinished(self) -> None:
        for _, _, shown in self._begun.values():
            self._screen.line(f"tool {shown}: did not finish", "error")
        self._begun.clear()

    def _wait(self) -> None:
        calls = [shown for _, _, shown in self._begun.values()]
        self._screen.wait(f"calling {', '.join(calls)}" if calls else _THINKING)
