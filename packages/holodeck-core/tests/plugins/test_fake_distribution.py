"""The testing kit's distribution is found, read and imported as an installed one is."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
from pathlib import Path
from typing import Any

import pytest

from holodeck_core.plugins.host import PluginHost
from holodeck_core.testing.fake_distribution import FakeDistribution


def entry_points(name: str) -> list[tuple[str, str, str]]:
    return [
        (each.group, each.name, each.value) for each in importlib.metadata.distribution(name).entry_points
    ]


@pytest.mark.parametrize(
    ("name", "modules", "expected"),
    [
        ("holodeck-acme", {"acme_hooks.py": ""}, ("acme", "acme_hooks")),
        ("acme", {"acme_hooks.py": "", "acme_more.py": ""}, ("acme", "acme_hooks")),
        ("Holodeck_Acme.Tools", {"acme_tools/hooks.py": ""}, ("acme-tools", "acme_tools.hooks")),
        ("holodeck-acme", {"acme/__init__.py": ""}, ("acme", "acme")),
    ],
)
def test_the_entry_point_is_derived_from_the_name_and_the_first_module(
    site: Path, name: str, modules: Any, expected: Any
) -> None:
    FakeDistribution(name, modules=modules).install(site)
    assert entry_points(name) == [("holodeck.v1", *expected)]


def test_entry_points_may_be_given(site: Path) -> None:
    FakeDistribution(
        "holodeck-acme", entry_points={"a": "x:y", "b": "z"}, modules={"acme_hooks.py": ""}
    ).install(site)
    assert entry_points("holodeck-acme") == [("holodeck.v1", "a", "x:y"), ("holodeck.v1", "b", "z")]


@pytest.mark.parametrize("options", [{}, {"entry_points": {}, "modules": {"acme_hooks.py": ""}}])
def test_there_may_be_no_entry_point(site: Path, options: Any) -> None:
    FakeDistribution("holodeck-acme", **options).install(site)
    assert entry_points("holodeck-acme") == []


def test_name_and_version_are_as_written(site: Path) -> None:
    metadata = FakeDistribution("Holodeck.Acme", version="1.0b2").install(site)
    assert metadata.parent == site
    found = importlib.metadata.distribution("holodeck-acme")
    assert (found.metadata["Name"], found.version) == ("Holodeck.Acme", "1.0b2")


def test_what_is_installed_while_the_program_runs_is_found(site: Path) -> None:
    assert PluginHost(environ={}, path=[str(site)]).ids() == ()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("acme_late_hooks")
    FakeDistribution("holodeck-acme", modules={"acme_late_hooks.py": "X = 1"}).install(site)
    assert PluginHost(environ={}, path=[str(site)]).ids() == ("acme",)
    assert importlib.import_module("acme_late_hooks").X == 1


def test_installing_moves_the_time_of_the_folder_on_however_coarse_the_clock(site: Path) -> None:
    # What was remembered of the folder counts as long as its time is the same: here it is ahead of the clock.
    ahead = site.stat().st_mtime_ns + 10**12
    os.utime(site, ns=(ahead, ahead))
    FakeDistribution("holodeck-acme").install(site)
    assert site.stat().st_mtime_ns > ahead
