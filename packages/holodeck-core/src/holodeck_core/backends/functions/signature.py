"""What a function can be given, from its signature and its annotations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import attrs

from holodeck_core.api.faults import describe
from holodeck_core.plugins.foreign import pass_interruptions

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@attrs.frozen
class Parameter:
    """One parameter. ``annotation`` is Any where the function names no type, ``default`` None where it is required."""

    name: str
    annotation: Any
    required: bool
    default: Any
    by_position: bool


def read_signature(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a function.

    Raises ValueError where a model could not fill them by name, and where an annotation cannot be understood.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        raise ValueError("it does not say which parameters it has: wrap it in a function that does") from None
    variadic = [str(parameter) for parameter in parameters if parameter.kind in _VARIADIC]
    if variadic:
        raise ValueError(
            f"it takes {' and '.join(variadic)}, and a model can only be told of parameters that have names: write "
            "them out (a decorator keeps those of its function with functools.wraps)"
        )
    hints = _hints(function)
    return tuple(
        Parameter(
            name=parameter.name,
            annotation=hints.get(parameter.name, Any),
            required=parameter.default is parameter.empty,
            default=None if parameter.default is parameter.empty else parameter.default,
            by_position=parameter.kind is parameter.POSITIONAL_ONLY,
        )
        for parameter in parameters
    )


def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The annotations, those that are written as text included."""
    try:
        return get_type_hints(_annotated(function), include_extras=True)
    except NameError as error:
        raise ValueError(
            f"its annotations cannot be read: {error} where the function is defined (a name that is imported under "
            "TYPE_CHECKING is not there when the function is called)"
        ) from error
    except BaseException as error:  # boundary: annotations are the user's code
        pass_interruptions(error)
        raise ValueError(f"its annotations cannot be read: {describe(error)}") from error


def _annotated(function: Any) -> Any:
    """The object that carries the annotations of what is called."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if inspect.isclass(function):
        return function.__init__
    return function if inspect.isroutine(function) else type(function).__call__
