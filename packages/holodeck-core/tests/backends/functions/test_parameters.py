"""What a model is told of a function: from its signature, its annotations and its docstring."""

from __future__ import annotations

import datetime
import enum
import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, Union

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from holodeck_core.backends.functions.user_function import UserFunction

if TYPE_CHECKING:
    from somewhere import Unknown

MakeTool = Callable[..., UserFunction]


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


class Item(BaseModel):
    sku: str
    quantity: int = Field(ge=1)


class Span(TypedDict, total=False):
    start: int
    end: int


def takes(annotation: Any) -> Callable[..., None]:
    def function(value): ...

    function.__annotations__ = {"value": annotation}
    return function


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list, {"type": "array", "items": {}}),
        (dict, {"type": "object", "additionalProperties": True}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (Literal["up", "down"], {"type": "string", "enum": ["up", "down"]}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Annotated[int, Field(ge=1)], {"type": "integer", "minimum": 1}),
        (datetime.date, {"type": "string", "format": "date"}),
        (Any, {}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
    ],
    ids=str,
)
def test_an_annotation_is_the_schema_of_its_parameter(
    tool: MakeTool, annotation: Any, schema: dict[str, Any]
) -> None:
    assert tool(takes(annotation)).parameters == {
        "type": "object",
        "properties": {"value": schema},
        "required": ["value"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("annotation", "properties"),
    [
        (Point, {"x", "y"}),
        (Item, {"sku", "quantity"}),
        (Span, {"start", "end"}),
        (list[Item], {"sku", "quantity"}),
    ],
    ids=["dataclass", "model", "typed-dict", "list-of-models"],
)
def test_a_class_is_an_object_with_its_fields(tool: MakeTool, annotation: Any, properties: set[str]) -> None:
    [definition] = tool(takes(annotation)).parameters["$defs"].values()
    assert set(definition["properties"]) == properties


def test_an_enumeration_is_told_by_its_values(tool: MakeTool) -> None:
    [definition] = tool(takes(Colour)).parameters["$defs"].values()
    assert definition["enum"] == ["red", "blue"]


def test_no_annotation_takes_any_value_and_no_parameter_is_an_empty_object(tool: MakeTool) -> None:
    assert tool(lambda value: value).parameters["properties"] == {"value": {}}
    assert tool(lambda: 1).parameters == {"type": "object", "properties": {}, "additionalProperties": False}


def test_a_default_makes_a_parameter_optional(tool: MakeTool) -> None:
    def function(a: int, b: float = 2.5, *, c: Colour = Colour.RED, d=None, e: Any = Opaque): ...

    function.__annotations__["d"] = int  # as people write it, though None is no integer
    parameters = tool(function).parameters
    assert parameters["required"] == ["a"]
    properties = parameters["properties"]
    assert properties["b"] == {"type": "number", "default": 2.5}
    assert properties["c"]["default"] == "red"
    assert properties["d"] == {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    assert properties["e"] == {}


def test_names_that_mean_something_elsewhere_are_plain_names(tool: MakeTool) -> None:
    def function(self, model_config, _private, schema, copy, type, cls, total): ...  # noqa: A002

    assert list(tool(function).parameters["properties"]) == [
        *("self", "model_config", "_private", "schema", "copy", "type", "cls", "total")
    ]


GOOGLE = """Moves a thing
to another place.

With care.

Args:
    thing (str): The thing,
        by its name.
    where: To which place: its address.

Returns:
    Whether it was moved.
"""
NUMPY = """Moves a thing to another place.

Parameters
----------
thing : str
    The thing, by its name.
where : str, optional
    To which place: its address.

Returns
-------
bool
    Whether it was moved.
"""
REST = """
Moves a thing to another place.

:param thing: The thing,
    by its name.
:param str where: To which place: its address.
:returns: Whether it was moved.
"""


class TestDocstrings:
    """Descriptions come from the docstring, in the styles that people write."""

    @pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST], ids=["google", "numpy", "rest"])
    def test_the_styles(self, tool: MakeTool, docstring: str) -> None:
        def function(thing: str, where: str, how: str = ""): ...

        function.__doc__ = docstring
        made = tool(function)
        assert made.description == "Moves a thing to another place."
        assert {
            name: schema.get("description") for name, schema in made.parameters["properties"].items()
        } == {
            "thing": "The thing, by its name.",
            "where": "To which place: its address.",
            "how": None,
        }

    @pytest.mark.parametrize(
        ("docstring", "description", "of_x"),
        [
            (None, "", None),
            ("", "", None),
            ("One line.", "One line.", None),
            ("\n    One\n    paragraph.\n\n    Another.", "One paragraph.", None),
            ("\n    Args:\n        x: only this\n", "", "only this"),
            (":param x: only this", "", "only this"),
            ("Adds.\n\nParameters\n----------\ny, x : int\n    Both.", "Adds.", "Both."),
            ("Adds.\nArgs:\n    x: no blank line", "Adds.", "no blank line"),
            ("Note: x: is not described here.", "Note: x: is not described here.", None),
            ("Adds.\n\nArgs:\n  x (int", "Adds.", None),
            ("@param x: broken", "", "broken"),
        ],
    )
    def test_odd_ones(
        self, tool: MakeTool, docstring: str | None, description: str, of_x: str | None
    ) -> None:
        def function(x): ...

        function.__doc__ = docstring
        made = tool(function)
        assert (made.description, made.parameters["properties"]["x"].get("description")) == (
            description,
            of_x,
        )

    def test_what_stands_nearer_to_the_model_goes_before(self, tool: MakeTool) -> None:
        def function(x: Annotated[int, "in words"], y: Annotated[int, Field(description="in a field")]):
            """From the docstring.

            Args:
                x: of the docstring
                y: of the docstring
            """

        made = tool(function, description="From the file.")
        assert made.description == "From the file."
        properties = made.parameters["properties"]
        assert (properties["x"]["description"], properties["y"]["description"]) == ("in words", "in a field")


