"""How the tests make tools of functions, and call them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.backends.functions.load import make_function
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.functions.user_function import UserFunction
from holodeck_core.engine.workers import Workers
from holodeck_core.models.tool import FunctionTool


@pytest.fixture(scope="session")
def tool() -> Callable[..., UserFunction]:
    """A function as a tool; other arguments are keys of the tool."""

    def tool(function: Callable[..., Any], **keys: Any) -> UserFunction:
        model = FunctionTool.model_validate(
            {"name": "tried", "file": "tools.py", "function": "tried", "type": "function", **keys}
        )
        return make_function(model, function, Workers())

    return tool


@pytest.fixture(scope="session")
def call(tool: Callable[..., UserFunction]) -> Callable[..., ToolOutcome]:
    """What comes of one call of a function."""

    def call(function: Callable[..., Any], args: dict[str, Any] | None = None, **keys: Any) -> ToolOutcome:
        return asyncio.run(tool(function, **keys).call(args or {}))

    return call
