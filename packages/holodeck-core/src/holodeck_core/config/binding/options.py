"""The options models of plugins, as strict as the rest of the file."""

from __future__ import annotations

import types
from functools import cache

from pydantic import BaseModel


@cache
def strict(options: type[BaseModel]) -> type[BaseModel]:
    """The model, refusing unknown keys unless its author has said what becomes of them: a misspelt key is a mistake in
    every part of a file."""
    if options.model_config.get("extra") is not None:
        return options
    return types.new_class(options.__name__, (options,), {"extra": "forbid"})