class TestCallables:
    """Whatever can be called has parameters."""

    def test_the_function_under_a_decorator(self, tool: MakeTool) -> None:
        def function(a: int) -> int:
            """Doubles."""
            return a

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> int:
            return function(*args, **kwargs)

        made = tool(wrapper)
        assert (made.description, made.parameters["properties"]) == ("Doubles.", {"a": {"type": "integer"}})

    def test_a_method_a_partial_an_object_and_a_class(self, tool: MakeTool) -> None:
        class Adder:
            """Adds."""

            def __init__(self, a: int) -> None: ...
            def add(self, b: str) -> None: ...
            def __call__(self, c: float) -> None: ...

        def both(d: bool, e: int) -> None: ...

        for function, properties in [
            (Adder(1).add, {"b": {"type": "string"}}),
            (Adder(1), {"c": {"type": "number"}}),
            (Adder, {"a": {"type": "integer"}}),
            (functools.partial(both, True), {"e": {"type": "integer"}}),
        ]:
            assert tool(function).parameters["properties"] == properties


class Opaque:
    """Nothing that JSON could fill."""


class Strange:
    """A type with code of its own that fails."""

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> Any:
        raise LookupError("no schema today\nnor tomorrow")


def strangely(a: Annotated[str, Field(pattern="(?=a)b")]) -> None: ...
def exemplary(a: Annotated[int, Field(json_schema_extra={"examples": [float("nan")]})]) -> None: ...
def variadic(a: int, *args: int, **kwargs: int) -> None: ...
def unresolved(a: Unknown) -> None: ...
def opaque(a: int, b: Opaque) -> None: ...
def callback(a: int, on_done: Callable[[], None]) -> None: ...
def strange(a: Strange) -> None: ...
def broken(a: "1 +") -> None: ...  # noqa: F722


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            variadic,
            r"it takes \*args: '?int'? and \*\*kwargs: '?int'?, and a model can only be told .*functools\.wraps",
        ),
        (unresolved, "its annotations cannot be read: name 'Unknown' is not defined .*TYPE_CHECKING"),
        (broken, "its annotations cannot be read: SyntaxError"),
        (opaque, "its parameter `b` is a .*Opaque, which no JSON value can become"),
        (callback, "its parameter `on_done` is a .*Callable.*, which no JSON value can become"),
        (strange, "its parameter `a` cannot be filled: LookupError: no schema today$"),
        (strangely, "its parameter `a` cannot be filled: error: look-around, .* is not supported$"),
        (exemplary, "what its types add to the JSON schema is no JSON: Out of range float"),
        (dict, "it takes|does not say which parameters"),
    ],
    ids=[
        "variadic",
        "unresolved",
        "syntax",
        "opaque",
        "callback",
        "strange",
        "pattern",
        "example",
        "built-in",
    ],
)
def test_what_a_model_could_not_fill_is_refused(
    tool: MakeTool, function: Callable[..., Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        tool(function)


class Limit(BaseModel):
    most: float = float("inf")


def test_a_default_that_json_cannot_hold_is_the_functions_own_affair(tool: MakeTool) -> None:
    def function(a: float = float("nan"), b: Limit = Limit(), c: list[float] = [float("inf")]): ...  # noqa: B006, B008

    parameters = tool(function).parameters
    assert "default" not in json.dumps(parameters, allow_nan=False)


def test_money_may_be_exact(tool: MakeTool) -> None:
    assert tool(takes(Decimal)).parameters["properties"]["value"]["anyOf"][0] == {"type": "number"}
