"""Docstrings below attributes, which Python forgets, are read from the source."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from holodeck_core.config.schema.attribute_docs import AttributeDoc, AttributeDocs, first_paragraph

SOURCE = '''
class Base:
    number: int
    """What the customer calls it. Example: `17`"""
    size: int = 3
    """In ``cm``; with a line
    that goes on.

    And a second paragraph.
    Example: `{a: [1, "b"]}`
    """
    silent: int
    plain = 1
    """Without an annotation."""


class Derived(Base):
    number: str
    """Another meaning, and no Example: of anything."""

    class Inner:
        depth: int
        """Deep."""


def make():
    class Local:
        hidden: int
        """Nobody finds this."""
    return Local
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "documented_orders.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "documented_orders", raising=False)
    import documented_orders

    return documented_orders


def test_meaning_and_example_stand_apart(module: ModuleType) -> None:
    assert AttributeDocs().of(module.Base) == {
        "number": AttributeDoc("What the customer calls it.", "17"),
        "size": AttributeDoc("In `cm`; with a line that goes on.", '{a: [1, "b"]}'),
    }


def test_a_class_has_the_docstrings_that_it_inherits_and_does_not_replace(module: ModuleType) -> None:
    docs = AttributeDocs().of(module.Derived)
    assert docs["number"] == AttributeDoc("Another meaning, and no Example: of anything.", None)
    assert docs["size"].example == '{a: [1, "b"]}'


def test_classes_inside_of_classes_are_found(module: ModuleType) -> None:
    assert AttributeDocs().of(module.Derived.Inner) == {"depth": AttributeDoc("Deep.", None)}


@pytest.mark.parametrize("source", [None, "class Base(:", "\0"], ids=["gone", "broken", "not-text"])
def test_where_no_source_can_be_read_nothing_is_said(module: ModuleType, source: str | None) -> None:
    file = Path(str(module.__file__))
    file.unlink() if source is None else file.write_text(source)
    assert AttributeDocs().of(module.Base) == {}
    assert AttributeDocs().of(module.make()) == {}
    assert AttributeDocs().of(type("Made", (), {"__module__": "no_such_module"})) == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, ""),
        ("", ""),
        ("One\n  line.", "One line."),
        ("First.\n\n    Second.", "First."),
        ("``a``", "`a`"),
    ],
)
def test_the_first_paragraph_is_one_line(text: str | None, line: str) -> None:
    assert first_paragraph(text) == line
