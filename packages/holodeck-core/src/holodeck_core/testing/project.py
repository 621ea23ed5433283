"""A folder with an agent file and whatever belongs to it, run from its start to its report."""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from holodeck_core.api.reporter import Reporter
from holodeck_core.config.load import load_suite
from holodeck_core.engine.start import run_suite_sync
from holodeck_core.errors import ConfigError
from holodeck_core.testing.ask import in_own_thread
from holodeck_core.testing.fake_distribution import FakeDistribution
from holodeck_core.testing.outcome import Outcome


class HolodeckProject:
    """An agent file with its modules, and the plugins that are installed for it.

    ``files`` maps names below the folder to their text; a mapping or a list is written as JSON, which is YAML as well.
    ``distributions`` are found as if they were installed. Without ``folder`` each run has a new one, which ends with
    it.

        HolodeckProject({"agent.yaml": {"name": "a", "model": …, "test_cases": …}}).run().assert_passed()
    """

    def __init__(
        self,
        files: Mapping[str, str | Mapping[str, Any] | Sequence[Any]],
        *,
        distributions: Iterable[FakeDistribution] = (),
        folder: Path | None = None,
    ) -> None:
        self._files = dict(files)
        self._distributions = tuple(distributions)
        self._folder = folder

    def write(self, folder: Path) -> None:
        """Write the files below the folder, and the distributions into ``site-packages`` there."""
        for name, content in self._files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            path.write_text(text, encoding="utf-8")
        for distribution in self._distributions:
            distribution.install(folder / "site-packages")

    def run(
        self,
        agent: str = "agent.yaml",
        *,
        reporters: Sequence[Reporter] = (),
        environ: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Outcome:
        """Load the agent file and hold its conversations, here in this process.

        ``environ`` takes the place of the environment where the file names variables; ``settings`` are execution
        settings that go before those of the file. Modules of the folder are forgotten afterwards.
        """
        with self._written() as folder, _importable(folder):
            try:
                suite = load_suite(folder / agent, settings=settings, environ=environ)
            except ConfigError as error:
                return Outcome(problems=error.problems)
            return Outcome(in_own_thread(lambda: run_suite_sync(suite, reporters=reporters)))

    @contextmanager
    def _written(self) -> Iterator[Path]:
        if self._folder is not None:
            self.write(self._folder)
            yield self._folder
            return
        with tempfile.TemporaryDirectory(prefix="holodeck-project-") as folder:
            self.write(Path(folder))
            yield Path(folder)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Distributions below the folder are found; what was imported from it is forgotten at the end."""
    site = str(folder / "site-packages")
    before = set(sys.modules)
    sys.path.insert(0, site)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if site in sys.path:
            sys.path.remove(site)
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
