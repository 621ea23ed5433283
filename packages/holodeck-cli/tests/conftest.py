"""The command line as a real process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeAlias

import pytest

Process: TypeAlias = "subprocess.CompletedProcess[str]"
COMMAND = (sys.executable, "-m", "holodeck_cli")


class Holodeck(Protocol):
    """Runs ``holodeck`` with some arguments in the test's folder, and waits for it."""

    def __call__(
        self, *args: str, env: Mapping[str, str] | None = None, encoding: str = "utf-8"
    ) -> Process: ...


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without whatever could change what is shown."""
    hidden = (
        "HOLODECK_",
        "NO_COLOR",
        "FORCE_COLOR",
        "TERM",
        "COLUMNS",
        "PYTHONIOENCODING",
        "PYTHONUTF8",
        "LC_",
        "LANG",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, "LC_ALL": "C.UTF-8", **(extra or {})}


@pytest.fixture
def holodeck(tmp_path: Path) -> Holodeck:
    """The command line, started in ``tmp_path``."""

    def run(*args: str, env: Mapping[str, str] | None = None, encoding: str = "utf-8") -> Process:
        return subprocess.run(
            [*COMMAND, *args],
            cwd=tmp_path,
            env=clean_environment(env),
            capture_output=True,
            encoding=encoding,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def environment() -> Callable[[Mapping[str, str] | None], dict[str, str]]:
    """See ``clean_environment``."""
    return clean_environment


@pytest.fixture
def command() -> tuple[str, ...]:
    """What starts ``holodeck``, for tests that start it themselves."""
    return COMMAND
