"""What several tests of everything together need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of the three packages."""
    folder = tmp_path_factory.mktemp("wheels")
    sources = [str(ROOT / f"packages/holodeck-{package}") for package in ("core", "graders", "cli")]
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), *sources], check=True)
    return folder
