"""The backend ``python``: a user's own agent, which a factory makes once for each session."""

from __future__ import annotations

from pathlib import Path

from pydantic import ConfigDict

from holodeck_core.backends.factory import Factory, Misfit
from holodeck_core.backends.own_agent import FactoryBackend
from holodeck_core.config.binding.user_modules import import_object
from holodeck_core.models.base import StrictModel, Text, gathered, problem


class PythonOptions(StrictModel):
    """`agent`: the factory, as `module:name`. All other keys are arguments of the factory, which checks them."""

    model_config = ConfigDict(extra="allow")

    agent: Text
    """The factory, as `module:name`; the agent file's folder is importable. Example: `desk:open_desk`"""


class PythonBackend(FactoryBackend):
    """Opens sessions with what a factory in Python makes.

    The factory is imported and its signature checked when the backend is built; the folder of the agent file is
    importable.
    """

    Options = PythonOptions

    def __init__(self, options: PythonOptions, folder: Path) -> None:
        spec = options.agent
        try:
            factory = Factory(spec, import_object(spec, folder), options.model_extra or {})
        except Misfit as error:
            found = [problem((key or "agent",), message) for key, message in error.faults]
            raise gathered("model", found) from error
        except ValueError as error:
            raise gathered("model", [problem(("agent",), str(error))]) from error
        super().__init__(options, folder, spec, factory)
