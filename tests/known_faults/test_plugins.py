"""Plugins that are broken, half broken or not there, seen from the command line.

Elsewhere each evaluator was an entry point of its own, and a broken one was warned of at every start. Here a
distribution has one entry point, and contributes several things through hooks, so that a contribution that is not
available takes the place of a failing entry point. What is not used is not imported, and a broken plugin is reported
where it is asked for, and in the list of plugins.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import ConfigError, load_suite
from holodeck_core.testing.fake_distribution import FakeDistribution

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

IMPORTS = "from holodeck_core.plugins import Contribution, hookimpl\n"

# One contribution of three cannot be imported.
SIBLINGS = f"""{IMPORTS}
@hookimpl
def holodeck_graders():
    return [
        Contribution("ok", "acme_parts:ok", "is well"),
        Contribution("boom", "acme_boom:boom", "cannot be imported"),
        Contribution("ok2", "acme_parts:ok", "is well, too"),
    ]

@hookimpl
def holodeck_metrics():
    raise RuntimeError("half [bold]done[/]")
"""

MODULES = {
    "acme_hooks.py": SIBLINGS,
    "acme_parts.py": "def ok(ctx): return True\n",
    "acme_boom.py": "import nothing_of_that_name\n",
}


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """Two plugins: one that cannot be imported at all, one that is broken in parts."""
    folder = tmp_path / "site"
    FakeDistribution(
        "holodeck-bad", version="2.1", modules={"bad_hooks.py": "raise ImportError('no [extra] here')\n"}
    ).install(folder)
    FakeDistribution("holodeck-acme", version="1.2", modules=MODULES).install(folder)
    return {"PYTHONPATH": str(folder)}


def _agent(*metrics: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": {"provider": "scripted", "replies": [{"reply": "hello"}]},
        "evaluations": {"metrics": list(metrics)},
        "test_cases": [{"input": "hi", "ground_truth": "hello"}],
    }


EQUALITY = {"type": "standard", "metric": "equality"}


@pytest.mark.parametrize(
    "args",
    [["--help"], ["--version"], ["test"], ["test", "--help"], ["validate"], ["plugins", "list"]],
    ids=" ".join,
)
def test_a_broken_plugin_that_is_not_used_stops_no_command(
    write: Write, holodeck: Holodeck, site: dict[str, str], args: list[str]
) -> None:
    write(_agent(EQUALITY))
    done = holodeck(*args, **site)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_a_broken_plugin_is_told_with_its_version_and_why(holodeck: Holodeck, site: dict[str, str]) -> None:
    shown = holodeck("plugins", "list", **site).stdout
    assert "holodeck-bad 2.1" in shown or ("bad" in shown and "2.1" in shown)
    assert "ImportError: no [extra] here" in shown
    assert "half [bold]done[/]" in shown


def test_a_half_broken_plugin_is_an_error_where_that_is_asked_for(
    write: Write, holodeck: Holodeck, site: dict[str, str]
) -> None:
    write(_agent({"type": "code", "grader": "acme/ok"}))
    assert holodeck("test", **site).returncode == 0
    done = holodeck("test", HOLODECK_STRICT_PLUGINS="1", **site)
    assert done.returncode == 2
    assert "holodeck-acme 1.2 is broken" in done.stderr


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ({"type": "bad/anything"}, ["holodeck-bad 2.1 is broken", "ImportError: no [extra] here"]),
        ({"type": "acme/pii"}, ["holodeck-acme 1.2 is broken", "RuntimeError: half [bold]done[/]"]),
        ({"type": "code", "grader": "acme/boom"}, ["acme/boom", "No module named 'nothing_of_that_name'"]),
        ({"type": "code", "grader": "acme/okk"}, ["contributes no grader 'okk'", "did you mean 'ok'"]),
        ({"type": "gone/pii"}, ["no plugin 'gone' is installed", "holodeck-gone or gone"]),
    ],
    ids=["cannot be imported", "a hook fails", "a part cannot be imported", "a slip", "not there"],
)
def test_using_what_cannot_be_had_says_why(
    write: Write,
    site: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    metric: dict[str, Any],
    told: list[str],
) -> None:
    monkeypatch.syspath_prepend(site["PYTHONPATH"])
    for module in ("bad_hooks", *(name.removesuffix(".py") for name in MODULES)):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ConfigError) as caught:
        load_suite(write(_agent(EQUALITY, metric)))
    [problem] = caught.value.problems
    assert problem.path.startswith("evaluations.metrics[1]")
    for part in told:
        assert part in problem.message


def test_a_part_that_fails_leaves_the_rest_of_its_plugin_usable(
    write: Write, holodeck: Holodeck, site: dict[str, str]
) -> None:
    write(_agent({"type": "code", "grader": "acme/ok"}, {"type": "code", "grader": "acme/ok2"}))
    done = holodeck("test", **site)
    assert done.returncode == 0, done.stderr
    assert "1 passed, 0 failed" in done.stdout


# Hides the library of these providers from a process that starts beside it.
HIDING = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "semantic_kernel" else found(name, package)
"""


@pytest.mark.parametrize("provider", ["openai", "azure_openai", "anthropic", "ollama"])
def test_a_provider_without_its_library_stops_only_the_agents_that_name_it(
    write: Write, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setattr("holodeck_core.backends.semantic_kernel.extra.find_spec", lambda name: None)
    model = {"provider": provider, "name": "m", "endpoint": "http://127.0.0.1:1/v1", "api_key": "k"}
    model["endpoint"] = model["endpoint"].removesuffix("/v1" if provider == "azure_openai" else "")
    with pytest.raises(ConfigError) as caught:
        load_suite(write({**_agent(EQUALITY), "instructions": {"inline": "Help."}, "model": model}))
    [problem] = caught.value.problems
    assert problem.path == "model.provider"
    assert "holodeck-core[semantic-kernel]" in problem.message
    load_suite(write(_agent(EQUALITY)))


def test_what_to_install_is_shown_with_its_brackets(write: Write, holodeck: Holodeck, tmp_path: Path) -> None:
    model = {"provider": "openai", "name": "m", "api_key": "k"}
    write({**_agent(EQUALITY), "instructions": {"inline": "Help."}, "model": model}, sitecustomize=HIDING)
    done = holodeck("test", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert "pip install" in done.stderr
    assert "'holodeck-core[semantic-kernel]'" in done.stderr
