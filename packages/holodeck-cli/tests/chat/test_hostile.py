"""What an agent says leaves a terminal as plain text would, also where a sequence is split over several pieces."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pyte
import pytest

from holodeck_cli.chat.display import Display
from holodeck_cli.chat.events import ChatTurn, TurnDone, TurnFailed
from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.terminal_screen import TerminalScreen
from holodeck_core import Reply, ReplyEvent, TextDelta, ToolCall, ToolFinished, ToolStarted
from holodeck_core.api.values import well_formed

# What is said, and the plain text that it amounts to.
HOSTILE = {
    "colour": ("a\x1b[31mb", "ab"),
    "colour that is not ended": ("a\x1b[31", "a31"),
    "clear screen": ("a\x1b[2Jb", "ab"),
    "home and overwrite": ("a\x1b[Hb", "ab"),
    "cursor up and erase": ("safe\x1b[1A\x1b[2Kevil", "safeevil"),
    "scroll region": ("\x1b[1;3rx", "x"),
    "alternate screen": ("\x1b[?1049hx", "x"),
    "hide cursor": ("\x1b[?25lx", "x"),
    "bracketed paste on": ("\x1b[?2004hx", "x"),
    "mouse on": ("\x1b[?1000;1006hx", "x"),
    "line wrap off": ("\x1b[?7lx", "x"),
    "insert mode": ("\x1b[4hx", "x"),
    "device status": ("\x1b[6nx", "x"),
    "device attributes": ("\x1b[cx", "x"),
    "window title": ("a\x1b]0;pwned\x07b", "ab"),
    "window title ended by ST": ("a\x1b]2;pwned\x1b\\b", "ab"),
    "title in 8 bits": ("a\x9d0;pwned\x9cb", "ab"),
    "link": ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
    "clipboard": ("before\x1b]52;c;SGVsbG8=\x07after", "beforeafter"),
    "title without an end": ("a\x1b]0;never\nended", "a0;never\nended"),
    "DCS": ("a\x1bP+q544e\x1b\\b", "ab"),
    "DCS without an end": ("a\x1bP+q\nb", "a+q\nb"),
    "APC, PM, SOS": ("a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab"),
    "CSI in 8 bits": ("a\x9b31mb", "ab"),
    "reset": ("a\x1bcb", "ab"),
    "save and restore": ("a\x1b7\x1b8b", "ab"),
    "character set": ("a\x1b(0qqq\x1b(Bb", "aqqqb"),
    "shift out": ("a\x0eqqq\x0fb", "aqqqb"),
    "bell": ("a\x07b", "ab"),
    "backspaces": ("safe\x08\x08\x08\x08evil", "safeevil"),
    "lone carriage return": ("safe\revil", "safe\nevil"),
    "carriage return and newline": ("one\r\ntwo", "one\ntwo"),
    "vertical tab and form feed": ("a\x0bb\x0cc", "a\nb\nc"),
    "null and delete": ("a\x00b\x7fc", "abc"),
    "next line in 8 bits": ("a\x85b", "a\nb"),
    "index and reverse index": ("a\x84b\x8dc", "abc"),
    "line and paragraph separator": ("a\u2028b\u2029c", "a\nb\nc"),
    "bidi override": ("pay \u202eevil\u202c now", "pay evil now"),
    "bidi isolate": ("\u2066x\u2069y", "xy"),
    "zero width": ("pass\u200bword\ufeff", "password"),
    "tag characters": ("a\U000e0041\U000e0042b", "ab"),
    "joiners beside ASCII": ("a\u200d\u200cb", "ab"),
    "selectors that hide text": ("a\ufe0f\ufe01\U000e0100b", "ab"),
    "a family stays": ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
    "Arabic marks stay": ("\u0643\u064e\u062a\u0651", "\u0643\u064e\u062a\u0651"),
    "lone surrogate": ("a\ud83db", "a\ufffdb"),
    "markup": ("[/etc/hosts], [bold and [/] and arr[0] [link=http://x]y[/link] :smile:",) * 2,
    "braces and backslashes": ("{x} \\x1b[31m %s ${HOME}",) * 2,
    "escape at the end": ("a\x1b", "a"),
    "nested escapes": ("\x1b\x1b[\x1b]0;x\x1b[31mb", "0;xb"),
    "a megabyte in a line": ("x" * 1_000_000, "x" * 1_000_000),
    "a megabyte of escapes": ("\x1b[31m" * 200_000 + "b", "b"),
}
WIDE, HIGH = 60, 12
SHORT = {name: row for name, row in HOSTILE.items() if len(row[0]) < 1000}


async def shown(events: list[ReplyEvent], final: Reply | None, failure: str | None = None) -> str:
    """What a terminal receives for a turn, the conversation's history behind it included."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", newline="")
    screen = TerminalScreen(stream)
    display = Display(screen, OutputGate(), verbose=True)
    view = display.reply()
    for event in events:
        view.show(event)
    if final is not None:
        turn = ChatTurn("hi", final, datetime(2026, 1, 2, tzinfo=UTC), 1.0)
        view.show(TurnDone(turn))
        display.turn(turn)
    if failure is not None:
        view.show(TurnFailed(failure))
    screen.rest()
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined,no-any-return]


