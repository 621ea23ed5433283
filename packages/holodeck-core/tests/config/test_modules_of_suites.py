"""Suites of one process that have modules of the same names: each has its own."""

from __future__ import annotations

import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from holodeck_core import ConfigError, Suite, load_suite, run_suite_sync

AGENT = """\
name: {name}
model: {{provider: python, agent: "twin_agent:open_agent"}}
evaluations: {{metrics: [{{type: code, grader: "twin_graders.names:says_{name}"}}]}}
test_cases: [{{input: Who are you?}}]
"""
FILES = {
    "twin_agent.py": "import twin_helpers\ndef open_agent():\n    return lambda text: twin_helpers.name()\n",
    "twin_helpers.py": "def name():\n    return {name!r}\n",
    "twin_graders/__init__.py": "",
    "twin_graders/names.py": "from twin_helpers import name\n"
    "def says_{name}(turn):\n    return turn.agent_response == name() == {name!r}\n",
}
LATE = {
    "twin_agent.py": "def open_agent():\n    import twin_helpers\n    return lambda text: twin_helpers.name()\n"
}

Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    """Writes a suite, with files of its own, into a folder of its name."""
    before = set(sys.modules)

    def written(name: str, **files: str) -> Path:
        for file, text in {"agent.yaml": AGENT, **FILES, **files}.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(name=name))
        return tmp_path / name / "agent.yaml"

    yield written
    shutil.rmtree(tmp_path)  # of files that are gone nothing is kept
    for module in set(sys.modules) - before:
        if module.startswith("twin"):
            del sys.modules[module]


def verdicts(suite: Suite) -> list[str]:
    return [result.status for result in run_suite_sync(suite).results]


def test_each_suite_has_its_own_modules_in_whatever_order(written: Written) -> None:
    paths = [written("one"), written("two"), written("three")]
    suites = [load_suite(path) for path in paths]
    assert [verdicts(suite) for suite in (*suites, load_suite(paths[0]))] == [["passed"]] * 4


def test_a_suite_has_nothing_of_what_stands_beside_another(written: Written) -> None:
    load_suite(written("one"))
    lacking = written("two")
    (lacking.parent / "twin_helpers.py").unlink()
    with pytest.raises(ConfigError, match=r"importing 'twin_agent' failed: .*No module named 'twin_helpers'"):
        load_suite(lacking)


def test_a_suite_that_is_alone_leaves_its_modules_as_any_import_does(written: Written) -> None:
    suite = load_suite(written("one", **LATE))
    assert "twin_agent" in sys.modules
    assert verdicts(suite) == ["passed"]


def test_who_imports_a_name_of_several_suites_later_is_told_so(written: Written, tmp_path: Path) -> None:
    late, other = load_suite(written("one", **LATE)), load_suite(written("two"))
    [failed] = run_suite_sync(late).results
    both = f"{tmp_path}/one/twin_helpers.py and {tmp_path}/two/twin_helpers.py"
    (error,) = failed.errors
    assert (
        f"ImportError: several suites of this process have a module 'twin_helpers', {both}: rename one of"
        in error
    )
    assert verdicts(other) == ["passed"]


def test_what_the_program_has_loaded_hides_no_module_of_a_suite(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "twin_helpers.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    import_module("twin_helpers")
    both = f"already loaded from {tmp_path}/twin_helpers.py, so {tmp_path}/one/twin_helpers.py cannot be: rename it"
    with pytest.raises(ConfigError, match=re.escape(both)):
        load_suite(written("one"))
    unused = {"twin_agent.py": "def open_agent():\n    return lambda text: {name!r}\n"}
    graders = {"twin_graders/names.py": "def says_{name}(turn):\n    return True\n"}
    assert verdicts(load_suite(written("one", **unused, **graders))) == ["passed"]


def test_suites_are_loaded_and_run_in_several_threads(written: Written) -> None:
    paths = [written(name) for name in ("one", "two", "three")]
    with ThreadPoolExecutor(3) as threads:
        found = threads.map(lambda path: verdicts(load_suite(path)), paths * 4)
    assert list(found) == [["passed"]] * 12


@pytest.mark.parametrize(("has_one_too", "verdict"), [(False, "passed"), (True, "error")])
def test_a_suite_goes_on_while_another_one_imports(
    written: Written, monkeypatch: pytest.MonkeyPatch, has_one_too: bool, verdict: str
) -> None:
    running = load_suite(written("one", **LATE))
    slow = "import builtins\nbuiltins.twin_slow()\ndef open_agent():\n    return lambda text: {name!r}\n"
    other = written("two", **{"twin_slow_agent.py": slow})
    if not has_one_too:
        (other.parent / "twin_helpers.py").unlink()
    other.write_text(
        AGENT.format(name="two").replace("twin_agent:", "twin_slow_agent:").partition("evaluations")[0]
    )
    found: list[str] = []
    runner = threading.Thread(target=lambda: found.extend(verdicts(running)))

    def meanwhile() -> None:
        runner.start()
        runner.join(0.3)

    monkeypatch.setattr("builtins.twin_slow", meanwhile, raising=False)
    load_suite(other)
    runner.join()
    assert found == [verdict]
    assert verdicts(running) == ["passed"]  # it is alone again


def test_each_suite_has_the_fingerprint_of_its_own_modules(written: Written) -> None:
    paths = [written("one"), written("two")]
    before = [load_suite(path).fingerprint for path in paths]
    (paths[1].parent / "twin_helpers.py").write_text("def name(): return 'other'\n")
    assert [load_suite(path).fingerprint == known for path, known in zip(paths, before, strict=True)] == [
        True,
        False,
    ]


def test_types_of_tools_are_those_of_their_own_suite(written: Written) -> None:
    tools = """\
from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Order:
    lines: list[{name}]
@dataclass
class {name}:
    number: int
def ship(order: Order) -> str:
    return str(order.lines[0].number)
"""
    agent = """\
name: shop
model: {{provider: openai, name: a, api_key: a}}
instructions: {{inline: Ship.}}
tools: [{{type: function, name: ship, description: Ships, file: twin_tools.py, function: ship}}]
"""
    paths = [written(name, **{"agent.yaml": agent, "twin_tools.py": tools}) for name in ("One", "Two", "One")]
    for path in paths:
        load_suite(path)
