"""Whether Semantic Kernel is here, and its import, which takes seconds: in a thread, once a process."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Final

from holodeck_core.errors import AgentError
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


def import_runtime(provider: str) -> ModuleType:
    """The module that runs agents. Raises AgentError that says what to install where it is not available.

    Several threads may ask at once: only one imports, for two that import the same package may see it half made.
    """
    if missing := what_is_missing(provider):
        raise AgentError(missing)
    with _lock, _no_env_files():
        from holodeck_core.backends.semantic_kernel import runtime

        return runtime


@contextmanager
def _no_env_files() -> Iterator[None]:
    """Keep Semantic Kernel from the ``.env`` of the working folder, which it reads while it is imported: only a file
    that the user names is read. Settings of others are left alone."""
    from pydantic_settings import DotEnvSettingsSource

    read = DotEnvSettingsSource._read_env_files

    def read_of_others(source: DotEnvSettingsSource) -> Mapping[str, str | None]:
        own = source.settings_cls.__module__.startswith("semantic_kernel.")
        return {} if own else read(source)

    DotEnvSettingsSource._read_env_files = read_of_others
    try:
        yield
    finally:
        DotEnvSettingsSource._read_env_files = read
