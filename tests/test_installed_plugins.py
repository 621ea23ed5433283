"""A plugin as somebody publishes it, installed with HoloDeck from wheels; and what happens when it is broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from holodeck_cli.testing import cli

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

Lines: TypeAlias = Callable[..., list[list[Any]]]

GRADER = {"type": "code", "grader": "acme/mentions"}
METRIC = {"type": "acme/terse"}

# Runs several command lines in one process of the new environment, which shall show what it has installed only.
SCRIPT = """
import json, sys
from holodeck_cli.testing import cli
print(json.dumps([cli(*args) for args in json.loads(sys.argv[1])]))
"""


def agent(*metrics: dict[str, Any]) -> str:
    return json.dumps(
        {
            "name": "desk",
            "model": {"provider": "scripted", "replies": [{"reply": "A lamp."}]},
            "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}, *metrics]},
            "test_cases": [{"name": "asks", "input": "What is it?", "ground_truth": "A lamp."}],
        }
    )


class Place(NamedTuple):
    """The new environment: its Python, where its packages are, and a folder to work in."""

    python: Path
    site: Path
    folder: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Place:
    """Everything from wheels: HoloDeck, and a grader plugin as ``plugins new`` writes it."""
    folder = tmp_path_factory.mktemp("published")
    assert cli("plugins", "new", "acme", "--kind", "grader", folder=folder).exit_code == 0
    pip = [sys.executable, "-m", "pip", "--quiet"]
    own = folder / "wheels"
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(own), str(folder / "holodeck-acme")], check=True)
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    built = [str(wheel) for wheel in (*wheels.glob("*.whl"), *own.glob("*.whl"))]
    subprocess.run([*pip, "--python", str(python), "install", *built], check=True)
    [site] = (folder / "venv" / "lib").glob("python*/site-packages")
    work = folder / "work"
    work.mkdir()
    (work / "plain.yaml").write_text(agent())
    (work / "grader.yaml").write_text(agent(GRADER))
    (work / "metric.yaml").write_text(agent(METRIC))
    return Place(python, site, work)


@pytest.fixture
def lines(place: Place) -> Lines:
    """What several command lines end with and write, there."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV", "HOLODECK_"))
    }

    def lines(*commands: str) -> list[list[Any]]:
        done = subprocess.run(
            [str(place.python), "-c", SCRIPT, json.dumps([command.split() for command in commands])],
            cwd=place.folder,
            env=clean,
            capture_output=True,
            text=True,
            check=True,
        )
        found: list[list[Any]] = json.loads(done.stdout)
        return found

    return lines


@pytest.fixture
def files(place: Place) -> Iterator[dict[str, Path]]:
    """The files of the installed plugin that a test may spoil; they are as before afterwards."""
    [metadata] = place.site.glob("holodeck_acme-*.dist-info")
    package = place.site / "holodeck_acme"
    found = {
        "hooks": package / "hooks.py",
        "mentions": package / "mentions.py",
        "entry points": metadata / "entry_points.txt",
    }
    before = {name: path.read_text() for name, path in found.items()}
    yield found
    for name, path in found.items():
        path.write_text(before[name])
    (package / "terse.py").unlink(missing_ok=True)


def test_a_suite_uses_the_grader_of_a_published_plugin(lines: Lines) -> None:
    listed, checked, tested = lines("plugins list", "plugins check acme", "test grader.yaml")
    assert "acme: holodeck-acme 0.1.0, ok" in listed[1]
    assert "acme/mentions" in listed[1]
    assert checked[0] == 0, checked
    assert tested[0] == 0, tested
    assert "plugins: acme 0.1.0" in tested[1].splitlines()


HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

MENTIONS = Contribution("mentions", "holodeck_acme.mentions:mentions", "words")
TERSE = Contribution("terse", "holodeck_acme.terse:Terse", "few words")

@hookimpl
def holodeck_graders():
    return [MENTIONS]
"""

METRICS = f"{HOOKS}\n@hookimpl\ndef holodeck_metrics():\n    return [TERSE]\n"


class Way(NamedTuple):
    """A way of being broken: what stands in the plugin's files, the suite that uses it, and what is said there.

    ``listed`` is said by the list of plugins, where that knows without importing what is contributed.
    """

    files: dict[str, str]
    suite: str
    says: str
    exit_code: int = 2
    listed: bool = True


WAYS = {
    "an import error": Way(
        {"hooks": "import nothing_of_that_name\n"},
        "grader",
        "cannot import holodeck_acme.hooks: ModuleNotFoundError: No module named 'nothing_of_that_name'",
    ),
    "sys.exit at import": Way(
        {"hooks": "import sys\nsys.exit(0)\n"}, "grader", "cannot import holodeck_acme.hooks: SystemExit: 0"
    ),
    "an unknown hook": Way(
        {"hooks": f"{HOOKS}\n@hookimpl\ndef holodeck_observers():\n    return []\n"},
        "grader",
        "implements the hook 'holodeck_observers', which holodeck-core 0.1.0 does not have",
        exit_code=0,  # the rest of it is well
    ),
    "an awaitable from a hook": Way(
        {"hooks": HOOKS.replace("def holodeck_graders", "async def holodeck_graders")},
        "grader",
        "holodeck_graders returned an awaitable; hooks are synchronous",
    ),
    "the wrong base class": Way(
        {"hooks": METRICS, "terse": "class Terse: ...\n"},
        "metric",
        "holodeck_acme.terse:Terse is not a subclass of holodeck_core.api.metric.Metric",
        listed=False,
    ),
    "a misnamed entry point": Way(
        {"entry points": "[holodeck.v1]\nacme_grader = holodeck_acme.hooks\n"},
        "grader",
        "its entry point is called 'acme_grader' and must be called 'acme'",
    ),
    "a target that is missing": Way(
        {"mentions": "def mention(turn): return True\n"},
        "grader",
        "cannot import holodeck_acme.mentions:mentions: AttributeError: module 'holodeck_acme.mentions' has no",
        listed=False,
    ),
    "a duplicate contribution": Way(
        {"hooks": HOOKS.replace("[MENTIONS]", "[MENTIONS, MENTIONS]")},
        "grader",
        "holodeck_graders: the name 'mentions' is contributed 2 times",
    ),
    "options that are no model": Way(
        {
            "hooks": METRICS,
            "terse": "from holodeck_core import Metric, Score\n\nclass Terse(Metric):\n    Options = dict\n\n"
            "    def score(self, turn):\n        return Score(1.0)\n",
        },
        "metric",
        "holodeck_acme.terse.Terse has dict as its Options, which is no pydantic model",
        listed=False,
    ),
    "an exception in the hook": Way(
        {"hooks": HOOKS.replace("return [MENTIONS]", "raise RuntimeError('half done')")},
        "grader",
        "holodeck_graders raised RuntimeError: half done",
    ),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_broken_plugin_says_what_is_wrong_where_it_matters(
    files: dict[str, Path], lines: Lines, way: Way
) -> None:
    for name, text in way.files.items():
        files.get(name, files["hooks"].with_name(f"{name}.py")).write_text(text)
    plain, used, listed, checked = lines(
        "test plain.yaml", f"test {way.suite}.yaml", "plugins list", "plugins check acme"
    )
    assert plain[0] == 0, plain
    assert used[0] == way.exit_code, used
    assert way.exit_code == 0 or way.says in used[2]
    assert listed[0] == 0
    assert (way.says in listed[1]) is way.listed
    assert checked[0] == 1
    assert way.says in checked[1]
    assert "Traceback" not in "".join(
        str(part) for result in (plain, used, listed, checked) for part in result
    )
