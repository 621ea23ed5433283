"""What the tools of an agent file refer to: functions, prompts and sources are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from holodeck_core.api.backend import Backend
from holodeck_core.api.faults import describe
from holodeck_core.config.binding.agent import check_model
from holodeck_core.config.binding.referenced import read_named, why_absent
from holodeck_core.config.binding.user_modules import attribute_of, import_file, import_module
from holodeck_core.config.reading.decode import display
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.tool import FunctionTool, PromptTool, Tool, ToolType, VectorstoreTool
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.host import PluginHost
from holodeck_core.text import shorten


def check_tools(
    agent: Agent | None,
    host: PluginHost,
    backend: Backend | None,
    document: Document,
    folder: Path,
    problems: list[Problem],
) -> None:
    """Import every function, read every prompt, look for every source; ask the backend whether it can use the tool.

    Relative paths start from ``folder``. ``agent`` is None where the agent file has mistakes: those of its tools that
    have none are looked at all the same.
    """
    tools = enumerate(agent.tools or ()) if agent is not None else _sound_tools(document.value.get("tools"))
    for index, tool in tools:
        at: DocumentPath = ("tools", index)
        sound_so_far = len(problems)
        if isinstance(tool, PromptTool) and tool.model is not None:
            check_model(tool.model, host, document, (*at, "model"), problems)
        match tool:
            case FunctionTool():
                _check_function(tool, document, at, folder, problems)
            case PromptTool(file=str(file)):
                text = read_named(folder / file, document, (*at, "file"), problems)
                if text is not None and not text.strip():
                    message = f"{display(folder / file)}: the file is empty; it must hold the prompt"
                    problems.append(document.problem(message, (*at, "file")))
            case VectorstoreTool() if "://" not in tool.source:
                why = why_absent(folder / tool.source, folder=True)
                if why is not None:
                    problems.append(document.problem(why, (*at, "source")))
        if backend is not None and len(problems) == sound_so_far:
            _check_usable(tool, backend, document, at, problems)


def _check_usable(
    tool: Tool, backend: Backend, document: Document, at: DocumentPath, problems: list[Problem]
) -> None:
    try:
        problems.extend(
            document.problem(fault.message, (*at, *fault.path)) for fault in backend.check_tool(tool)
        )
    except BaseException as error:  # noqa: BLE001 - boundary: a plugin's backend is asked
        pass_interruptions(error)
        problems.append(document.problem(f"the provider failed to check the tool: {describe(error)}", at))


def _sound_tools(value: Any) -> Iterator[tuple[int, Tool]]:
    model: TypeAdapter[Tool] = TypeAdapter(ToolType)
    for index, item in enumerate(value if isinstance(value, list) else ()):
        try:
            tool = model.validate_python(item)
        except ValidationError:
            continue
        yield index, tool


def _check_function(
    tool: FunctionTool, document: Document, at: DocumentPath, folder: Path, problems: list[Problem]
) -> None:
    try:
        module = _module(tool, folder)
    except ValueError as error:
        key = "file" if tool.module is None else "module"
        problems.append(document.problem(str(error), (*at, key)))
        return
    try:
        function = attribute_of(module, tool.function)
        if not callable(function):
            raise ValueError(
                f"{shorten(tool.function, 80)!r} is of type {type(function).__name__}, which cannot be called"
            )
    except ValueError as error:
        problems.append(document.problem(str(error), (*at, "function")))


def _module(tool: FunctionTool, folder: Path) -> ModuleType:
    if tool.file is None:
        assert tool.module is not None
        return import_module(tool.module, folder)
    path = folder / tool.file
    if why := why_absent(path):
        raise ValueError(why)
    return import_file(path, folder)
