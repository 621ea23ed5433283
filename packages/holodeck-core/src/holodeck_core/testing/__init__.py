"""What authors of plugins test them with: ``from holodeck_core.testing import check_plugin, score, turn``.

- ``score``, ``grade`` and ``match`` ask one metric, grader or matcher as a run would; ``turn`` makes what they look at.
- ``scripted``, ``case`` and ``suite`` build a suite in code, of which every part is a real one.
- ``HolodeckProject`` is a folder with an agent file, run from its start to its report; ``Outcome`` is what came of it.
- ``FakeDistribution`` is an installed plugin without an installer.
- ``check_plugin`` holds a plugin against the contract, as ``holodeck plugins check`` does.
- ``holodeck_core.testing.fixtures`` has some of this as fixtures, for a ``conftest.py`` to name in ``pytest_plugins``.

Each name costs its import only when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holodeck_core.backends.scripted import ScriptedBackend as ScriptedBackend
    from holodeck_core.testing.ask import grade as grade
    from holodeck_core.testing.ask import match as match
    from holodeck_core.testing.ask import score as score
    from holodeck_core.testing.ask import turn as turn
    from holodeck_core.testing.builders import case as case
    from holodeck_core.testing.builders import scripted as scripted
    from holodeck_core.testing.builders import suite as suite
    from holodeck_core.testing.check import Finding as Finding
    from holodeck_core.testing.check import PluginCheck as PluginCheck
    from holodeck_core.testing.check import check_plugin as check_plugin
    from holodeck_core.testing.fake_distribution import FakeDistribution as FakeDistribution
    from holodeck_core.testing.outcome import Outcome as Outcome
    from holodeck_core.testing.project import HolodeckProject as HolodeckProject

_HOMES = {
    "ScriptedBackend": "holodeck_core.backends.scripted",
    "grade": "holodeck_core.testing.ask",
    "match": "holodeck_core.testing.ask",
    "score": "holodeck_core.testing.ask",
    "turn": "holodeck_core.testing.ask",
    "case": "holodeck_core.testing.builders",
    "scripted": "holodeck_core.testing.builders",
    "suite": "holodeck_core.testing.builders",
    "Finding": "holodeck_core.testing.check",
    "PluginCheck": "holodeck_core.testing.check",
    "check_plugin": "holodeck_core.testing.check",
    "FakeDistribution": "holodeck_core.testing.fake_distribution",
    "Outcome": "holodeck_core.testing.outcome",
    "HolodeckProject": "holodeck_core.testing.project",
}


if not TYPE_CHECKING:  # or every misspelt name would be one, of any type

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(_HOMES)
