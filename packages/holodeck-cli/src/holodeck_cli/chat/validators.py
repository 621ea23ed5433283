"""What a message must be before it is sent: HoloDeck's own rules, then those of plugins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import attrs

from holodeck_core import Accepted, PluginHost, Refused, Validator
from holodeck_core.api.faults import describe
from holodeck_core.models.chat import MAX_USER_CHARACTERS
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.names import FIRST_PARTY_IDS

_PASTE_MARKS = re.compile(r"\x1b\[20[01]~")
_LINE_BREAKS = re.compile(r"\r\n?")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class MessageRules(Validator):
    """Valid UTF-8, not blank, at most 10,000 characters; control characters other than newline and tab are
    stripped. Bytes that are no UTF-8 come as lone surrogates."""

    def check(self, text: str) -> Accepted | Refused:
        if _SURROGATES.search(text):
            return Refused("not sent: the message is not valid UTF-8")
        text = _LINE_BREAKS.sub("\n", _PASTE_MARKS.sub("", text))
        text, stripped = _CONTROLS.subn("", text)
        if not text.strip():
            return Refused("not sent: the message is blank")
        if (length := len(text.strip())) > MAX_USER_CHARACTERS:
            return Refused(
                f"not sent: the message has {length:,} characters, and {MAX_USER_CHARACTERS:,} are the most"
            )
        if not stripped:
            return Accepted(text)
        characters = "1 control character was" if stripped == 1 else f"{stripped} control characters were"
        return Accepted(text, (f"{characters} stripped from the message",))


@attrs.frozen
class NamedValidator:
    """A validator and the name that its plugin gives it."""

    name: str
    validator: Validator


def find_validators(host: PluginHost) -> tuple[tuple[NamedValidator, ...], tuple[str, ...]]:
    """The chain, HoloDeck's own first, and what is wrong with validators that are not available."""
    found, problems = [], []
    resolved = host.validators(Validator)
    for each in sorted(resolved, key=lambda each: each.plugin.id not in FIRST_PARTY_IDS):
        try:
            found.append(NamedValidator(each.name, each.object()))
        except BaseException as error:  # noqa: BLE001 - boundary: the constructor of somebody's validator
            pass_interruptions(error)
            problems.append(f"the validator {each.name} cannot be used: {describe(error)}")
    problems += [
        f"{record.distribution} {record.version}: {problem}"
        for record in host.records()
        if record.status == "broken"
        for problem in record.problems
        if "validator" in problem or not record.contributions
    ]
    return tuple(found), tuple(problems)


def check_message(text: str, chain: Sequence[NamedValidator]) -> Accepted | Refused:
    """The text after all links of the chain, with everything they noted. A validator that fails lets nothing pass."""
    notes: list[str] = []
    for link in chain:
        try:
            outcome: object = link.validator.check(text)
            if isinstance(outcome, Accepted):
                text = _text(outcome.text)
                notes += _texts(outcome.notes)
                continue
            if not isinstance(outcome, Refused):
                raise TypeError(f"a validator gives Accepted or Refused, got {type(outcome).__name__}")
            return Refused(_text(outcome.reason))
        except BaseException as error:  # noqa: BLE001 - boundary: somebody's validator
            pass_interruptions(error)
            return Refused(f"not sent: the validator {link.name} failed: {describe(error, with_place=True)}")
    return Accepted(text, tuple(notes))


def _texts(values: Iterable[object]) -> list[str]:
    return [_text(value) for value in values]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a validator gives texts, got {type(value).__name__}")
    return value
