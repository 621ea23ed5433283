"""From a node tree to plain values, in one walk that notes every fault it meets. Pure.

This runs over every node of every document, so its inner loop avoids calls: most scalars are text that cannot be
anything else, and most keys have been met before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from holodeck_core.config.reading.nodes import MAX_DEPTH, TOO_DEEP, Pairs, is_merge, merge_sources
from holodeck_core.config.reading.scalars import NULLS, UNUSUAL_STARTS, ScalarError, resolve
from holodeck_core.config.reading.shapes import Shape
from holodeck_core.text import shorten, show_value

_CORE_TAG = "tag:yaml.org,2002:"


class Fault(NamedTuple):
    """Something wrong at a node that does not keep the rest of the document from being read.

    ``first`` is the earlier key where ``node`` is one that repeats it.
    """

    node: Node
    message: str
    first: Node | None = None


class Walk:
    """One walk over one document. Whatever is wrong is added to ``faults``, and a value of its kind stands in.

    A value that several aliases stand for is made anew for each, and so are its faults.

    Args:
        escapes: whether quoted text may hold lone surrogates, so that they have to be looked for.
        merges: whether there may be merge keys.
    """

    def __init__(self, *, escapes: bool, merges: bool) -> None:
        self.faults: list[Fault] = []
        self._escapes = escapes
        self._merges = merges
        # Keys that are text even without quotes.
        self._known_keys: set[str] = set()

    def value(self, node: Node, shape: Shape, depth: int = 0) -> Any:
        """The value of a node that stands at a place of the given shape, inside ``depth`` collections."""
        if isinstance(node.tag, str):
            self._refuse_tag(node)
        if isinstance(node, MappingNode):
            return self._mapping(node, shape, depth)
        if isinstance(node, SequenceNode):
            return self._sequence(node, shape, depth)
        assert isinstance(node, ScalarNode)
        return self._quoted(node) if node.style else self._plain(node, shape)

    def _mapping(self, node: Node, shape: Shape, depth: int) -> dict[str, Any]:
        if depth == MAX_DEPTH:
            self.faults.append(Fault(node, TOO_DEEP))
            return {}
        pairs: Pairs = node.value
        if self._merges and any(is_merge(key_node) for key_node, _ in pairs):
            pairs = self._merged(pairs, depth)
        fields = shape.alone if len(pairs) == 1 else shape.fields
        other = shape.other
        known_keys = self._known_keys
        escapes = self._escapes
        depth += 1
        result: dict[str, Any] = {}
        for key_node, value_node in pairs:
            key = key_node.value
            if key_node.tag is not None or key not in known_keys:
                key = self._key(key_node)
                if key is None:
                    continue
            tag: Any = value_node.tag
            if tag is None:
                text = value_node.value
                if value_node.style:
                    result[key] = self._quoted(value_node) if escapes else text
                elif text[:1] not in UNUSUAL_STARTS:
                    result[key] = text
                else:
                    result[key] = self._plain(value_node, fields.get(key, other))
            elif tag is MappingNode:
                result[key] = self._mapping(value_node, fields.get(key, other), depth)
            elif tag is SequenceNode:
                result[key] = self._sequence(value_node, fields.get(key, other), depth)
            else:
                result[key] = self.value(value_node, fields.get(key, other), depth)
        if len(result) != len(pairs):
            self._note_repeated(pairs)
        return result

    def _sequence(self, node: Node, shape: Shape, depth: int) -> list[Any]:
        if depth == MAX_DEPTH:
            self.faults.append(Fault(node, TOO_DEEP))
            return []
        items = shape.items
        depth += 1
        return [
            self._mapping(item, items, depth) if item.tag is MappingNode else self.value(item, items, depth)
            for item in node.value
        ]

    def _plain(self, node: Node, shape: Shape) -> Any:
        text: str = node.value
        if shape.text:
            return None if text in NULLS else text
        try:
            return resolve(text)
        except ScalarError as error:
            self.faults.append(Fault(node, str(error)))
            return error.instead

    def _quoted(self, node: Node) -> str:
        text: str = node.value
        if not self._escapes or text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = f"\\u{ord(text[error.start]):04x}"
            self.faults.append(
                Fault(node, f"{half} is half of a surrogate pair, and no character without the other")
            )
            return text.encode("utf-8", "replace").decode()
        return text

    def _key(self, node: Node) -> str | None:
        """The key as text; None for what cannot be a key."""
        if not isinstance(node, ScalarNode):
            self.faults.append(Fault(node, "a key must be text, not a list or a mapping"))
            return None
        if node.tag is not None:
            self._refuse_tag(node)
        if node.style:
            return self._quoted(node)
        text: str = node.value
        try:
            plain = resolve(text)
        except ScalarError as error:
            plain = error.instead
        if isinstance(plain, str):
            self._known_keys.add(text)
        else:
            self.faults.append(Fault(node, f'a key must be text: write "{shorten(text, 60)}", in quotes'))
        return text

    def _refuse_tag(self, node: Node) -> None:
        tag = node.tag
        written = f"!!{tag.removeprefix(_CORE_TAG)}" if tag.startswith(_CORE_TAG) else tag
        self.faults.append(Fault(node, f"tags are not supported: leave out {show_value(written, 60)}"))

    def _note_repeated(self, pairs: Pairs) -> None:
        first: dict[str, Node] = {}
        for key_node, _ in pairs:
            if isinstance(key_node, ScalarNode):
                met = first.setdefault(key_node.value, key_node)
                if met is not key_node:
                    self.faults.append(
                        Fault(key_node, f"duplicate key {show_value(key_node.value, 60)}", met)
                    )

    def _merged(self, pairs: Pairs, depth: int) -> Pairs:
        """The pairs of a mapping with those that its merge key brings in, without those that it has itself."""
        own = [pair for pair in pairs if not is_merge(pair[0])]
        merge, *more = [pair for pair in pairs if is_merge(pair[0])]
        self.faults += [
            Fault(key_node, "duplicate key <<: name several as a list, <<: [*a, *b]", merge[0])
            for key_node, _ in more
        ]
        taken = {key_node.value for key_node, _ in own if isinstance(key_node, ScalarNode)}
        brought: Pairs = []
        for source in merge_sources(merge[1]):
            for key_node, value_node in self._source_pairs(source, depth + 1):
                if isinstance(key_node, ScalarNode) and key_node.value not in taken:
                    taken.add(key_node.value)
                    brought.append((key_node, value_node))
        return brought + own

    def _source_pairs(self, source: Node, depth: int) -> Pairs:
        if not isinstance(source, MappingNode):
            self.faults.append(
                Fault(source, "<< takes a mapping, or a list of mappings, mostly as aliases: <<: *name")
            )
            return []
        if depth >= MAX_DEPTH:
            self.faults.append(Fault(source, TOO_DEEP))
            return []
        pairs: Pairs = source.value
        return self._merged(pairs, depth) if any(is_merge(key_node) for key_node, _ in pairs) else pairs
