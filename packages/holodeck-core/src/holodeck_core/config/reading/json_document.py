"""JSON documents, by the rules of YAML documents: no duplicate keys, finite numbers, source text where text is meant.

The standard library's decoder reads; only what it cannot tell, or tells to be wrong, is read again with places.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeAlias

from yaml.nodes import Node

from holodeck_core.config.reading.document import Document, top_value
from holodeck_core.config.reading.gc_pause import collection_paused
from holodeck_core.config.reading.json_nodes import JsonSyntaxError, compose_json, outline_json
from holodeck_core.config.reading.nodes import MAX_DEPTH, nothing
from holodeck_core.config.reading.shapes import Shape
from holodeck_core.config.reading.source import Source
from holodeck_core.config.reading.walk import Fault, Walk
from holodeck_core.errors import ConfigError

WHITE_SPACE: Final = " \t\r\n"


class Irregular(Exception):
    """The text holds something that only a careful reading can judge."""


def read_json(text: str, file: str, shape: Shape) -> Document:
    """The document that a JSON text holds.

    Raises ConfigError where nothing can be made of it: it is not JSON, or nested too deeply. All other mistakes are
    the document's ``problems``.
    """
    source = Source(file, text)
    if not text.strip(WHITE_SPACE):
        return Document(file, text, shape, top_value(None, shape, source, 0), nothing())
    faults: list[Fault] = []
    nodes: Node | Callable[[str], Node] = outline_json
    with collection_paused():
        try:
            value = quick_value(text, shape)
        except Irregular:
            try:
                value, nodes, faults = careful_value(text, shape)
            except JsonSyntaxError as error:
                raise ConfigError([source.problem(str(error), error.index)]) from error
        value = top_value(value, shape, source, len(text) - len(text.lstrip(WHITE_SPACE)))
        document = Document(file, text, shape, value, nodes)
        document.add_faults(faults)
    return document


def careful_value(text: str, shape: Shape) -> tuple[Any, Node, list[Fault]]:
    """The value read from its nodes, the nodes, and every fault in them. Raises JsonSyntaxError."""
    root = compose_json(text)
    walk = Walk(escapes=True, merges=False)
    return walk.value(root, shape), root, walk.faults


def quick_value(text: str, shape: Shape) -> Any:
    """The value of a JSON text in which there is nothing to object to. Raises Irregular where there may be."""
    stripped = text.strip(WHITE_SPACE)
    try:
        value, end = _DECODER.raw_decode(stripped)
    except (ValueError, RecursionError) as error:
        raise Irregular from error
    if end != len(stripped):
        raise Irregular
    if text.count("{") + text.count("[") > MAX_DEPTH and _is_too_deep(value):
        raise Irregular
    if ("\\ud" in text or "\\uD" in text) and _has_lone_surrogate(value):
        raise Irregular
    if type(value) is dict or type(value) is list:
        _retell(value, stripped, shape)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Irregular
    return value


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise Irregular
    return value


def _refuse(constant: str) -> NoReturn:
    raise Irregular


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse)


class _Spelled(str):
    """A number as the text spells it."""

    __slots__ = ()


_Place: TypeAlias = tuple[Any, Any]  # a dict or list, and a key or index in it

_SPELLING_DECODER: Final = json.JSONDecoder(parse_float=_Spelled, parse_int=_Spelled)


def _retell(value: Any, text: str, shape: Shape) -> None:
    """Put the source text of numbers and bools where source text is meant."""
    places = _numbers_for_text(value, shape, [])
    if any(_is_respelled(container[key]) for container, key in places):
        spelled, _ = _SPELLING_DECODER.raw_decode(text)
        twins = _numbers_for_text(spelled, shape, [])
    else:
        twins = places
    for (container, key), (twin, _) in zip(places, twins, strict=True):
        told = twin[key]
        container[key] = ("true" if told else "false") if type(told) is bool else str(told)


def _is_respelled(value: bool | int | float) -> bool:
    """Whether the number may stand in the text otherwise than Python writes it: `1.50`, `1E3`, `-0`."""
    return type(value) is float or (type(value) is int and not value)


def _numbers_for_text(value: Any, shape: Shape, found: list[_Place]) -> list[_Place]:
    """Add to ``found`` every place below a collection where a number or bool stands and its source text is meant.

    Texts of equal structure give the same places in the same order.
    """
    if type(value) is dict:
        fields = shape.alone if len(value) == 1 else shape.fields
        other = shape.other
        below: Iterable[_Place] = value.items()
    else:
        fields, other, below = {}, shape.items, enumerate(value)
    for key, item in below:
        kind = type(item)
        if kind is str or item is None:
            continue
        place = fields.get(key, other)
        if kind is dict or kind is list:
            if place.leads_to_text:
                _numbers_for_text(item, place, found)
        elif place.text:
            found.append((value, key))
    return found


def _is_too_deep(value: Any) -> bool:
    """Whether collections stand in one another beyond the bound; level by level, so at any depth."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            item
            for collection in level
            for item in (collection.values() if type(collection) is dict else collection)
            if type(item) is dict or type(item) is list
        ]
        if not level:
            return False
    return True


def _has_lone_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
