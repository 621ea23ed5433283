"""Single lines that tell of a case. Pure; every line is safe to show."""

from __future__ import annotations

from typing import Final, NamedTuple

from holodeck_core.models.test_result import RepeatSummary
from holodeck_core.text import one_line, show_value

NAME_WIDTH: Final = 200
PLAIN_WIDTH: Final = 100
"""How many cells a line has that can be read at one glance, where there is no terminal."""

_WORDS: Final = {"passed": "PASS", "failed": "FAIL", "error": "ERROR", "skipped": "SKIP"}
STYLES: Final = {"passed": "green", "failed": "red", "error": "yellow", "skipped": "dim"}


class Line(NamedTuple):
    """One line, how it looks where colours are shown, and by how many cells its continuation is indented where it is
    too long for the terminal; one that is ``whole`` is not parted, so that it can be copied."""

    text: str
    style: str = ""
    hang: int = 0
    whole: bool = False


def case_line(name: str, status: str, turns: int, duration_ms: float | None, *, checked: bool) -> Line:
    """``PASS name (3 turns, 12 ms)``; nothing is said of a duration that is None."""
    facts = [f"{turns} turn{'' if turns == 1 else 's'}"]
    if duration_ms is not None:
        facts.append(duration(duration_ms))
    if not checked:
        facts.append("nothing checked")
    return _of_case(status, f"{_name(name)} ({', '.join(facts)})")


def heading(name: str, status: str, source: str | None) -> Line:
    """``FAIL name (agent.yaml:12)``, above what is told of the case."""
    where = "" if source is None else f" ({one_line(source, NAME_WIDTH)})"
    return _of_case(status, f"{_name(name)}{where}")


def _name(name: str) -> str:
    """The name on one line; what it is made of, where nothing of it can be seen."""
    return one_line(name, NAME_WIDTH) or show_value(name, NAME_WIDTH)[1:-1]


def _of_case(status: str, text: str) -> Line:
    word = _WORDS[status]
    return Line(f"{word} {text}", STYLES[status], len(word) + 1)


def rate_line(summary: RepeatSummary) -> Line:
    """The ``rate_text`` below the line of its case."""
    return Line(f"  {rate_text(summary)}", hang=4)


def rate_text(summary: RepeatSummary) -> str:
    """``3/5 passed, 1 errored (60 %, 95 % interval 23–88 %), needs 80 %``, and how many were run if that is not all."""
    interval = summary.interval
    errored = f", {summary.errored} errored" if summary.errored else ""
    between = f"{100 * interval.low:.0f}–{100 * interval.high:.0f} %"
    text = (
        f"{summary.passed}/{summary.run} passed{errored} ({_percent(summary.pass_rate)}, "
        f"{_percent(interval.confidence)} interval {between}), needs {_percent(summary.min_pass_rate)}"
    )
    if summary.stopped_early:
        text += f"; {summary.run} of {summary.planned} were run, the others could change nothing"
    return text


def _percent(share: float) -> str:
    shown = round(100 * share, 2)
    # What is almost nothing is not shown as nothing, and what is almost all not as all.
    return f"{100 * share:.10g} %" if shown in (0, 100) else f"{shown:g} %"


def duration(milliseconds: float) -> str:
    """``12 ms``, ``1.2 s``, ``2 min 03 s``, ``1 h 02 min``."""
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
