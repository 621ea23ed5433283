"""How the tests of the examples load their modules, run the command line and find the public data."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from openai_server.fixture import openai_process, openai_server  # noqa: F401 - fixtures

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CORPORA = Path(os.environ.get("HOLODECK_CORPORA", ROOT.parent / "shared" / "corpora"))


class Run(NamedTuple):
    """What one run of ``holodeck test`` left. ``report`` is None where it wrote none."""

    code: int
    output: str
    report: dict[str, Any] | None

    def turns(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Every turn of the report, by the name of its case and its index."""
        assert self.report is not None, self.output
        return {
            (result["test_name"], turn["turn_index"]): turn
            for result in self.report["results"]
            for turn in result["turns"] or ()
        }


@pytest.fixture
def examples() -> Path:
    """The folder of the examples."""
    return EXAMPLES


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Loads ``folder/module.py`` of the examples, and lets go of it and of its siblings after the test."""

    def load(path: str) -> ModuleType:
        file = EXAMPLES / path
        monkeypatch.syspath_prepend(str(file.parent))
        for sibling in file.parent.glob("*.py"):
            monkeypatch.delitem(sys.modules, sibling.stem, raising=False)
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, file.stem, module)
        spec.loader.exec_module(module)
        return module

    return load


def call(*args: str | Path, cwd: Path) -> tuple[int, str]:
    """Run a Python command; its exit code, and all that it printed."""
    done = subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=110,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def convert(tmp_path: Path) -> Callable[..., Path]:
    """Runs ``convert.py`` of an example as a command; the folder that it wrote."""

    def convert(example: str, source: Path, *options: str) -> Path:
        out = tmp_path / "suite"
        script = EXAMPLES / example / "convert.py"
        code, output = call(script, "--source", source, "--out", out, *options, cwd=tmp_path)
        assert code == 0, output
        return out

    return convert


@pytest.fixture
def holodeck(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs ``holodeck``; its exit code, and all that it printed."""
    return lambda *args: call("-m", "holodeck_cli", *args, cwd=tmp_path)


@pytest.fixture
def holodeck_test(tmp_path: Path) -> Callable[..., Run]:
    """Runs ``holodeck test`` on an agent file, with a JSON report."""

    def holodeck_test(agent: Path, *options: str) -> Run:
        report = tmp_path / "report.json"
        code, output = call(
            "-m", "holodeck_cli", "test", agent, "-p", "8", "-o", report, *options, cwd=tmp_path
        )
        return Run(code, output, json.loads(report.read_text(encoding="utf-8")) if report.exists() else None)

    return holodeck_test


@pytest.fixture
def corpus() -> Callable[[str], Path]:
    """A file of the public data; the test is skipped where the data is not at hand."""

    def corpus(path: str) -> Path:
        file = CORPORA / path
        if not file.exists():
            pytest.skip(f"{file} is not at hand (HOLODECK_CORPORA names the folder)")
        return file

    return corpus
