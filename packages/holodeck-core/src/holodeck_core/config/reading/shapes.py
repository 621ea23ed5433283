"""Where in a document a scalar is its source text rather than a typed value. Pure.

`input: 25587` means the text `25587`, and `ground_truth: 1.50` the text `1.50`: what a user says and what is compared
as text must not go through a number. Everywhere else scalars have their type. A shape describes one place of a
document by the shapes of what stands below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


class Shape:
    """One place of a document.

    ``fields`` are the shapes of a mapping's named keys, ``other`` that of its other keys, ``items`` that of a list's
    items; ``other`` and ``items`` are the shape itself where none is given. ``alone`` takes the place of ``fields``
    in a mapping of one key. ``text``: a scalar here is its source text. ``accepts``: what may stand here when this is
    the top of a document (None: it may be empty, and is then an empty mapping). ``leads_to_text``: some place here or
    below is text.
    """

    __slots__ = ("accepts", "alone", "fields", "items", "leads_to_text", "other", "text")

    def __init__(
        self,
        fields: Mapping[str, Shape] | None = None,
        *,
        alone: Mapping[str, Shape] | None = None,
        other: Shape | None = None,
        items: Shape | None = None,
        text: bool = False,
        accepts: tuple[type, ...] = (dict,),
    ) -> None:
        self.fields = dict(fields or {})
        self.alone = self.fields if alone is None else dict(alone)
        self.other = other or self
        self.items = items or self
        self.text = text
        self.accepts = accepts
        below = (*self.fields.values(), *self.alone.values(), self.other, self.items)
        self.leads_to_text: bool = text or any(shape.leads_to_text for shape in below if shape is not self)


PLAIN: Final = Shape()
SETTINGS: Final = Shape(accepts=(dict, type(None)))
TEXT: Final = Shape(text=True, other=PLAIN, items=PLAIN)


def _mapping(accepts: tuple[type, ...] = (dict,), /, **fields: Shape) -> Shape:
    return Shape(fields, other=PLAIN, items=PLAIN, accepts=accepts)


def _list_of(items: Shape) -> Shape:
    return Shape(other=PLAIN, items=items)


_MATCHER: Final = Shape({"fuzzy": TEXT}, alone={"fuzzy": TEXT, "literal": PLAIN})
_ARGS: Final = Shape(other=_MATCHER, items=PLAIN)
_MODEL: Final = _mapping(replies=_list_of(_mapping(input=TEXT, reply=TEXT)))
_METRICS: Final = _list_of(_mapping(model=_MODEL))
_TURN_FIELDS: Final[dict[str, Shape]] = {
    "input": TEXT,
    "ground_truth": TEXT,
    "expected_tools": _list_of(_mapping(args=_ARGS, result=_MATCHER)),
    "evaluations": _METRICS,
}

CASE: Final = _mapping(**_TURN_FIELDS, turns=_list_of(_mapping(**_TURN_FIELDS)))
"""One test case: a line of a JSON Lines file."""

_CASE_LIST: Final = _list_of(CASE)

CASES: Final = Shape({"test_cases": _CASE_LIST}, other=PLAIN, items=CASE, accepts=(list, dict))
"""A file of test cases: a list, or `{test_cases: […]}`."""

AGENT: Final = _mapping(
    test_cases=_CASE_LIST,
    model=_MODEL,
    evaluations=_mapping(model=_MODEL, metrics=_METRICS),
    tools=_list_of(_mapping(model=_MODEL)),
)
"""An agent file."""
