"""The details of a grader: what JSON can hold, checked and copied."""

from __future__ import annotations

from typing import Any, Final

from holodeck_core import to_json

_MAX_DEPTH: Final = 90
_MAX_VALUES: Final = 100_000


def json_details(details: Any) -> Any:
    """A copy that later changes do not reach. Tuples become lists, and non-finite numbers their text
    (``"nan"``), as JSON has neither.

    Raises TypeError with the place of what JSON cannot hold, ValueError for details that are too deep or too
    many.
    """
    pending = [(details, "details", 0)]
    seen = 0
    while pending:
        value, place, depth = pending.pop()
        seen += 1
        if seen > _MAX_VALUES:
            raise ValueError(f"details hold more than {_MAX_VALUES} values")
        if value is None or isinstance(value, str | int | float):
            continue
        if depth == _MAX_DEPTH:
            raise ValueError(f"{place[:60]}... is nested deeper than {_MAX_DEPTH} levels")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str):
                    raise TypeError(f"{place} has the key {key!r}, and JSON takes only text for keys")
                pending.append((item, f"{place}.{key}", depth + 1))
        elif isinstance(value, list | tuple):
            pending.extend((item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value))
        else:
            raise TypeError(f"{place} is a {type(value).__name__}, which JSON cannot hold")
    return to_json(details)
