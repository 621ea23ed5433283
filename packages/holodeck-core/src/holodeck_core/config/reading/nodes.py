"""The node tree of a document, as both YAML and JSON are composed, and ways through it. Pure.

A composed document is made of libyaml's nodes. ``tag`` is None for a scalar without a tag, and the node's own class for
a collection without one; anything else is a tag that stands in the file. ``value`` is a scalar's text, a sequence's
list of nodes, or a mapping's list of (key node, value node) pairs. ``style`` is empty for a plain (unquoted) scalar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from yaml.error import Mark
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from holodeck_core.config.reading.paths import DocumentPath

# Nodes; the stubs of yaml do not know of `style` on a node nor of a `tag` that is None.
Pairs: TypeAlias = list[tuple[Any, Any]]

# As deep as anything that walks through a document may have to go.
MAX_DEPTH: Final = 200
TOO_DEEP: Final = f"nested deeper than {MAX_DEPTH} levels"

MERGE: Final = "<<"


def new_mark(index: int) -> Mark:
    """A place in the text; the line and column of it are found elsewhere, when they are needed."""
    return Mark("", index, 0, 0, None, 0)


def nothing() -> Node:
    """The node tree of a text that holds no value."""
    return ScalarNode(None, "", new_mark(0), style="")  # type: ignore[arg-type]  # the stubs know no missing tag


def start(node: Node) -> int:
    """The index in the text of the node's first character."""
    return node.start_mark.index


def is_merge(key: Node) -> bool:
    """Whether a key is the merge key: a plain `<<`."""
    return key.value == MERGE and isinstance(key, ScalarNode) and not key.style


def merge_sources(value: Node) -> list[Node]:
    """The nodes that a merge key's value names: itself, or the items of a list."""
    return value.value if isinstance(value, SequenceNode) else [value]


def find(root: Node, path: Iterable[str | int], *, key: bool = False) -> Node:
    """The node at the end of ``path``; where ``key``, the key that names it in its mapping.

    A path may hold elements that the document does not have (names of models, missing keys): they are passed over, so
    that the nearest node above is found. Merge keys are looked through.
    """
    found = name = root
    for element in path:
        below = _child(found, element)
        if below is not None:
            name, found = below
    return name if key else found


def _child(node: Node, element: str | int) -> tuple[Node, Node] | None:
    """The node that names the child, and the child; a sequence's item names itself."""
    if isinstance(node, SequenceNode):
        if isinstance(element, int) and 0 <= element < len(node.value):
            item: Node = node.value[element]
            return item, item
        return None
    if not isinstance(node, MappingNode):
        return None
    merged: list[Node] = []
    for key, value in reversed(node.value):
        if is_merge(key):
            merged += merge_sources(value)
        elif key.value == element:
            return key, value
    for source in merged:
        if isinstance(source, MappingNode) and (below := _child(source, element)) is not None:
            return below
    return None


def paths_of(root: Node, wanted: set[int]) -> dict[int, DocumentPath]:
    """The path to each node whose ``id`` is wanted, as first met in the document; a key has its value's path."""
    paths: dict[int, DocumentPath] = {}
    seen: set[int] = set()
    stack: list[tuple[Node, Trail]] = [(root, None)]
    while stack and len(paths) < len(wanted):
        node, trail = stack.pop()
        if id(node) in wanted:
            paths.setdefault(id(node), path_of(trail))
        if isinstance(node, ScalarNode) or id(node) in seen:
            continue
        seen.add(id(node))
        for element, names in reversed(list(_below(node))):
            stack.extend((below, (trail, element)) for below in names)
    return paths


Trail: TypeAlias = Any  # (the trail above, the last element), or None at the root


def _below(node: Node) -> Iterator[tuple[str | int, tuple[Node, ...]]]:
    if isinstance(node, SequenceNode):
        yield from ((index, (item,)) for index, item in enumerate(node.value))
    else:
        for key, value in node.value:
            yield (key.value if isinstance(key, ScalarNode) else "?"), (value, key)


def path_of(trail: Trail) -> DocumentPath:
    """The path whose elements a trail links from the last to the first."""
    elements: list[str | int] = []
    while trail is not None:
        trail, element = trail
        elements.append(element)
    return tuple(reversed(elements))
