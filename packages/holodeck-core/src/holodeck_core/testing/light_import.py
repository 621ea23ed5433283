"""What importing a hooks module brings with it, seen in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Final

_LIGHT: Final = ("holodeck_core.plugins", "holodeck_core.errors", "holodeck_core.text")
_HEAVY_OF_THE_STANDARD_LIBRARY: Final = frozenset({"asyncio", "multiprocessing", "unittest"})
_TIMEOUT_S: Final = 60.0
_SHOWN: Final = 5

_PROBE: Final = """
import json, os, sys
path, module = json.loads(sys.argv[1])
sys.path[:] = path
import holodeck_core.plugins
before = set(sys.modules)
told = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.stdout = sys.stderr
__import__(module)
with told:
    json.dump(sorted(set(sys.modules) - before), told)
"""


def what_is_heavy(module: str, targets: Iterable[str]) -> list[str]:
    """What the hooks module imports beyond ``holodeck_core.plugins`` and modules of its own that are no target's."""
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, with a text of ours
            [sys.executable, "-c", _PROBE, json.dumps([sys.path, module])],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"importing {module} takes more than {_TIMEOUT_S:g} s"]
    if done.returncode or not done.stdout:  # a module may end the process with any code
        last = done.stderr.strip().splitlines()[-1:]
        return [f"importing {module} in a new process failed: {' '.join(last) or 'it ended without a word'}"]
    heavy = list(_heavy(module, targets, json.loads(done.stdout)))
    more = f" and {len(heavy) - _SHOWN} more" if len(heavy) > _SHOWN else ""
    if not heavy:
        return []
    shown = f"{', '.join(heavy[:_SHOWN])}{more}"
    rule = "a hooks module imports holodeck_core.plugins alone, and names its targets as text"
    return [f"importing {module} imports {shown}: {rule}"]


def _heavy(module: str, targets: Iterable[str], imported: Iterable[str]) -> Iterator[str]:
    own = module.partition(".")[0]
    named = {target.partition(":")[0] for target in targets} - {module}
    told: set[str] = set()
    for name in imported:
        top = name.partition(".")[0]
        if top == own:
            heavy = name if name in named and not module.startswith(f"{name}.") else None
        elif top == "holodeck_core":
            light = name == top or name.startswith(_LIGHT)
            heavy = None if light else name
        elif top in sys.stdlib_module_names:
            heavy = top if top in _HEAVY_OF_THE_STANDARD_LIBRARY else None
        else:
            heavy = None if top == "pluggy" else top
        if heavy is not None and heavy not in told:
            told.add(heavy)
            yield heavy
