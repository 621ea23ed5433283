"""What finds secrets in texts, values and streams, and takes them out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from holodeck_core.redaction.forms import forms_of, json_text
from holodeck_core.redaction.spans import CUT, Span, fragments, merged, occurrences, replaced
from holodeck_core.text import sanitize_tool_output

MASK: Final = "[redacted]"
"""What stands where a secret stood."""

SHORTEST: Final = 8
"""A secret of fewer characters is not looked for: it would be found in places where it is none."""

# In a line of JSON: what the one text safety may take out of a text, which puts together what it parted.
_HIDING: Final = re.compile(
    rb"\\u00[01]|\\[bf]|\x7f|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1\x85|\xe1\x9e|\xe1\xa0|\xe2\x80[\x8b-\x8f\xa8-\xae]"
    rb"|\xe2\x81[\xa0-\xaf]|\xe3\x85\xa4|\xef\xb8|\xef\xbb\xbf|\xef\xbe\xa0|\xef\xbf[\xb0-\xbb]|\xf0\x9b|\xf0\x9d|\xf3\xa0"
)
# Characters from the rarest to the commonest in what agents say and in records of it. One character is found many times
# as quickly as a text, and nearly every form of a secret has one that is not there.
_RARE: Final = (
    "%QXZJKWVYqUHGzjFBPLDNMRSCEAOIT+~!$&*^`@#?=<>';|\\()/kwvyxbpgfuh9876543mld20-1cnr.ota_ies:,{}[]\" "
)
_RANK: Final = {character: rank for rank, character in enumerate(_RARE, 1)}


class Redactor:
    """Finds secrets, of which it keeps those of at least ``shortest`` characters. It is true where there are any.

    It shows none of them in its ``repr``, and cannot be pickled.
    """

    __slots__ = ("_count", "_forms", "_heads", "_in_json", "_longest", "_needles")

    def __init__(self, secrets: Iterable[str] = (), shortest: int = SHORTEST) -> None:
        kept = {secret for secret in secrets if len(secret) >= shortest}
        forms: set[str] = set()
        needles: set[str] = set()
        for secret in kept:
            own = {form for form in forms_of(secret) if len(form) >= shortest}
            forms |= own
            # What contains another form is found with it.
            needles |= {form for form in own if not any(other in form for other in own if other != form)}
        self._count = len(kept)
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._needles = _by_mark(needles)
        self._in_json = tuple(
            (mark.encode(), tuple(needle.encode() for needle in having))
            for mark, having in _by_mark({json_text(needle)[1:-1] for needle in needles})
        )
        self._longest = max(map(len, forms), default=0)
        self._heads = {form[0] for form in forms}

    def __bool__(self) -> bool:
        return self._count > 0

    def __repr__(self) -> str:
        return f"<Redactor of {self._count} secret{'' if self._count == 1 else 's'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Redactor holds secrets and is not pickled")

    def __copy__(self) -> Redactor:
        return self

    def __deepcopy__(self, memo: object) -> Redactor:
        return self

    def redact(self, text: str) -> str:
        """The text with ``MASK`` for every secret in it; secrets that overlap get one."""
        if not self._finds(text):
            return text
        return replaced(text, MASK, self._spans(text))

    def blank(self, text: str) -> str:
        """The text at the same length, with asterisks for every secret in it."""
        for start, end in self._spans(text) if self._finds(text) else ():
            text = f"{text[:start]}{'*' * (end - start)}{text[end:]}"
        return text

    def redact_shown(self, text: str) -> str:
        """As ``redact``, of a text that may have been shortened, and will be made safe for a reader.

        A secret of which ``...`` left a part is masked as well, and so is one that is whole when hidden characters have
        been taken out of the text.
        """
        if not self._forms:
            return text
        redacted = self.redact(text)
        shown = sanitize_tool_output(redacted)
        if shown != redacted and self._finds(shown):
            redacted = self.redact(shown)
        return self._without_fragments(redacted) if CUT.search(redacted) else redacted

    def redact_value(self, value: Any) -> Any:
        """A JSON value with every text redacted as shown, keys among them. A number that holds a secret becomes
        ``MASK``, and of several keys that become the same none is lost."""
        if not self._forms:
            return value
        return self._value(value)

    def is_in_json(self, line: bytes) -> bool:
        """Whether a line of JSON may hold what ``redact_value`` would change in its value; False is certain."""
        for mark, needles in self._in_json:
            if mark in line:
                for needle in needles:
                    if needle in line:
                        return True
        if not self._in_json:
            return False
        if (b"\\" in line or b"\x7f" in line or not line.isascii()) and _HIDING.search(line) is not None:
            return True
        if b"..." not in line and b"\xe2\x80\xa6" not in line:
            return False
        text = line.decode("utf-8", "replace")
        return any(
            True
            for _, needles in self._in_json
            for needle in needles
            for _ in fragments(needle.decode(), text)
        )

    def stream(self) -> StreamRedactor:
        """For a text that comes in pieces."""
        return StreamRedactor(self)

    def _finds(self, text: str) -> bool:
        for mark, needles in self._needles:
            if mark in text:
                for needle in needles:
                    if needle in text:
                        return True
        return False

    def _spans(self, text: str) -> list[Span]:
        """Where the secrets are, in order; those that overlap as one."""
        return merged((start, end) for form in self._forms for start, end in occurrences(form, text))

    def _without_fragments(self, text: str) -> str:
        return replaced(text, MASK, merged(span for form in self._forms for span in fragments(form, text)))

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact_shown(value)
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list | tuple):
            return [self._value(item) for item in value]
        if value is None or isinstance(value, bool):
            return value
        return MASK if self._finds(str(value)) else value

    def _mapping(self, value: dict[str, Any]) -> dict[str, Any]:
        redacted: dict[str, Any] = {}
        same: dict[str, int] = {}
        for written, item in value.items():
            first = key = self.redact_shown(written)
            while key in redacted:
                same[first] = same.get(first, 1) + 1
                key = f"{first} ({same[first]})"
            redacted[key] = self._value(item)
        return redacted

    def _undecided(self, text: str) -> int:
        """From where on what follows ``text`` may still make a secret of it."""
        for start in range(max(0, len(text) - self._longest + 1), len(text)):
            if text[start] in self._heads:
                rest = text[start:]
                if any(len(form) > len(rest) and form.startswith(rest) for form in self._forms):
                    return start
        return len(text)


class StreamRedactor:
    """Redacts a text that comes in pieces: together, what is given back is what ``redact`` makes of the whole.

    Only what may still become a secret is held back. Give it what has been made safe to show: hidden characters could
    part a secret that is whole for a reader.
    """

    __slots__ = ("_covered", "_held", "_redactor")

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._covered = 0  # so many characters of what is held belong to a secret whose mask was given back

    def feed(self, piece: str) -> str:
        """One more piece; gives back what is certain by now."""
        if not self._redactor:
            return piece
        self._held += piece
        return self._release(self._redactor._undecided(self._held))

    def finish(self) -> str:
        """What is left at the end of the text."""
        return self._release(len(self._held))

    def _release(self, until: int) -> str:
        if not until:
            return ""
        text, known = self._held, self._covered
        spans = self._redactor._spans(text)
        if known:
            spans = merged([(0, known), *spans])
        parts: list[str] = []
        done = 0
        for start, end in spans:
            if start >= until:
                break
            parts.append(text[done:start])
            if start or not known:
                parts.append(MASK)
            done = end
        self._held, self._covered = text[until:], max(0, done - until)
        return "".join([*parts, text[done:until]])


def _by_mark(needles: Iterable[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The texts, by the rarest character that each of them has."""
    found: dict[str, list[str]] = {}
    for needle in sorted(needles):
        found.setdefault(min(needle, key=lambda character: _RANK.get(character, 0)), []).append(needle)
    return tuple((mark, tuple(having)) for mark, having in found.items())


NO_SECRETS: Final = Redactor()
