"""From a function tool of the agent file to something that can be called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holodeck_core.backends.functions.arguments import Arguments
from holodeck_core.backends.functions.docstring import first_paragraph, parameter_descriptions
from holodeck_core.backends.functions.signature import read_signature
from holodeck_core.backends.functions.user_function import UserFunction
from holodeck_core.config.binding.user_modules import attribute_of, import_file, import_module
from holodeck_core.engine.workers import Workers
from holodeck_core.models.tool import FunctionTool


def load_function(tool: FunctionTool, folder: Path, workers: Workers) -> UserFunction:
    """Import the function of ``tool``, whose paths start from ``folder``; its blocking calls run in ``workers``.

    Raises ValueError that says what is wrong: nothing of that name, or parameters that a model cannot fill.
    """
    if tool.file is not None:
        module = import_file(folder / tool.file, folder)
    else:
        assert tool.module is not None
        module = import_module(tool.module, folder)
    return make_function(tool, attribute_of(module, tool.function), workers)


def make_function(tool: FunctionTool, function: Callable[..., Any], workers: Workers) -> UserFunction:
    """``function`` as the tool. Raises ValueError where a model cannot fill its parameters."""
    docstring = _docstring(function)
    return UserFunction(
        name=tool.name,
        description=tool.description or first_paragraph(docstring),
        timeout=tool.timeout,
        function=function,
        arguments=Arguments(read_signature(function), parameter_descriptions(docstring)),
        workers=workers,
    )


def _docstring(function: Any) -> str | None:
    while isinstance(function, functools.partial):
        function = function.func
    return function.__doc__ if isinstance(function.__doc__, str) else None
