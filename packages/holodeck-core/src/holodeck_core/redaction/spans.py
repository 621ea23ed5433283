"""Where something stands in a text: (start, end) of each place. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]

_FRAGMENT: Final = 4  # of a secret that was cut short, fewer characters are left alone
CUT: Final = re.compile(r"\.{3,}|…")  # where the middle or the end of a text was left out


def occurrences(form: str, text: str) -> Iterator[Span]:
    """Every place of the form, also where they overlap."""
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def fragments(form: str, text: str) -> Iterator[Span]:
    """Where a beginning of the form stands before a place where the text was cut, or an end of it behind one."""
    head, tail = form[:_FRAGMENT], form[-_FRAGMENT:]
    if head not in text and tail not in text:
        return
    for cut in CUT.finditer(text):
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


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def replaced(text: str, put: str, spans: Iterable[Span]) -> str:
    """The text with ``put`` in each of the places, which are in order."""
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += (text[done:start], put)
        done = end
    return "".join([*parts, text[done:]])
