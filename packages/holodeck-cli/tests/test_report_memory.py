"""What a report costs in memory does not grow with the number of results, whatever went wrong in them."""

from __future__ import annotations

import gc
import io
import sys
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holodeck_cli.reporters.github import GithubReporter
from holodeck_cli.reporters.json import JsonReporter
from holodeck_cli.reporters.junit import JunitReporter
from holodeck_cli.reporters.markdown import MarkdownReporter
from holodeck_cli.reporters.terminal import TerminalReporter
from holodeck_core import Reporter, ReportSummary, RunFinished, RunStarted, TestReport, TestResult
from holodeck_core.engine.case_events import case_told_again

FEW, MANY = 100, 500
A_RESULT = 5_000  # bytes that one takes, at least


def results(count: int) -> Iterator[TestResult]:
    text = "no " * 100
    for index in range(count):
        metric = {"metric_name": "m", "passed": False, "score": 0.0, "reasoning": f"{text}{index}"}
        turn = {
            "input": f"{text}{index}",
            "response": f"{text}{index}",
            "tool_invocations": [{"name": "f", "args": {"a": f"{text}{index}"}, "result": f"{text}{index}"}],
            "metric_results": [metric],
            "passed": False,
            "execution_time_ms": 1,
        }
        case = {
            "test_name": f"case {index}",
            "test_input": "q",
            "timestamp": datetime.now(UTC),
            "turns": [{**turn, "turn_index": 0}, {**turn, "turn_index": 1}],
            "index": index,
            "passed": False,
            "execution_time_ms": 2,
            "errors": ["no session"] * (index % 2),
            "status": "error" if index % 2 else "failed",
        }
        yield TestResult.model_validate(case)


def peak(reporter: Reporter, count: int) -> int:
    """The most memory that is taken while the reporter is told of a run of that many cases."""
    summary = ReportSummary(
        total_tests=count, passed=0, failed=count, errored=count // 2, pass_rate=0, total_duration_ms=1
    )
    head = TestReport(
        agent_name="desk", results=[], summary=summary, timestamp=datetime.now(UTC), holodeck_version="0"
    )
    gc.collect()
    tracemalloc.start()
    try:
        start = RunStarted(
            run_id="1", agent_name="desk", agent_config_path=None, total=count, parallel=1, plugins={}
        )
        reporter.run_started(start)
        for result in results(count):
            started, *_, finished = case_told_again(result)
            reporter.case_started(started)  # type: ignore[arg-type]
            reporter.case_finished(finished)  # type: ignore[arg-type]
        reporter.run_finished(
            RunFinished(
                complete=True, duration_ms=1, summary=summary, head=head, results=lambda: results(count)
            )
        )
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "kind", [TerminalReporter, JsonReporter, JunitReporter, MarkdownReporter, GithubReporter]
)
def test_a_report_of_many_results_takes_no_more_memory_than_one_of_few(
    kind: type[Reporter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "shown").open("w", encoding="utf-8") as stdout:
        assert isinstance(stdout, io.TextIOBase)
        monkeypatch.setattr(sys, "stdout", stdout)
        path = None if kind is TerminalReporter else tmp_path / "report"
        peak(kind(kind.Options(), path), FEW)  # what is imported and cached once
        few, many = (peak(kind(kind.Options(), path), count) for count in (FEW, MANY))
    assert many - few < (MANY - FEW) * A_RESULT / 10
