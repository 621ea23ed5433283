"""What a function returned, as a JSON value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pydantic_core import to_jsonable_python

from holodeck_core.api.faults import describe
from holodeck_core.api.values import JsonValue, to_json
from holodeck_core.plugins.foreign import pass_interruptions


class NoJsonValue(ValueError):
    """The result of a call is nothing that JSON can hold."""


def as_json(value: object) -> JsonValue:
    """A read-only copy that nothing the function does later can change.

    Dataclasses, pydantic models and named tuples become objects and lists, sets and tuples lists, dates, UUIDs,
    Decimals and paths their text, members of enumerations their values; arrays of numerical libraries lists.
    Raises NoJsonValue for other objects, for cycles and for iterators, which can be read only once.
    """
    if isinstance(value, Iterator | AsyncIterator):
        raise NoJsonValue(
            f"the result is a {type(value).__name__}, which can be read only once: return a list"
        )
    try:
        return to_json(to_jsonable_python(value, fallback=_as_plain))  # type: ignore[no-any-return]
    except UnicodeEncodeError:  # a lone surrogate
        return to_json(value)  # type: ignore[no-any-return]
    except NoJsonValue:
        raise
    except BaseException as error:  # boundary: serialising may run code of the value's class
        pass_interruptions(error)
        raise NoJsonValue(f"the result is not a JSON value: {describe(error)}") from error


def _as_plain(value: Any) -> Any:
    tolist = getattr(value, "tolist", None)
    if callable(tolist):
        return tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    if isinstance(value, PurePath):
        return str(value)
    raise NoJsonValue(
        f"the result holds a {type(value).__name__}, which is not a JSON value: return plain values"
    )