def drawn(text: str) -> dict[str, Any]:
    """The state of a terminal after a text."""
    screen = pyte.HistoryScreen(WIDE, HIGH, history=200)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    cursor = screen.cursor
    return {
        "above": ["".join(row[x].data for x in range(WIDE)).rstrip() for row in screen.history.top],
        "lines": list(screen.display),
        "cells": {(y, x): screen.buffer[y][x] for y in range(HIGH) for x in range(WIDE)},
        "cursor": (cursor.x, cursor.y, cursor.hidden, cursor.attrs),
        "modes": screen.mode,
        "margins": screen.margins,
        "title": (screen.title, screen.icon_name),
        "charset": screen.charset,
        "tabs": screen.tabstops,
    }


async def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(HOSTILE) >= 40


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_reply(name: str) -> None:
    said, plain = HOSTILE[name]
    whole = await shown([TextDelta(said)], Reply(well_formed(said)))
    plainly = await shown([TextDelta(plain)], Reply(plain))
    assert whole == plainly
    if name in SHORT:
        assert drawn(whole) == drawn(plainly)


@pytest.mark.parametrize("name", SHORT)
async def test_a_reply_in_pieces_of_one_character(name: str) -> None:
    said, plain = HOSTILE[name]
    events: list[ReplyEvent] = [TextDelta(character) for character in said]
    assert drawn(await shown(events, Reply(well_formed(said)))) == drawn(
        await shown([TextDelta(plain)], Reply(plain))
    )


@pytest.mark.parametrize("name", SHORT)
async def test_a_reply_that_is_broken_off_in_a_sequence(name: str) -> None:
    said = HOSTILE[name][0]
    untouched = drawn("x")
    for cut in range(len(said) + 1):
        state = drawn(await shown([TextDelta(said[:cut])], None, failure="stopped"))
        assert (state["title"], state["modes"]) == (untouched["title"], untouched["modes"])
        assert state["lines"][state["cursor"][1] - 1].strip() == "stopped"


@pytest.mark.parametrize("name", SHORT)
async def test_everything_else_that_an_agent_names(name: str) -> None:
    """Names, parameters, results, errors: one line each, with no escape sequence but those of our own colours."""
    said, _ = HOSTILE[name]
    calls = [
        ToolCall(said, {said: said, "deep": {said: [said]}}, result={said: [said]}),
        ToolCall("f", {}, error=said),
        ToolCall("g", {}, raw_args=said, result=said),
    ]
    events: list[ReplyEvent] = []
    for index, call in enumerate(calls):
        events.append(ToolStarted(str(index), call.name, call.args, call.raw_args))
        events.append(ToolFinished(str(index), call.result, call.error))
    text = await shown([*events, TextDelta("end")], Reply("end", tuple(calls)), None)
    text += await shown([], None, failure=f"ValueError: {said}")
    for ours in ("\x1b[2m", "\x1b[31m", "\x1b[0m"):
        text = text.replace(ours, "")
    assert not [character for character in text if character != "\n" and not _visible(character)], repr(text)


def _visible(character: str) -> bool:
    """Characters that show, and joiners and selectors, which are allowed in emoji alone."""
    return character.isprintable() or character in "\u200d\ufe0f\t"


async def test_a_sequence_may_be_split_over_a_tool_call() -> None:
    events: list[ReplyEvent] = [
        TextDelta("a\x1b]0;ti"),
        ToolStarted("1", "f"),
        ToolFinished("1"),
        TextDelta("tle\x07b"),
    ]
    assert drawn(await shown(events, Reply("atitle")))["title"] == ("", "")


async def test_a_reply_that_comes_in_pieces_is_not_shown_twice() -> None:
    text = await shown([TextDelta("one "), TextDelta("\ud83d"), TextDelta("\ude00")], Reply("one 😀"))
    assert text.count("one") == 2  # the reply and the history
    replaced = await shown([TextDelta("draft")], Reply("final"))
    assert replaced.count("final") == 2
    assert await shown([TextDelta("Let me see. "), TextDelta("It is 7.")], Reply("It is 7.")) == (
        await shown([TextDelta("Let me see. It is 7.")], Reply("It is 7."))
    )


async def test_usage_and_unknown_durations_show_nothing_odd() -> None:
    events: list[ReplyEvent] = [
        ToolStarted("1", "f"),
        ToolFinished("1", duration_ms=float("nan")),
        ToolStarted("2", "g"),
        ToolFinished("2", duration_ms="soon"),  # type: ignore[arg-type]
        ToolFinished("none"),
        ToolStarted("3", "h"),
        ToolFinished("3", duration_ms=1e300),
    ]
    text = await shown(events, Reply("ok"))
    assert "nan" not in text
    assert "soon" not in text
    assert max(map(len, text.splitlines())) < 200
