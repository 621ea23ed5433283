"""The files beside an agent file that results depend on: where one changes, old and new results do not belong together.

Of the user's code that is the file of each module that is named, and of what it imports from beside the agent file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from holodeck_core.api.backend import Backend
from holodeck_core.config.binding.imported_files import with_imports
from holodeck_core.models.agent import Agent
from holodeck_core.models.tool import FunctionTool, PromptTool
from holodeck_core.plugins.foreign import pass_interruptions


def used_files(backend: Backend, agent: Agent, graders: Iterable[str], folder: Path) -> list[Path]:
    """Those of the backend, of the graders (``module.path:callable``), of the tools and of the reply's form, with what
    they import, each once, sorted."""
    found = {*_of_backend(backend), *_of_agent(agent, folder)}
    found.update(path for grader in graders for path in module_files(grader))
    return sorted(with_imports(found, folder))


def module_files(spec: str) -> Iterator[Path]:
    """The file of the module in ``module.path:name``, which is loaded; of one without a file, none."""
    file: Any = getattr(sys.modules.get(spec.partition(":")[0]), "__file__", None)
    if isinstance(file, str):
        yield Path(file)


def _of_backend(backend: Backend) -> list[Path]:
    try:
        return [path for path in backend.sources() if isinstance(path, Path)]
    # boundary: a plugin's backend is asked, for what only a resumed run needs
    except BaseException as error:  # noqa: BLE001
        pass_interruptions(error)
        return []


def _of_agent(agent: Agent, folder: Path) -> Iterator[Path]:
    if isinstance(agent.response_format, str):
        yield folder / agent.response_format
    for tool in agent.tools or ():
        match tool:
            case FunctionTool(file=str(file)) | PromptTool(file=str(file)):
                yield folder / file
            case FunctionTool(module=str(module)):
                yield from module_files(module)
