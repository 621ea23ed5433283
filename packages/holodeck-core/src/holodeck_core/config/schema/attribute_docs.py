"""The docstrings that stand below the attributes of a class: what each key of a file means, with an example.

Python forgets them, so they are read from the source. Where there is none, nothing is said about the attribute.

    class Order:
        number: int
        '''What the customer calls it. Example: `17`'''
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_EXAMPLE = re.compile(r"\s*Example: `([^`]+)`\s*\Z")
_PARAGRAPH = re.compile(r"\n\s*\n")


class AttributeDoc(NamedTuple):
    """What an attribute means, in one line, and an example of its value as it is written in a file."""

    meaning: str
    example: str | None


def first_paragraph(text: str | None) -> str:
    """The beginning of a docstring in one line, with code between single backticks."""
    return " ".join(_PARAGRAPH.split(inspect.cleandoc(text or ""))[0].replace("``", "`").split())


class AttributeDocs:
    """Reads docstrings of attributes. The source of a module is parsed once."""

    def __init__(self) -> None:
        self._modules: dict[str, dict[str, dict[str, AttributeDoc]]] = {}

    def of(self, cls: type) -> dict[str, AttributeDoc]:
        """The docstrings of a class and of those that it inherits from, by attribute."""
        found: dict[str, AttributeDoc] = {}
        for base in reversed(cls.__mro__):
            found |= self._classes(base.__module__).get(base.__qualname__, {})
        return found

    def _classes(self, module: str) -> dict[str, dict[str, AttributeDoc]]:
        if module not in self._modules:
            self._modules[module] = dict(_documented(_parsed(module), ""))
        return self._modules[module]


def _parsed(module: str) -> ast.AST:
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, ValueError, SyntaxError):
        return ast.Module([], [])


def _documented(node: ast.AST, prefix: str) -> Iterator[tuple[str, dict[str, AttributeDoc]]]:
    for cls in ast.iter_child_nodes(node):
        if isinstance(cls, ast.ClassDef):
            yield prefix + cls.name, dict(_attributes(cls))
            yield from _documented(cls, f"{prefix}{cls.name}.")


def _attributes(cls: ast.ClassDef) -> Iterator[tuple[str, AttributeDoc]]:
    for statement, below in pairwise(cls.body):
        match statement, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, _doc(text)


def _doc(text: str) -> AttributeDoc:
    example = _EXAMPLE.search(text)
    return AttributeDoc(first_paragraph(_EXAMPLE.sub("", text)), example[1] if example else None)
