"""The bound on aliases: a small file must not stand for a huge or an endless document. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode

# A document may grow to this many nodes by its aliases: some defaults shared by all the cases of a large file are far
# below it, nested aliases that multiply are soon beyond it.
FREE_NODES: Final = 200_000
GROWTH: Final = 20


def excess(root: Node) -> tuple[Node, str] | None:
    """The node at which the aliases of a document go too far, with what is wrong; None where they do not.

    Takes time in proportion to the document as it is written, however far its aliases would expand.
    """
    written = 1
    sizes: dict[int, int] = {}
    finished: list[Node] = []
    open_nodes = {id(root)}
    # One entry for each collection from the root down: the node, its children to come, the nodes it stands for so far.
    stack: list[tuple[Node, Iterator[Node], list[int]]] = [(root, _children(root), [1])]
    while stack:
        node, children, size = stack[-1]
        for child in children:
            written += 1
            if isinstance(child, ScalarNode):
                size[0] += 1
            elif (known := sizes.get(id(child))) is not None:
                size[0] += known
            elif id(child) in open_nodes:
                return child, "a recursive alias: this value would contain itself without end"
            else:
                open_nodes.add(id(child))
                stack.append((child, _children(child), [1]))
                break
        else:
            stack.pop()
            open_nodes.discard(id(node))
            sizes[id(node)] = size[0]
            finished.append(node)
            if stack:
                stack[-1][2][0] += size[0]
    limit = FREE_NODES + GROWTH * written
    if sizes.get(id(root), 1) <= limit:
        return None
    # Children finish before their parents, so this is the innermost place at which it is too much.
    worst = next(node for node in finished if sizes[id(node)] > limit)
    return (
        worst,
        f"too many aliases: written out, this would be {sizes[id(worst)]:,} values (at most {limit:,})",
    )


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        for pair in node.value:
            yield from pair
    elif not isinstance(node, ScalarNode):
        yield from node.value
