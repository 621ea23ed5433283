"""The reporters as the engine uses them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from holodeck_cli.reporters.json import JsonReporter
from holodeck_cli.reporters.terminal import TerminalOptions, TerminalReporter
from holodeck_core import NoOptions, ReportSummary, RunFinished, TestReport, TestResult


def finished(results: list[TestResult], **more: Any) -> RunFinished:
    count = len(results)
    summary = ReportSummary(total_tests=count, passed=count, failed=0, pass_rate=100, total_duration_ms=0)
    head = TestReport(
        agent_name="a", results=[], summary=summary, timestamp=datetime.now(UTC), holodeck_version="0", **more
    )
    return RunFinished(
        complete=True, duration_ms=1, summary=summary, head=head, results=lambda: iter(results)
    )


def result(**more: Any) -> TestResult:
    given = {"test_input": "hi", "execution_time_ms": 1, "passed": True, "timestamp": datetime.now(UTC)}
    return TestResult.model_validate({**given, **more})


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize(
    "details",
    [
        {"ratio": float("inf"), "x": float("nan"), "n": 10**30},
        {"surrogate": "\ud835", "\ud835": ["\ud83c\udf78"]},
        {"control": "\x00\x1b[31m\x9b\u202e\uffff"},
        {"deep": [[[[[{}]]]]]},
    ],
    ids=["numbers", "surrogates", "controls", "deep"],
)
def test_whatever_a_grader_says_the_report_is_strict_json(tmp_path: Path, details: dict[str, Any]) -> None:
    path = tmp_path / "report.json"
    JsonReporter(NoOptions(), path).run_finished(finished([result(grader_details={"g": details})]))
    report = json.loads(path.read_text("utf-8"), parse_constant=refuse)
    if "n" in details:
        assert report["results"][0]["grader_details"]["g"] == {"ratio": "inf", "x": "nan", "n": 10**30}


def test_the_report_reads_back_as_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    results = [result(test_name=name) for name in ("one", "two")]
    event = finished(results, environment={"python": "3"})
    JsonReporter(NoOptions(), path).run_finished(event)
    assert TestReport.model_validate_json(path.read_bytes()) == event.head.model_copy(
        update={"results": results}
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_each_result_stands_on_a_line_of_its_own(tmp_path: Path, count: int) -> None:
    path = tmp_path / "report.json"
    JsonReporter(NoOptions(), path).run_finished(finished([result() for _ in range(count)]))
    text = path.read_text("utf-8")
    assert len(json.loads(text)["results"]) == count
    assert sum(line.startswith('    {"') for line in text.splitlines()) == count


def test_results_are_written_one_by_one(tmp_path: Path) -> None:
    alive: list[int] = []

    class Counted(TestResult):
        def model_post_init(self, context: Any) -> None:
            alive.append(1)

        def __del__(self) -> None:
            alive.pop()

    def stream() -> Iterator[TestResult]:
        for _ in range(50):
            yield Counted.model_validate(result().model_dump())
            assert len(alive) <= 2

    event = finished([])
    JsonReporter(NoOptions(), tmp_path / "r.json").run_finished(
        RunFinished(complete=True, duration_ms=1, summary=event.summary, head=event.head, results=stream)
    )
    assert len(json.loads((tmp_path / "r.json").read_text())["results"]) == 50


def test_an_error_while_writing_leaves_the_old_report(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"old": true}')

    def broken() -> Iterator[TestResult]:
        yield result()
        raise OSError("the journal is gone")

    event = finished([])
    with pytest.raises(OSError, match="the journal is gone"):
        JsonReporter(NoOptions(), path).run_finished(
            RunFinished(complete=True, duration_ms=1, summary=event.summary, head=event.head, results=broken)
        )
    assert path.read_text() == '{"old": true}'
    assert list(tmp_path.iterdir()) == [path]


def test_json_on_standard_output_is_utf_8_whatever_its_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "__stdout__", stdout)
    JsonReporter(NoOptions()).run_finished(finished([result(test_name="名 ✓")]))
    written = stdout.buffer.getvalue()
    assert json.loads(written.decode("utf-8"))["results"][0]["test_name"] == "名 ✓"


def test_the_terminal_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="writes no file"):
        TerminalReporter(TerminalOptions(), tmp_path / "file")
