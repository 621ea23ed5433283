"""What a line at the prompt asks for."""

from __future__ import annotations

import pytest

from holodeck_cli.chat.slash import SLASH_COMMANDS, Do, Say, Unknown, read_line


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("hello", Say("hello")),
        ("  hello ", Say("  hello ")),
        ("what is 1/2?", Say("what is 1/2?")),
        ("/help", Do("help")),
        ("/HELP ", Do("help")),
        (" /save my-chat ", Do("save", "my-chat")),
        ("/save", Do("save")),
        ("/resume", Do("resume")),
        ("/export my file.yaml", Do("export", "my file.yaml")),
        ('/export "my file.yaml"', Do("export", "my file.yaml")),
        ("/export 'it''s.yaml'", Do("export", "it''s.yaml")),
        ("/export \"a' ", Do("export", "\"a'")),
        ("exit", Do("exit")),
        ("Quit", Do("exit")),
        ("/quit", Do("exit")),
        ("exit now", Say("exit now")),
        ("//help", Say("/help")),
        ("///", Say("//")),
        ("/etc/hosts is broken", Say("/etc/hosts is broken")),
        ("/2 of it", Say("/2 of it")),
        ("/help\nand more", Say("/help\nand more")),
        ("", Say("")),
    ],
)
def test_lines(line: str, asked: object) -> None:
    assert read_line(line) == asked


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("/histroy", "there is no command /histroy; did you mean /history?"),
        ("/foo", "there is no command /foo; /help shows all"),
        ("/", "there is no command /; /help"),
        ("/export", "/export needs the name of a file: /export FILE"),
        (
            "/clear all",
            "/clear takes nothing behind it; a message that begins with a slash is written with two",
        ),
    ],
)
def test_mistakes_say_what_to_do(line: str, hint: str) -> None:
    asked = read_line(line)
    assert isinstance(asked, Unknown)
    assert asked.hint.startswith(hint)


@pytest.mark.parametrize("name", SLASH_COMMANDS)
def test_every_command_can_be_given(name: str) -> None:
    argument = "x" if SLASH_COMMANDS[name].needs_argument else ""
    assert read_line(f"/{name} {argument}") == Do(name, argument)
