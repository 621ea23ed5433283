"""``pytest -p holodeck_core.testing.pytest_plugin agent.yaml``: each case of an agent file is a test.

Collected are the files that are named on the command line, and below folders those that the setting
``holodeck_files`` fits (by default ``agent.yaml`` and ``*.agent.yaml``). A case is held as a conversation in the set-up
of its test and judged in the test itself: so a case that failed is a failure, and one that errored an error. The tags
of a case are markers of its test.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from holodeck_core.errors import ConfigError, HoloDeckError
from holodeck_core.text import one_line, without_commands

if TYPE_CHECKING:
    from holodeck_core import BoundCase, Suite, TestReport, TestResult

_SUFFIXES: Final = frozenset((".yaml", ".yml", ".json"))
_DEFAULT_FILES: Final = ["agent.yaml", "*.agent.yaml"]
_NAME_WIDTH: Final = 200
# What `-m` can name.
_MARKER: Final = re.compile(r"[^\W_][\w.+/-]*")
# Marks that do something; a tag of such a name only says what the case is about, and can be found with `-k`.
_ACTING: Final = frozenset(
    ("filterwarnings", "parametrize", "skip", "skipif", "tryfirst", "trylast", "usefixtures", "xfail")
)


class SuiteWarning(pytest.PytestWarning):
    """What can never fail or never pass in an agent file."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "holodeck_files", "Patterns of the agent files below folders", type="args", default=_DEFAULT_FILES
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix.lower() not in _SUFFIXES:
        return None
    patterns: list[str] = parent.config.getini("holodeck_files")
    if parent.session.isinitpath(file_path) or any(map(file_path.match, patterns)):
        return AgentFile.from_parent(parent, path=file_path)
    return None


class AgentFile(pytest.File):
    """An agent file. All of its mistakes are one error of collection."""

    def collect(self) -> Iterator[pytest.Item]:
        from holodeck_core import load_suite

        try:
            with _no_success(self.config):
                # What lacks here is told by the tests that need it.
                suite = load_suite(self.path, to_run=False)
        except ConfigError as error:
            raise self.CollectError(str(error)) from None
        self._warn_of(suite)
        names: set[str] = set()
        for case in suite.cases:
            name = _free(_node_name(suite.secrets.redact_shown(case.label)), names)
            names.add(name)
            yield CaseItem.from_parent(self, name=name, suite=suite, case=case)

    def _warn_of(self, suite: Suite) -> None:
        """Tell the warnings of the suite; where pytest is told to make errors of them, all are one."""
        errors = []
        for problem in suite.warnings:
            try:
                self.warn(SuiteWarning(problem.headline()))
            except SuiteWarning:
                errors.append(str(problem))
        if errors:
            raise self.CollectError("\n".join(errors))


class CaseItem(pytest.Item):
    """One case. Its session is opened when it is set up, and closed before it is judged."""

    def __init__(self, *, suite: Suite, case: BoundCase, **keys: Any) -> None:
        super().__init__(**keys)
        self._suite = suite
        self._case = case
        file, _, line = (case.source or "").rpartition(":")
        # Now, since an agent may change the working directory.
        self._place = (Path(file).absolute(), int(line) - 1) if file else (self.path, None)
        self.result: TestResult | None = None
        """The result of the case, None until it is there."""
        for tag in case.tags:
            self._mark(tag)

    def _mark(self, tag: str) -> None:
        if tag in _ACTING or not _MARKER.fullmatch(tag):
            self.extra_keyword_matches.add(tag)
            return
        line = f"{tag}: a tag of test cases"
        if line not in self.config.getini("markers"):
            self.config.addinivalue_line("markers", line)
        self.add_marker(tag)

    def setup(self) -> None:
        from asyncio import CancelledError

        import attrs

        from holodeck_core.api.faults import describe

        self.result = None  # plugins may run a test once more
        try:
            with _no_success(self.config):
                [self.result] = _report(attrs.evolve(self._suite, cases=[self._case])).results
        except HoloDeckError as error:
            why = str(error)
        # An agent may cancel every task, that of the run too.
        except (CancelledError, GeneratorExit) as error:
            why = f"what was tested ended the run: {describe(error)}"
        if self.result is None:  # told here, since pytest shows an exception's context as it is
            pytest.fail(without_commands(self._suite.secrets.redact_shown(why)), pytrace=False)
        if self.result.status == "error":
            pytest.fail(_why(self.name, self.result), pytrace=False)

    def runtest(self) -> None:
        assert self.result is not None
        if self.result.status != "passed":
            pytest.fail(_why(self.name, self.result), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return *self._place, self.name


@contextmanager
def _no_success(config: pytest.Config) -> Iterator[None]:
    """Inside of the block ``os._exit(0)`` ends pytest as an internal error does: not all tests have been run."""
    leave, process = os._exit, os.getpid()

    def end(status: int) -> None:
        if status == 0 and os.getpid() == process:  # a copy that was forked ends as it likes
            status = pytest.ExitCode.INTERNAL_ERROR
            try:
                _tell_end(config)
            finally:
                leave(status)
        leave(status)

    setattr(os, "_exit", end)  # noqa: B010 - the type of what never returns
    try:
        yield
    finally:
        if getattr(os, "_exit") is end:  # noqa: B009
            setattr(os, "_exit", leave)  # noqa: B010


def _tell_end(config: pytest.Config) -> None:
    plugins = config.pluginmanager
    if capture := plugins.getplugin("capturemanager"):
        capture.suspend_global_capture(in_=True)
    if terminal := plugins.getplugin("terminalreporter"):
        terminal.write_line("")
        terminal.write_line("what was tested called os._exit(0): the tests end here", red=True)
        terminal.flush()


def _report(suite: Suite) -> TestReport:
    """The report of a run, also where a loop is running in this thread: that of a notebook which called pytest, or of
    another plugin."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from holodeck_core import run_suite_sync

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_suite_sync(suite)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run_suite_sync, suite).result()


def _node_name(label: str) -> str:
    """A name that can stand in a node id, where ``::`` separates."""
    return without_commands(one_line(label, _NAME_WIDTH).replace("::", ":")) or "case"


def _free(name: str, taken: Container[str]) -> str:
    """The name, or the first of ``name (2)``, ``name (3)``, … that is not taken."""
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)


def _why(name: str, result: TestResult) -> str:
    from holodeck_core.case_lines import PLAIN_WIDTH, Detail, case_details, case_line

    turns = 1 if result.turns is None else len(result.turns)
    first = case_line(name, result.status, turns, result.execution_time_ms, checked=result.checked)
    lines = (first, *case_details(result, Detail(width=PLAIN_WIDTH)))
    return "\n".join(without_commands(line.text) for line in lines)
