"""What a message must be before it is sent."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from holodeck_cli.chat.validators import NamedValidator, check_message, find_validators
from holodeck_core import Accepted, PluginHost, Refused
from holodeck_core.testing.fake_distribution import FakeDistribution

ONE = "1 control character was stripped from the message"


@pytest.fixture(scope="module")
def chain() -> tuple[NamedValidator, ...]:
    return find_validators(PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"}))[0]


@pytest.mark.parametrize(
    ("text", "sent", "notes"),
    [
        ("hello", "hello", ()),
        ("  indented\n\ttabbed ", "  indented\n\ttabbed ", ()),
        ("x" * 10_000, "x" * 10_000, ()),
        (" " * 50 + "x" * 10_000 + "\n", " " * 50 + "x" * 10_000 + "\n", ()),
        ("one\r\ntwo\rthree", "one\ntwo\nthree", ()),
        ("a\x07b", "ab", (ONE,)),
        ("\x1b[31mred", "[31mred", (ONE,)),
        ("\x00a\x7fb\x9bc", "abc", ("3 control characters were stripped from the message",)),
        ("\x1b[200~pasted\ntwice\x1b[201~", "pasted\ntwice", ()),
        ("😀 ñ \u200d \u202e", "😀 ñ \u200d \u202e", ()),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_sent(chain: tuple[NamedValidator, ...], text: str, sent: str, notes: tuple[str, ...]) -> None:
    assert check_message(text, chain) == Accepted(sent, notes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not sent: the message is blank"),
        (" \n\t ", "not sent: the message is blank"),
        ("\x00\x07", "not sent: the message is blank"),
        ("\x1b[200~ \x1b[201~", "not sent: the message is blank"),
        ("x" * 10_001, "not sent: the message has 10,001 characters, and 10,000 are the most"),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), "not sent: the message is not valid UTF-8"),
        ("\ud83d", "not sent: the message is not valid UTF-8"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_refused_in_one_line(chain: tuple[NamedValidator, ...], text: str, reason: str) -> None:
    assert check_message(text, chain) == Refused(reason)


ACME = """
from holodeck_core import Accepted, Refused, Validator
from holodeck_core.plugins import Contribution, hookimpl

class NoCardNumbers(Validator):
    def check(self, text):
        if "4111" in text:
            return Refused("not sent: that looks like the number of a card")
        return Accepted(text.replace("Bob", "[name]"), ("a name was replaced",) if "Bob" in text else ())

class Fails(Validator):
    def check(self, text):
        if text == "exit": raise SystemExit(1)
        if text == "wrong": return True
        if text == "number": return Accepted(3)
        if text == "boom": raise ValueError("out of order")
        return Accepted(text)

class NotMade(Validator):
    def __init__(self): raise ValueError("no licence")
    def check(self, text): ...

@hookimpl
def holodeck_validators():
    return [Contribution(name, f"acme_hooks:{target}", "") for name, target in CONTRIBUTED]
"""


def acme(folder: Path, **contributed: str) -> tuple[tuple[NamedValidator, ...], tuple[str, ...]]:
    source = f"CONTRIBUTED = {list(contributed.items())}\n{ACME}"
    module = f"acme_{abs(hash(folder))}"
    source = source.replace("acme_hooks", module)
    FakeDistribution("holodeck-acme", modules={f"{module}.py": source}).install(folder)
    return find_validators(PluginHost(path=sys.path))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


class TestPlugins:
    def test_theirs_come_after_ours(self, path: Path) -> None:
        chain, problems = acme(path, cards="NoCardNumbers")
        assert ([each.name for each in chain], problems) == (["message", "acme/cards"], ())
        assert check_message("\x07Bob", chain) == Accepted("[name]", (ONE, "a name was replaced"))
        assert check_message("4111 1111", chain) == Refused("not sent: that looks like the number of a card")
        assert check_message(" ", chain) == Refused("not sent: the message is blank")

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (
                "boom",
                r"the validator acme/fails failed: ValueError: out of order \(acme_\d+.py:\d+ in check\)",
            ),
            ("exit", "the validator acme/fails failed: SystemExit: 1"),
            ("wrong", "a validator gives Accepted or Refused, got bool"),
            ("number", "a validator gives texts, got int"),
        ],
    )
    def test_one_that_fails_lets_nothing_pass(self, path: Path, text: str, reason: str) -> None:
        chain, _ = acme(path, fails="Fails")
        outcome = check_message(text, chain)
        assert isinstance(outcome, Refused)
        assert re.search(reason, outcome.reason)

    def test_one_that_cannot_be_had_is_told(self, path: Path) -> None:
        chain, problems = acme(path, made="NotMade", missing="Nothing", cards="NoCardNumbers")
        assert [each.name for each in chain] == ["message", "acme/cards"]
        assert problems[0] == "the validator acme/made cannot be used: ValueError: no licence"
        assert "holodeck-acme 1.0: validator 'missing': cannot import" in problems[1]
