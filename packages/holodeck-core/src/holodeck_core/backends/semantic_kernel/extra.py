"""Whether Semantic Kernel is here, and its import, which takes seconds: in a thread, once a process."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from holodeck_core.plugins.wording import pip_install

REQUIREMENT: Final = "holodeck-core[semantic-kernel]"
_NEEDED: Final = ("semantic_kernel", "openai", "jsonschema")
_lock: Final = threading.Lock()


def what_is_missing(provider: str) -> str | None:
    """What to install for the provider; None where all of it is here. Nothing is imported to find out."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if not missing:
        return None
    return f"the provider `{provider}` needs {', '.join(missing)}, not installed here: {pip_install(REQUIREMENT)}"


def import_runtime() -> ModuleType:
    """The module that runs agents. Several threads may ask at once: only one imports, for two that import the same
    package may see it half made."""
    with _lock:
        from holodeck_core.backends.semantic_kernel import runtime

        return runtime
