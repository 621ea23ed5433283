"""The hooks as they are published, and what the core itself contributes."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from holodeck_core.plugins import hookspecs
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.names import FIRST_PARTY_NAMES


def test_there_is_one_hook_for_each_kind() -> None:
    assert set(hookspecs.HOOKS) == set(get_args(hookspecs.Kind))
    assert set(hookspecs.HOOKS.values()) == {name for name in vars(hookspecs) if name.startswith("holodeck_")}


@pytest.mark.parametrize("hook", hookspecs.HOOKS.values())
def test_a_hook_is_synchronous_takes_nothing_and_documents_its_contract(hook: str) -> None:
    spec = getattr(hookspecs, hook)
    assert not inspect.iscoroutinefunction(spec)
    assert not inspect.signature(spec).parameters
    lines = [line.strip().partition(" ")[0] for line in inspect.getdoc(spec).splitlines() if line.strip()]  # type: ignore[union-attr]
    assert [line for line in lines if line in {"Fires", "Return:", "Target:", "If"}] == [
        "Fires",
        "Return:",
        "Target:",
        "If",
    ]


def test_the_core_contributes_through_the_same_door() -> None:
    (core,) = (record for record in PluginHost(environ={}).records(load=True) if record.id == "core")
    assert (core.status, core.problems) == ("ok", ())
    names = {kind: {each.name for each in found} for kind, found in core.contributions.items()}
    assert names["matcher"] == {"literal"}
    assert names["backend"] >= {"python", "replay", "scripted"}
    for kind, found in names.items():
        assert found <= {
            name for name, owner in FIRST_PARTY_NAMES[kind].items() if owner.startswith("holodeck-core")
        }


def test_every_object_that_the_core_contributes_is_there() -> None:
    plugins = PluginHost(environ={})
    (core,) = (record for record in plugins.records() if record.id == "core")
    for kind, found in core.contributions.items():
        for contribution in found:
            assert isinstance(plugins.resolve(kind, contribution.name).object, type)


HEAVY = {
    "pydantic",
    "yaml",
    "asyncio",
    "attrs",
    "attr",
    "importlib.metadata",
    "packaging",
    "email",
    "difflib",
}


@pytest.mark.parametrize(
    "statement",
    [
        "import holodeck_core.plugins",
        "import holodeck_core.hooks",
        "import holodeck_core.plugins.host; holodeck_core.plugins.host.PluginHost()",
    ],
)
def test_the_light_layer_imports_nothing_heavy(statement: str) -> None:
    script = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    output = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    modules = set(json.loads(output))
    assert "pluggy" in modules
    assert not modules & HEAVY


def test_resolving_a_name_imports_no_more_than_metadata_needs(install: Any, site: Path) -> None:
    install(
        "holodeck-acme",
        "@hookimpl\ndef holodeck_metrics(): return [Contribution('pii', 'acme_things:Pii', '')]",
        modules={"acme_things.py": "class Pii: ..."},
    )
    script = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "from holodeck_core.plugins.host import PluginHost\n"
        "PluginHost().metric('acme/pii')\n"
        "import json\nprint(json.dumps(sorted(sys.modules)))"
    )
    output = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert not set(json.loads(output)) & {"pydantic", "yaml", "asyncio", "attrs", "packaging", "difflib"}
