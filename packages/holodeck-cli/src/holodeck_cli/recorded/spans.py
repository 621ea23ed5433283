"""Where in a YAML text everything begins and ends, for changes that leave the rest of the text as it is. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs
import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import BaseLoader as _Loader
else:
    from yaml import CBaseLoader as _Loader


@attrs.frozen
class Span:
    """A node of the text: ``text[start:end]`` holds it, without comments and white space behind it.

    ``scalar`` is the text of a scalar, and ``plain`` whether it stands without quotes. ``items`` are the nodes of a
    sequence, ``pairs`` the keys and values of a mapping. ``flow``: in brackets or braces.
    """

    start: int
    end: int
    scalar: str | None = None
    plain: bool = False
    items: list[Span] | None = None
    pairs: list[tuple[Span, Span]] | None = None
    flow: bool = False

    def pair(self, name: str) -> tuple[Span, Span] | None:
        """The key of that name and its value."""
        return next(((key, value) for key, value in self.pairs or () if key.scalar == name), None)


def spans(text: str) -> Span:
    """The root of the one document in a text that is known to be YAML, and not empty."""
    events = (event for event in yaml.parse(text, Loader=_Loader) if isinstance(event, NodeEvent | _END))
    return _span(next(events), events, text)


_END = SequenceEndEvent | MappingEndEvent


def _span(event: Any, events: Iterator[Any], text: str) -> Span:
    start, end = event.start_mark.index, event.end_mark.index
    match event:
        case ScalarEvent():
            return Span(start, end, scalar=event.value, plain=not event.style)
        case SequenceStartEvent():
            items: list[Span] = []
            while not isinstance(event := next(events), SequenceEndEvent):
                items.append(_span(event, events, text))
            end, flow = _end(event, "]", items[-1].end if items else end, text)
            return Span(start, end, items=items, flow=flow)
        case MappingStartEvent():
            pairs: list[tuple[Span, Span]] = []
            while not isinstance(event := next(events), MappingEndEvent):
                pairs.append((_span(event, events, text), _span(next(events), events, text)))
            end, flow = _end(event, "}", pairs[-1][1].end if pairs else end, text)
            return Span(start, end, pairs=pairs, flow=flow)
        case AliasEvent():
            return Span(start, end)
    raise AssertionError(event)


def _end(event: Any, bracket: str, content_end: int, text: str) -> tuple[int, bool]:
    """Where a collection ends, and whether a bracket ends it. The event of one without a bracket stands at whatever
    follows."""
    start, end = event.start_mark.index, event.end_mark.index
    bracketed = text[start:end] == bracket
    return (end if bracketed else content_end), bracketed
