"""A folder of fake distributions on ``sys.path``, and hosts that see nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holodeck_core.plugins.host import PluginHost
from holodeck_core.testing.fake_distribution import FakeDistribution


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def install(site: Path) -> Callable[..., None]:
    """``install("holodeck-acme", modules={…}, …)``; a ``hooks`` source becomes a module of the plugin's own name."""

    def write(name: str, hooks: str | None = None, **options: Any) -> None:
        modules = dict(options.pop("modules", {}))
        if hooks is not None:
            module = name.lower().replace("-", "_").replace(".", "_") + "_hooks.py"
            modules = {
                module: "from holodeck_core.plugins import Contribution, hookimpl\n" + hooks,
                **modules,
            }
        FakeDistribution(name, modules=modules, **options).install(site)

    return write


@pytest.fixture
def host(site: Path) -> Callable[..., PluginHost]:
    """A host that finds distributions in the folder only, under an empty environment."""

    def make(**options: Any) -> PluginHost:
        return PluginHost(**{"path": [str(site)], "environ": {}, **options})

    return make


@pytest.fixture
def imported() -> Callable[[str], bool]:
    """Whether a module has been imported."""
    return lambda module: module in sys.modules


@pytest.fixture
def acme(install: Callable[..., None]) -> None:
    """A plugin in good order: a matcher, a metric, two commands and a validator, in ``acme_things``."""
    install(
        "holodeck-acme",
        """
@hookimpl
def holodeck_matchers():
    return [Contribution("near", "acme_things:Near", "close to a place")]

@hookimpl
def holodeck_metrics():
    return [Contribution("pii", "acme_things:Pii", "no personal data")]

@hookimpl
def holodeck_validators():
    yield Contribution("polite", "acme_things:Polite", "no rude words")

@hookimpl
def holodeck_commands():
    return (Contribution("serve", "acme_things:serve", "serves"), Contribution("index", "acme_things:index", ""))
""",
        version="1.2",
        modules={
            "acme_things.py": """
class Base: ...
class Near(Base): ...
class Pii: ...
class Polite: ...
serve = index = object()
"""
        },
    )
