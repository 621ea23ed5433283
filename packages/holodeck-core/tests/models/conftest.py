from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError


def _place(loc: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")


def _problems(model: Any, data: Any) -> list[tuple[str, str]]:
    try:
        TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        return [(_place(line["loc"]), line["msg"]) for line in error.errors()]
    return []


@pytest.fixture
def problems() -> Callable[[Any, Any], list[tuple[str, str]]]:
    """All mistakes that a model finds in a value, as (place, message)."""
    return _problems


@pytest.fixture
def places() -> Callable[[Any, Any], list[str]]:
    """The places of all mistakes that a model finds in a value."""
    return lambda model, data: [place for place, _ in _problems(model, data)]
