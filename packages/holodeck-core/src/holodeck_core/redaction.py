"""Secrets by their value: found in whatever is about to be written or shown, and replaced by one fixed text. Pure.

An agent that was given a secret may repeat it, in an encoding as well. So secrets are looked for as they are, escaped
as in JSON and in Python, quoted as in URLs, and in Base64, also in the middle of a longer text that was encoded as one.
"""

from __future__ import annotations

import json
import re
from base64 import standard_b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from typing import Any, Final, NoReturn
from urllib.parse import quote, quote_plus

from holodeck_core.text import one_line, sanitize_tool_output, show_value

MASK: Final = "[redacted]"
"""What stands where a secret stood."""

SHORTEST: Final = 8
"""A secret of fewer characters is not looked for: it would be found in places where it is none."""

_FRAGMENT: Final = 4  # of a secret that was cut short, fewer characters are left alone
_CUT: Final = re.compile(r"\.{3,}|…")  # where the middle or the end of a text was left out
_SAFE_IN_URLS: Final = (
    "",
    "/",
    "!'()*",
    ";,/?:@&=+$!*'()#",
)  # of Python and of the two functions of JavaScript
_HEX: Final = re.compile(r"%[0-9A-F]{2}")
# In a line of JSON: what the one text safety may take out of a text, which puts together what it parted.
_HIDING: Final = re.compile(
    rb"\\u00[01]|\\[bf]|\x7f|\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1\x85|\xe1\x9e|\xe1\xa0|\xe2\x80[\x8b-\x8f\xa8-\xae]"
    rb"|\xe2\x81[\xa0-\xaf]|\xe3\x85\xa4|\xef\xb8|\xef\xbb\xbf|\xef\xbe\xa0|\xef\xbf[\xb0-\xbb]|\xf0\x9b|\xf0\x9d|\xf3\xa0"
)

_to_json = json.JSONEncoder(ensure_ascii=False).encode


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
            own = {form for form in _forms(secret) if len(form) >= shortest}
            forms |= own
            # What contains another form is found with it.
            needles |= {form for form in own if not any(other in form for other in own if other != form)}
        self._count = len(kept)
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._needles = tuple(sorted(needles))
        self._in_json = tuple(sorted({_to_json(needle)[1:-1].encode() for needle in needles}))
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
        return _masked(text, self._spans(text))

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
        return self._without_fragments(redacted) if _CUT.search(redacted) else redacted

    def redact_value(self, value: Any) -> Any:
        """A JSON value with every text redacted as shown, keys among them. A number that holds a secret becomes
        ``MASK``, and of several keys that become the same none is lost."""
        if not self._forms:
            return value
        return self._value(value)

    def is_in_json(self, line: bytes) -> bool:
        """Whether a line of JSON may hold what ``redact_value`` would change in its value; False is certain."""
        for needle in self._in_json:
            if needle in line:
                return True
        if not self._in_json:
            return False
        if (b"\\" in line or b"\x7f" in line or not line.isascii()) and _HIDING.search(line) is not None:
            return True
        if b"..." not in line and b"\xe2\x80\xa6" not in line:
            return False
        text = line.decode("utf-8", "replace")
        return any(True for needle in self._in_json for _ in _fragments(needle.decode(), text))

    def stream(self) -> StreamRedactor:
        """For a text that comes in pieces."""
        return StreamRedactor(self)

    def _finds(self, text: str) -> bool:
        for needle in self._needles:  # noqa: SIM110 - several times as quick as any()
            if needle in text:
                return True
        return False

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets are, in order; those that overlap as one."""
        return merged((start, end) for form in self._forms for start, end in _occurrences(form, text))

    def _without_fragments(self, text: str) -> str:
        return _masked(text, merged(span for form in self._forms for span in _fragments(form, text)))

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

    Only what may still become a secret is held back.
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


NO_SECRETS: Final = Redactor()


def _forms(secret: str) -> Iterator[str]:
    """How a secret may be written."""
    width = 12 * len(secret) + 2  # more than any escape needs
    escaped = {_to_json(secret)[1:-1], json.dumps(secret)[1:-1]}
    escaped |= {text.replace("/", "\\/") for text in escaped}
    yield from (secret, secret.strip(), one_line(secret), repr(secret)[1:-1], show_value(secret, width)[1:-1])
    yield from escaped
    yield from (
        encode(text)[1:-1] for text in escaped for encode in (_to_json, json.dumps)
    )  # JSON inside JSON
    raw = secret.encode("utf-8", "replace")
    for safe in _SAFE_IN_URLS:
        for quoted in (quote(raw, safe), quote_plus(raw, safe), quote(raw, safe).replace("~", "%7E")):
            yield quoted
            yield _HEX.sub(lambda found: found.group().lower(), quoted)
    yield from _base64(raw)
    if secret.isascii() and secret.isdigit():
        yield secret.lstrip("0")  # as a number


def _base64(raw: bytes) -> Iterator[str]:
    """Base64 of the bytes, by themselves and behind one or two others: what these and what follows cannot change, and
    the same up to the end of the text, with its padding and without."""
    for encode in (standard_b64encode, urlsafe_b64encode):
        for before in range(3):
            text = encode(bytes(before) + raw).decode()
            own = (8 * before + 5) // 6
            yield text[own : 8 * (before + len(raw)) // 6]
            yield text[own:].rstrip("=")
            yield text[own:]


def _occurrences(form: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _fragments(form: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a beginning of the form stands before a place where the text was cut, or an end of it behind one."""
    head, tail = form[:_FRAGMENT], form[-_FRAGMENT:]
    if head not in text and tail not in text:
        return
    for cut in _CUT.finditer(text):
        start, end = cut.span()
        at = text.find(head, max(0, start - len(form)), start)
        while at >= 0:
            if form.startswith(text[at:start]):
                yield at, start
                break
            at = text.find(head, at + 1, start)
        last = min(len(text), end + len(form))
        at = text.rfind(tail, end, last)
        while at >= 0:
            if form.endswith(text[end : at + _FRAGMENT]):
                yield end, at + _FRAGMENT
                break
            at = text.rfind(tail, end, at + _FRAGMENT - 1)


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += (text[done:start], MASK)
        done = end
    return "".join([*parts, text[done:]])


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
