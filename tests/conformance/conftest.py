"""Where the public data is, and how suites made of it are run. Nothing of the data is part of this project."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import TestReport, load_suite, run_suite_sync

HERE = Path(__file__).parent
CORPORA = Path(os.environ.get("HOLODECK_CORPORA", HERE.parents[2] / "shared" / "corpora"))

# The converters and the table stand beside the tests that use them.
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """A file or folder of the public data; the test is skipped where the data is not at hand."""

    def corpus(path: str) -> Path:
        found = CORPORA / path
        if not found.exists():
            pytest.skip(f"{found} is not at hand (HOLODECK_CORPORA names the folder)")
        return found

    return corpus


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., TestReport]:
    """Writes an agent and its cases to files, loads them and holds all conversations.

    ``agent`` is what stands in the agent file besides its name; ``files`` are other JSON Lines files by their name.
    """

    def run(
        agent: dict[str, Any], cases: Iterable[object], files: dict[str, Iterable[object]] | None = None
    ) -> TestReport:
        folder = tmp_path_factory.mktemp("suite")
        for name, lines in {**(files or {}), "cases.jsonl": cases}.items():
            with (folder / name).open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        suite = {"name": "conformance", "test_cases_file": "cases.jsonl", **agent}
        text = json.dumps(suite).replace("${", "$${")  # no variable is meant by it
        path = folder / "agent.json"
        path.write_text(text, encoding="utf-8")
        return run_suite_sync(load_suite(path, environ={}))

    return run
