"""What the commands of a chat do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from holodeck_cli.chat.display import Display
from holodeck_cli.chat.saved import (
    SavedConversation,
    from_saved,
    is_conversation_id,
    without_secrets,
)
from holodeck_cli.chat.session_manager import ChatSessionManager
from holodeck_cli.chat.slash import LITERAL_HINT, SLASH_COMMANDS, Do
from holodeck_cli.chat.store import ConversationStore, StoreProblem
from holodeck_cli.problems import problem_lines
from holodeck_core import ConfigError
from holodeck_core.text import one_line

_NAME_WIDTH = 60


class Actions:
    """The commands, over one manager. What cannot be done is told, and nothing else happens."""

    def __init__(
        self,
        manager: ChatSessionManager,
        store: ConversationStore,
        display: Display,
        env_file: Path | None = None,
    ) -> None:
        self._manager = manager
        self._store = store
        self._display = display
        self._env_file = env_file
        self._saved_as: str | None = None
        self._saved_turns = 0

    async def do(self, asked: Do) -> None:
        """Carry a command out. Raises StartFailed where the agent cannot be opened again."""
        match asked.name:
            case "help":
                self._display.tell_all(_help_lines())
            case "clear":
                await self.clear()
            case "history":
                self.show_history()
            case "tools":
                self._display.tell_all(_tool_lines(self._manager))
            case "save":
                self.save(asked.argument)
            case "resume" if asked.argument:
                await self._resume_other(asked.argument)
            case "resume":
                self._display.tell_all(_saved_lines(self._store))
            case "export":
                self.export(asked.argument)

    async def clear(self) -> None:
        """Begin a new conversation."""
        self._forget()
        await self._manager.clear()
        self._display.tell("a new conversation begins", "quiet")

    def show_history(self) -> None:
        """What was said so far."""
        if not self._manager.turns:
            self._display.tell("nothing has been said yet", "quiet")
        for turn in self._manager.turns:
            self._display.turn(turn)

    def save(self, name: str) -> None:
        """Keep the conversation under a name, by default the one that it was saved under, else one of its own."""
        turns, chat = self._manager.turns, self._manager.chat
        if not turns:
            self._display.tell("nothing has been said yet that could be saved", "warning")
            return
        if name and not is_conversation_id(name):
            allowed = (
                "a name has up to 64 letters, digits, '.', '_' and '-', and begins with a letter or digit"
            )
            self._display.tell(f"not saved: {allowed}", "error")
            return
        conversation_id = name or self._saved_as or str(chat.session_id)[:8]
        if conversation_id != self._saved_as and conversation_id in self._store.ids():
            self._display.tell(
                f"not saved: another conversation is saved as '{conversation_id}'; take another name", "error"
            )
            return
        try:
            written = self._store.save(self._manager.saved(conversation_id))
        except StoreProblem as problem:
            self._display.tell(f"not saved: {problem}", "error")
            return
        self._saved_as, self._saved_turns = conversation_id, len(turns)
        self._display.tell(
            f"saved as '{conversation_id}' in {written}; /resume {conversation_id} goes on with it"
        )

    async def resume(self, conversation: SavedConversation) -> None:
        """Go on with a saved conversation. Raises StartFailed."""
        self._forget()
        turns = from_saved(conversation.turns)
        remembered = await self._manager.resume(turns)
        self._saved_as, self._saved_turns = conversation.id, len(turns)
        agent = self._manager.chat.agent_config.name
        self._display.tell(
            f"resumed '{conversation.id}': {conversation.messages} messages; /history shows them"
        )
        if conversation.agent_name != agent:
            self._display.tell(f"it was held with '{conversation.agent_name}', not with '{agent}'", "warning")
        if not remembered and turns:
            self._display.tell(
                "the agent cannot be given a conversation that was held earlier: it remembers nothing of it",
                "warning",
            )

    def export(self, file: str) -> None:
        """Append the conversation to a file of test cases, as it was received."""
        from holodeck_cli.recorded.append import append_case
        from holodeck_cli.recorded.case import RecordedCase, RecordedTurn

        turns = self._manager.turns
        if not turns:
            self._display.tell("nothing has been said yet that could be exported", "warning")
            return
        public = without_secrets(turns, self._manager.suite.secrets)
        case = RecordedCase(
            one_line(public[0].message, _NAME_WIDTH) or "chat",
            tuple(
                RecordedTurn(turn.message, turn.reply.text or None, tuple(turn.reply.tool_calls))
                for turn in public
            ),
        )
        path = Path(os.path.expanduser(file))
        try:
            written = append_case(path, case, agent_file=self._manager.suite.path, env_file=self._env_file)
        except ConfigError as error:
            self._display.tell(f"not exported, {file} is as it was:", "error")
            for problem in error.problems:
                self._display.tell("\n".join(problem_lines(problem)), "error")
            return
        except (OSError, ValueError) as error:
            self._display.tell(f"not exported: {error}", "error")
            return
        count = "1 turn" if len(turns) == 1 else f"{len(turns)} turns"
        self._display.tell(f"exported {count} as the test case '{written.name}' of {written.file}")
        if public != turns:
            self._display.tell("secrets in it are masked: a turn that has one cannot pass", "warning")
        for note in written.notes:
            self._display.tell(note, "quiet")
        if written.agent is not None:
            self._display.tell(f"holodeck test {written.agent} runs it again", "quiet")

    async def _resume_other(self, word: str) -> None:
        if len(self._manager.turns) > self._saved_turns:
            self._display.tell(
                "what was said since the last /save would be lost: /save it or /clear it first", "error"
            )
            return
        try:
            conversation = self._store.load(word)
        except StoreProblem as problem:
            self._display.tell(f"{problem}; /resume lists what is saved", "error")
            return
        await self.resume(conversation)

    def _forget(self) -> None:
        self._saved_as, self._saved_turns = None, 0


def _help_lines() -> Iterator[str]:
    for name, command in SLASH_COMMANDS.items():
        yield f"  {f'/{name} {command.argument}'.rstrip():16}{command.summary}"
    yield f"Enter sends, Alt-Enter begins another line; {LITERAL_HINT}."
    yield "Ctrl-C stops a reply; at the prompt it clears the line, and twice leaves."


def _tool_lines(manager: ChatSessionManager) -> Iterator[str]:
    called = Counter(call.name for turn in manager.turns for call in turn.reply.tool_calls)
    tools = manager.chat.agent_config.tools
    if tools is None:
        yield "the agent file does not say which tools the agent has"
    elif not tools:
        yield "the agent has no tools"
    for tool in tools or ():
        about = f": {one_line(tool.description)}" if tool.description else ""
        yield f"  {tool.name} ({tool.type}){about}{_times(called.pop(tool.name, 0))}"
    for name, count in called.items():
        yield f"  {one_line(name, 80)}{_times(count)}"


def _times(count: int) -> str:
    return "" if count == 0 else ", called once" if count == 1 else f", called {count} times"


def _saved_lines(store: ConversationStore) -> Iterator[str]:
    none = True
    for saved in store.all():
        none = False
        if isinstance(saved, StoreProblem):
            yield f"  {one_line(str(saved))}"
            continue
        when = saved.saved_at.astimezone().strftime("%Y-%m-%d %H:%M")
        first = one_line(saved.turns[0].message, _NAME_WIDTH) if saved.turns else ""
        yield f"  {saved.id}  {when}  {one_line(saved.agent_name, 40)}, {saved.messages} messages: {first}"
    if none:
        yield "no conversation is saved"
