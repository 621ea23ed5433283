"""Which values JSON can hold. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]

# Evidence of a run is cut at this depth, so that a deeper value could equal nothing.
MAX_DEPTH = 100


def json_problems(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield (path, message) for every part of ``value`` that JSON cannot hold."""
    match value:
        case None | bool() | int() | str():
            return
        case float():
            if not math.isfinite(value):
                yield path, f"{value} is not a number that JSON can hold"
        case dict() | list():
            yield from _container_problems(value, path)
        case _:
            yield (
                path,
                f"must be text, a number, true, false, null, a list or a mapping, not {type(value).__name__}",
            )


def _container_problems(value: dict[Any, Any] | list[Any], path: Path) -> Iterator[tuple[Path, str]]:
    if len(path) >= MAX_DEPTH:
        yield path, f"is nested deeper than {MAX_DEPTH} levels"
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from json_problems(item, (*path, index))
    else:
        for key, item in value.items():
            if isinstance(key, str):
                yield from json_problems(item, (*path, key))
            else:
                yield path, f"the key {key!r} must be text: quote it"
