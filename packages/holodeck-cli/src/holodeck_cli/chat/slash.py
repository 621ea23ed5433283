"""What a line at the prompt asks for. Pure."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import attrs

from holodeck_core.plugins.names import near


@attrs.frozen
class Say:
    """A message for the agent."""

    text: str


@attrs.frozen
class Do:
    """A command; ``argument`` is the rest of the line, empty where there is none."""

    name: str
    argument: str = ""


@attrs.frozen
class Unknown:
    """A word that looks like a command and is none."""

    hint: str


Asked: TypeAlias = Say | Do | Unknown


@attrs.frozen
class SlashCommand:
    """A command: its argument as the help shows it (in brackets where it may be left out), and a line about it."""

    argument: str
    summary: str

    @property
    def takes_argument(self) -> bool:
        return bool(self.argument)

    @property
    def needs_argument(self) -> bool:
        return self.takes_argument and not self.argument.startswith("[")


SLASH_COMMANDS: Final = {
    "help": SlashCommand("", "show this"),
    "clear": SlashCommand("", "begin a new conversation"),
    "history": SlashCommand("", "show the conversation so far"),
    "tools": SlashCommand("", "show the agent's tools, and which were called"),
    "save": SlashCommand("[NAME]", "keep the conversation; without this nothing of it is kept"),
    "resume": SlashCommand("[ID]", "go on with a saved conversation; without an id, list them"),
    "export": SlashCommand("FILE", "append the conversation to a file, as a test case for holodeck test"),
    "exit": SlashCommand("", "leave; so do exit, quit and Ctrl-D"),
}
LITERAL_HINT: Final = "a message that begins with a slash is written with two"

_COMMAND = re.compile(r"/([A-Za-z-]*)(?:[ \t]+([^\n]*))?")
_LEAVE = ("exit", "quit")


def _unquoted(argument: str) -> str:
    """Quotes around all of it are those of a habit: the rest of the line is one argument anyway."""
    quoted = len(argument) > 2 and argument[0] == argument[-1] and argument[0] in "\"'"
    return argument[1:-1] if quoted else argument


def read_line(text: str) -> Asked:
    """A slash and a word is a command, ``//`` begins a message with one slash; paths and the like are messages."""
    line = text.strip()
    if line.lower() in _LEAVE:
        return Do("exit")
    if line.startswith("//"):
        return Say(line[1:])
    match = _COMMAND.fullmatch(line)
    if match is None:
        return Say(text)
    name, argument = match[1].lower(), _unquoted((match[2] or "").strip())
    name = "exit" if name == "quit" else name
    command = SLASH_COMMANDS.get(name)
    if command is None:
        meant = near(name, list(SLASH_COMMANDS))
        did_you_mean = f"did you mean /{meant[0]}? " if meant else ""
        return Unknown(f"there is no command /{name}; {did_you_mean}/help shows all, and {LITERAL_HINT}")
    if argument and not command.takes_argument:
        return Unknown(f"/{name} takes nothing behind it; {LITERAL_HINT}")
    if command.needs_argument and not argument:
        return Unknown(f"/{name} needs the name of a file: /{name} {command.argument}")
    return Do(name, argument)
