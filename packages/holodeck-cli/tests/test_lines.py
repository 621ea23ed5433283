"""Durations and summary lines."""

from __future__ import annotations

import pytest

from holodeck_cli.reporters.lines import plugins_line, summary_line
from holodeck_core import ReportSummary
from holodeck_core.case_lines import case_line, duration


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 ms"),
        (0.4, "0 ms"),
        (12.3, "12 ms"),
        (999.4, "999 ms"),
        (999.5, "1.0 s"),
        (1_234, "1.2 s"),
        (59_949, "59.9 s"),
        (59_950, "1 min 00 s"),
        (123_000, "2 min 03 s"),
        (3_599_499, "59 min 59 s"),
        (3_599_500, "1 h 00 min"),
        (3_720_000, "1 h 02 min"),
        (90_000_000, "25 h 00 min"),
    ],
)
def test_a_duration_has_two_figures_that_matter(milliseconds: float, shown: str) -> None:
    assert duration(milliseconds) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb\x1b[31m", "PASS a b (1 turn)"),
        ("\u200b\x1b[31m", r"PASS \u200b\u001b[31m (1 turn)"),
    ],
    ids=["hidden characters in it", "nothing but hidden characters"],
)
def test_a_name_can_always_be_seen(name: str, shown: str) -> None:
    assert case_line(name, "passed", 1, None, checked=True).text == shown


@pytest.mark.parametrize(
    ("passed", "failed", "errored", "unchecked", "complete", "text", "style"),
    [
        (3, 0, 0, 0, True, "3 passed, 0 failed in 1.2 s", "green"),
        (3, 2, 0, 0, True, "3 passed, 2 failed in 1.2 s", "red"),
        (3, 2, 1, 2, True, "3 passed, 1 failed, 1 errored, 2 unchecked in 1.2 s", "red"),
        (3, 1, 1, 0, True, "3 passed, 0 failed, 1 errored in 1.2 s", "yellow"),
        (3, 0, 0, 0, False, "incomplete, 3 of 9 cases finished: 3 passed, 0 failed in 1.2 s", "yellow"),
    ],
)
def test_the_summary_counts_errors_apart(
    passed: int, failed: int, errored: int, unchecked: int, complete: bool, text: str, style: str
) -> None:
    summary = ReportSummary(
        total_tests=passed + failed,
        passed=passed,
        failed=failed,
        errored=errored,
        unchecked=unchecked,
        pass_rate=0,
        total_duration_ms=0,
    )
    assert summary_line(summary, 1_200, complete=complete, total=9)[:2] == (text, style)


def test_a_case_is_told_in_one_bounded_line() -> None:
    line = case_line("a\nb\x1b[2J" * 1000, "failed", 2, 5, checked=True)
    assert "\n" not in line.text
    assert "\x1b" not in line.text
    assert len(line.text) < 250


@pytest.mark.parametrize(
    ("plugins", "line"),
    [
        ({"core": "1", "graders": "1", "cli": "1"}, None),
        ({"core": "1", "zeta": "2.0", "acme": "1.2"}, "plugins: acme 1.2, zeta 2.0"),
        ({"acme": "1\x1b[2J\n"}, "plugins: acme 1"),
    ],
)
def test_third_party_plugins_stand_in_the_header(plugins: dict[str, str], line: str | None) -> None:
    assert plugins_line(plugins) == line
