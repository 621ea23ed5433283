"""The options models of plugins, as strict as the rest of the file."""

from __future__ import annotations

import types
from functools import cache

from pydantic import BaseModel


def options_of(contribution: type) -> type[BaseModel]:
    """The options model of a contribution's class, as strict as ``strict`` makes it. Raises ValueError where it has
    none, or something else in its place."""
    options = getattr(contribution, "Options", None)
    if isinstance(options, type) and issubclass(options, BaseModel):
        return strict(options)
    found = getattr(options, "__qualname__", type(options).__name__)
    name = f"{contribution.__module__}.{contribution.__qualname__}"
    has = "has no Options" if options is None else f"has {found} as its Options, which is no pydantic model"
    raise ValueError(f"{name} {has}; NoOptions is for what has none")


@cache
def strict(options: type[BaseModel]) -> type[BaseModel]:
    """The model, refusing unknown keys unless its author has said what becomes of them: a misspelt key is a mistake in
    every part of a file."""
    if options.model_config.get("extra") is not None:
        return options
    return types.new_class(options.__name__, (options,), {"extra": "forbid"})
