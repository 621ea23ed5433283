"""Which cases run: the expression of ``-k`` and the tags of ``--tag``. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TypeAlias

NameTest: TypeAlias = Callable[[str], bool]

_TOKEN = re.compile(r"""\s*(?:(?P<mark>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()]+))""")
_OPERATORS = ("and", "or", "not")
_MAX_DEPTH = 50


def name_test(expression: str) -> NameTest:
    """The test that an expression such as ``refund and not (slow or old)`` means.

    A word is part of the name, whatever the case; words in a row are one text (``late order``), and so is
    what stands in quotes. ``not`` binds tighter than ``and``, and that tighter than ``or``. Raises ValueError
    for what is no expression.
    """
    return _Parser(_tokens(expression), expression).whole()


def has_tag(tags: Collection[str], wanted: Collection[str]) -> bool:
    """Whether one of the tags is wanted."""
    return not set(tags).isdisjoint(wanted)


def _tokens(expression: str) -> list[tuple[str, str]]:
    """Pairs of kind (``mark``, ``operator`` or ``text``) and value."""
    tokens: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(expression.rstrip()):
        kind = match.lastgroup or ""
        value = match[kind]
        if kind == "mark":
            tokens.append(("mark", value))
        elif kind == "word" and value in _OPERATORS:
            tokens.append(("operator", value))
        elif kind == "word" and tokens and tokens[-1][0] == "text":
            tokens[-1] = ("text", f"{tokens[-1][1]} {value}")
        else:
            tokens.append(("text", value))
    return tokens


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]], expression: str) -> None:
        self.tokens = tokens
        self.expression = expression
        self.position = 0
        self.depth = 0

    def whole(self) -> NameTest:
        test = self.any_of()
        if self.position < len(self.tokens):
            raise self.error(f"{self.tokens[self.position][1]!r} was not expected there")
        return test

    def any_of(self) -> NameTest:
        tests = [self.all_of()]
        while self.take("operator", "or"):
            tests.append(self.all_of())
        return lambda name: any(test(name) for test in tests)

    def all_of(self) -> NameTest:
        tests = [self.one()]
        while self.take("operator", "and"):
            tests.append(self.one())
        return lambda name: all(test(name) for test in tests)

    def one(self) -> NameTest:
        negated = False
        while self.take("operator", "not"):
            negated = not negated
        test = self.group() if self.take("mark", "(") else self.text()
        return (lambda name: not test(name)) if negated else test

    def group(self) -> NameTest:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.error(f"more than {_MAX_DEPTH} brackets inside each other")
        test = self.any_of()
        if not self.take("mark", ")"):
            raise self.error("a bracket is not closed")
        self.depth -= 1
        return test

    def text(self) -> NameTest:
        if self.position == len(self.tokens):
            raise self.error("a part of a name is missing at the end")
        kind, value = self.tokens[self.position]
        if kind != "text":
            raise self.error(f"a part of a name is missing before {value!r}")
        self.position += 1
        folded = value.casefold()
        return lambda name: folded in name.casefold()

    def take(self, kind: str, value: str) -> bool:
        if self.position < len(self.tokens) and self.tokens[self.position] == (kind, value):
            self.position += 1
            return True
        return False

    def error(self, why: str) -> ValueError:
        return ValueError(f"{self.expression!r} is no expression: {why}")
