"""Fixtures of the kit: ``pytest_plugins = ["holodeck_core.testing.fixtures"]`` in a ``conftest.py``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holodeck_core.testing.fake_distribution import FakeDistribution
from holodeck_core.testing.project import HolodeckProject


@pytest.fixture
def holodeck_project(tmp_path: Path) -> Callable[..., HolodeckProject]:
    """Makes a ``HolodeckProject`` in the test's own folder, where it can be looked at afterwards."""

    def make(files: dict[str, object], *distributions: FakeDistribution) -> HolodeckProject:
        return HolodeckProject(files, distributions=distributions, folder=tmp_path)  # type: ignore[arg-type]

    return make


@pytest.fixture
def install_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[FakeDistribution], Path]]:
    """Installs a ``FakeDistribution`` until the test ends; gives the folder that holds it."""
    site = tmp_path / "site-packages"
    before = set(sys.modules)

    def install(distribution: FakeDistribution) -> Path:
        distribution.install(site)
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(site)
        return site

    yield install
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(site)):
            del sys.modules[name]
