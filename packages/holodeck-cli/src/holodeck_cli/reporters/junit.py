"""The report as JUnit XML, as Jenkins, GitLab and GitHub's readers take it.

They agree on what the schema of Jenkins' xUnit plugin (junit-10.xsd) allows: properties stand in the suite and not in
a case, and a case has no place in a file, so that its text says where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from pydantic import BaseModel

from holodeck_cli.reporters.document import DocumentReporter
from holodeck_cli.reporters.story import case_name, case_story, first_reason
from holodeck_cli.reporters.unique_names import UniqueNames
from holodeck_core.api.events import CaseFinished, RunFinished, RunStarted
from holodeck_core.models.test_result import TestReport, TestResult
from holodeck_core.text import reveal, without_commands

_ELEMENTS: Final = {"failed": "failure", "error": "error", "skipped": "skipped"}


class JunitReporter(DocumentReporter):
    """One test suite for the agent file, one test case for each case; what did not pass is told in its text."""

    def __init__(self, options: BaseModel, output: Path | None = None) -> None:
        super().__init__(options, output)
        self._statuses: Counter[str] = Counter()
        self._total: int | None = None

    def run_started(self, event: RunStarted) -> None:
        self._total = event.total

    def case_finished(self, event: CaseFinished) -> None:
        self._statuses[event.status] += 1

    def texts(self, event: RunFinished) -> Iterator[str]:
        head = event.head
        counts = {
            "tests": event.summary.total_tests,
            "failures": self._statuses["failed"],
            "errors": self._statuses["error"],
        }
        time = _seconds(event.duration_ms)
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f"<testsuites{_attributes({'name': 'holodeck', **counts, 'time': time})}>\n"
        suite = {
            "name": head.agent_name,
            **counts,
            "skipped": self._statuses["skipped"],
            "time": time,
            "timestamp": f"{head.timestamp:%Y-%m-%dT%H:%M:%S}",
        }
        if head.agent_config_path is not None:
            suite["file"] = head.agent_config_path
        yield f"  <testsuite{_attributes(suite)}>\n"
        names = UniqueNames()
        for result in event.results():
            name = names.of(case_name(result), result.index or 0)
            yield from _case(result, name, head.agent_name, timed=event.timed)
        yield from _properties(_about(head, event))
        if not event.complete:
            total = "" if self._total is None else f" of {self._total}"
            yield f"    <system-err>incomplete: {event.summary.total_tests}{total} cases finished</system-err>\n"
        yield "  </testsuite>\n</testsuites>\n"


def _case(result: TestResult, name: str, agent: str, *, timed: bool) -> Iterator[str]:
    about = {"name": name, "classname": agent, "time": _seconds(result.execution_time_ms)}
    begin = f"    <testcase{_attributes(about)}"
    element = _ELEMENTS.get(result.status)
    text = _no_command(escape("\n".join(case_story(result, timed=timed))))
    if element is None:
        # How often a repeated case passed is worth reading where it passed, too.
        told = (
            f">\n      <system-out>{text}</system-out>\n    </testcase>"
            if result.repeats is not None
            else "/>"
        )
        yield f"{begin}{told}\n"
        return
    what = _attributes({"message": first_reason(result), "type": result.status})
    yield f"{begin}>\n      <{element}{what}>{text}</{element}>\n    </testcase>\n"


def _about(head: TestReport, event: RunFinished) -> Iterator[tuple[str, object]]:
    yield "holodeck_version", head.holodeck_version
    if head.run_id is not None:
        yield "run_id", head.run_id
    yield "complete", str(event.complete).lower()
    yield "unchecked", event.summary.unchecked
    yield from head.environment.items()
    usage, cost = event.summary.token_usage, event.summary.cost
    if usage is not None:
        yield from (item for item in usage.model_dump(exclude={"partial"}).items())
        yield "tokens_partial", str(usage.partial).lower()
    if cost is not None:
        yield "cost_usd", "unknown" if cost.usd is None else f"{cost.usd:.10f}".rstrip("0").rstrip(".")


def _properties(properties: Iterator[tuple[str, object]]) -> Iterator[str]:
    yield "    <properties>\n"
    for name, value in properties:
        yield f"      <property{_attributes({'name': name, 'value': value})}/>\n"
    yield "    </properties>\n"


def _attributes(values: Mapping[str, object]) -> str:
    return "".join(f" {name}={_no_command(quoteattr(reveal(str(value))))}" for name, value in values.items())


def _no_command(xml: str) -> str:
    """The same to a reader of XML, and no command to one of lines."""
    return without_commands(xml, "&#35;", "&#58;")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3f}"
