"""A document that has been read: its value, what is wrong with it, and the place of everything in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from yaml.nodes import Node

from holodeck_core.config.reading.gc_pause import collection_paused
from holodeck_core.config.reading.nodes import find, paths_of, start
from holodeck_core.config.reading.paths import render
from holodeck_core.config.reading.shapes import CASE, Shape
from holodeck_core.config.reading.source import Position, Source
from holodeck_core.config.reading.walk import Fault
from holodeck_core.errors import ConfigError, Problem


class Document:
    """A file's value, or that of one line of it, with the places of all that it is made of.

    ``value`` is made of plain dicts, lists and scalars. ``problems`` has what was found wrong on reading that left the
    rest readable; where there are any, a value of its kind stands in for each faulty one. Places are found when they
    are asked for, from the node tree: a document without problems costs nothing for them.
    """

    __slots__ = ("_nodes", "_source", "_text", "file", "line", "problems", "shape", "value")

    def __init__(
        self,
        file: str,
        text: str,
        shape: Shape,
        value: Any,
        nodes: Node | Callable[[str], Node],
        line: int | None = None,
    ) -> None:
        """``nodes`` is the text's node tree, or what composes it; ``line``: the text is only that line of the file."""
        self.file = file
        self.shape = shape
        self.value = value
        self.problems: list[Problem] = []
        self._text = text
        self._nodes = nodes
        self.line = line
        self._source: Source | None = None

    @property
    def source(self) -> Source:
        """The text the document was read from."""
        if self._source is None:
            self._source = Source(self.file, self._text, self.line)
        return self._source

    def locate(self, path: Iterable[str | int], *, key: bool = False) -> Position:
        """The place of the value at the end of ``path``, or, where ``key``, of the key that names it.

        Elements that the document does not have are passed over, so that a missing key has the place of the mapping
        that lacks it. Aliases and merge keys lead to where the value stands.
        """
        return self.source.position(self._index(path, key=key))

    def line_of(self, path: Iterable[str | int]) -> int:
        """The line, counted from 1, of the value at the end of ``path``: ``locate`` without the rest."""
        return self.source.line(self._index(path, key=False))

    def source_of(self, line: int) -> str | None:
        """``file:line``, for results; None for a document that was not read from a file."""
        return f"{self.file}:{line}"

    def problem(
        self, message: str, path: Iterable[str | int] = (), *, key: bool = False, missing: bool = False
    ) -> Problem:
        """A problem at the end of ``path``, with its place, its source line and the path in the words of the file.

        Args:
            message: what is wrong, and what to do about it.
            path: as for ``locate``.
            key: the place is that of the key, not of its value.
            missing: the last element of the path is a key that is not there and ought to be.
        """
        path = tuple(path)
        words = render(path, self.value, case=self.shape is CASE, missing=missing)
        return self.source.problem(message, self._index(path, key=key), words)

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Add what the walk over the nodes found, each fault once, in the order of the file."""
        distinct = {(start(fault.node), fault.message): fault for fault in faults}
        if not distinct:
            return
        paths = paths_of(self._root(), {id(fault.node) for fault in distinct.values()})
        for (index, message), fault in sorted(distinct.items(), key=lambda item: item[0]):
            if fault.first is not None:
                message += f" (first in line {self.source.line(start(fault.first))})"
            words = render(paths.get(id(fault.node), ()), self.value, case=self.shape is CASE)
            self.problems.append(self.source.problem(message, index, words))

    def _index(self, path: Iterable[str | int], *, key: bool) -> int:
        return start(find(self._root(), path, key=key))

    def _root(self) -> Node:
        if not isinstance(self._nodes, Node):
            with collection_paused():
                self._nodes = self._nodes(self._text)
        return self._nodes


_KINDS: Final[dict[type, str]] = {dict: "a mapping", list: "a list"}


def top_value(value: Any, shape: Shape, source: Source, index: int) -> Any:
    """The value of a whole document, which begins at ``index``.

    Raises ConfigError where it is not of a kind that the shape accepts.
    """
    if type(value) in shape.accepts:
        return {} if value is None else value
    expected = " or ".join(_KINDS[kind] for kind in shape.accepts if kind in _KINDS)
    if value is None:
        message = f"the file is empty; it must hold {expected}"
    else:
        message = f"the file must hold {expected}, not {_KINDS.get(type(value), 'a single value')}"
    raise ConfigError([source.problem(message, index)])
