"""The command line as a real process."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pytest
from jsonschema import Draft202012Validator

from holodeck_core import Reporter, ReportSummary, RunFinished, RunStarted, TestReport, TestResult
from holodeck_core.config.schema import report_schema
from holodeck_core.engine.case_events import case_told_again
from holodeck_core.engine.reporting import Reporters
from holodeck_core.models.cost import Cost

Process: TypeAlias = "subprocess.CompletedProcess[str]"
COMMAND = (sys.executable, "-m", "holodeck_cli")


class Holodeck(Protocol):
    """Runs ``holodeck`` with some arguments in the test's folder, and waits for it."""

    def __call__(
        self, *args: str, env: Mapping[str, str] | None = None, encoding: str = "utf-8"
    ) -> Process: ...


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without whatever could change what is shown.

    A PYTHONPATH that is added stands before the one that there is.
    """
    hidden = (
        "HOLODECK_",
        "NO_COLOR",
        "FORCE_COLOR",
        "TERM",
        "COLUMNS",
        "PYTHONIOENCODING",
        "PYTHONUTF8",
        "LC_",
        "LANG",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    found = {**kept, "LC_ALL": "C.UTF-8", **(extra or {})}
    paths = [extra["PYTHONPATH"] if extra and "PYTHONPATH" in extra else "", os.environ.get("PYTHONPATH", "")]
    if any(paths):
        found["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return found


@pytest.fixture
def holodeck(tmp_path: Path) -> Holodeck:
    """The command line, started in ``tmp_path``."""

    def run(*args: str, env: Mapping[str, str] | None = None, encoding: str = "utf-8") -> Process:
        done = subprocess.run(
            [*COMMAND, *args],
            cwd=tmp_path,
            env=clean_environment(env),
            capture_output=True,
            encoding=encoding,
            timeout=60,
            check=False,
        )
        _check_reports(args, tmp_path)
        return done

    return run


def _check_reports(args: Sequence[str], folder: Path) -> None:
    """Every report in JSON that a test writes fulfils the schema that ``holodeck schema --report`` prints."""
    if not args or args[0] not in ("test", "report"):
        return
    for option, path in itertools.pairwise(args):
        if option in ("-o", "--output") and path.endswith(".json") and (folder / path).is_file():
            report = json.loads((folder / path).read_bytes())
            if "schema_version" in report:  # else it is one that was there before
                assert [error.message for error in _report_validator().iter_errors(report)] == []


@cache
def _report_validator() -> Draft202012Validator:
    return Draft202012Validator(report_schema())


@pytest.fixture
def environment() -> Callable[[Mapping[str, str] | None], dict[str, str]]:
    """See ``clean_environment``."""
    return clean_environment


@pytest.fixture
def command() -> tuple[str, ...]:
    """What starts ``holodeck``, for tests that start it themselves."""
    return COMMAND


class Render(Protocol):
    """What a reporter writes of a run with these results."""

    def __call__(
        self,
        reporter: type[Reporter],
        results: Sequence[TestResult],
        *,
        complete: bool = True,
        cost: Cost | None = None,
    ) -> str: ...


@pytest.fixture
def render(tmp_path: Path) -> Render:
    """Tells a reporter of a run that had these results."""

    def render(
        reporter: type[Reporter],
        results: Sequence[TestResult],
        *,
        complete: bool = True,
        cost: Cost | None = None,
    ) -> str:
        path = tmp_path / "written"
        failed = sum(not result.passed for result in results)
        count = len(results)
        usage = None
        for result in results:
            if result.token_usage is not None:
                usage = result.token_usage if usage is None else usage + result.token_usage
        summary = ReportSummary(
            total_tests=count,
            passed=count - failed,
            failed=failed,
            errored=sum(result.status == "error" for result in results),
            pass_rate=0,
            total_duration_ms=1,
            token_usage=usage,
            cost=cost,
        )
        head = TestReport(
            agent_name="desk", results=[], summary=summary, timestamp=datetime.now(UTC), holodeck_version="0"
        )
        told = Reporters([reporter(reporter.Options(), path)])
        told.tell(
            RunStarted(
                run_id="1",
                agent_name="desk",
                agent_config_path="agent.yaml",
                total=count + (not complete),
                parallel=1,
                plugins={},
            )
        )
        for result in results:
            for event in case_told_again(result):
                told.tell(event)
        end = RunFinished(
            complete=complete, duration_ms=1, summary=summary, head=head, results=lambda: iter(results)
        )
        told.tell(end)
        assert told.errors == []
        return path.read_bytes().decode("utf-8")

    return render


LOGGED_AGENT = """
import asyncio, os, signal
from pathlib import Path

class Agent:
    async def send(self, message):
        with open("sent", "a") as log:
            log.write(message.text + "\\n")
        if Path("kill").exists() and message.text == Path("kill").read_text():
            os.kill(os.getpid(), signal.SIGKILL)
        if Path("hold").exists() and message.text == Path("hold").read_text():
            await asyncio.sleep(60)
        if message.text == "bad":
            raise RuntimeError("out of order")
        return "ok"
"""


class Logged:
    """An agent in a folder, with a case for each of its texts; it writes down what it is sent.

    The text ``bad`` is answered with an error. ``kill`` and ``hold`` name a text at which the process is killed, or
    waits for a minute.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / ".holodeck" / "runs"
        (folder / "logged_agent.py").write_text(LOGGED_AGENT)

    def write(self, *texts: str, cases: list[dict[str, Any]] | None = None, **more: Any) -> None:
        agent = {
            "name": "desk",
            "model": {"provider": "python", "agent": "logged_agent:Agent"},
            "test_cases": cases or [{"name": text, "input": text, "expected_tools": []} for text in texts],
            **more,
        }
        (self.folder / "agent.yaml").write_text(json.dumps(agent))

    def at(self, what: str, text: str) -> None:
        """Let ``kill`` or ``hold`` happen at a text."""
        (self.folder / what).write_text(text)

    def never(self, what: str) -> None:
        """Let it not happen any more."""
        (self.folder / what).unlink()

    def sent(self) -> list[str]:
        """What was sent since this was last asked."""
        log = self.folder / "sent"
        texts = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return texts

    def wait_for(self, text: str) -> None:
        """Wait until a text was sent."""
        end = time.monotonic() + 30
        while not (self.folder / "sent").exists() or text not in (self.folder / "sent").read_text().split():
            assert time.monotonic() < end, f"{text} was not sent"
            time.sleep(0.02)

    def ids(self) -> list[str]:
        """The ids of the runs that are kept, the first one first."""
        heads = [json.loads(path.read_bytes()) for path in self.runs.glob("*/run.json")]
        return [head["run_id"] for head in sorted(heads, key=lambda head: str(head["started_at"]))]


@pytest.fixture
def logged(tmp_path: Path) -> Logged:
    """See ``Logged``."""
    return Logged(tmp_path)


@pytest.fixture
def launch(tmp_path: Path, command: tuple[str, ...]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start ``holodeck`` in the test's folder; whatever still runs at the end is killed."""
    processes: list[subprocess.Popen[str]] = []

    def start(*args: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*command, *args], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()
