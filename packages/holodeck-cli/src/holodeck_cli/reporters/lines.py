"""What the terminal shows of a run, as lines. Pure; every line is safe to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from holodeck_core.explain import explain_case, explain_turn
from holodeck_core.models.test_result import (
    RepeatSummary,
    ReportSummary,
    TestResult,
    ToolInvocation,
    TurnResult,
)
from holodeck_core.plugins.names import FIRST_PARTY_IDS
from holodeck_core.text import one_line, show_value

_NAME_WIDTH = 200
_TEXT_WIDTH = 300

_WORDS: Final = {"passed": "PASS", "failed": "FAIL", "error": "ERROR", "skipped": "SKIP"}
STYLES: Final = {"passed": "green", "failed": "red", "error": "yellow", "skipped": "dim"}


class Line(NamedTuple):
    """One line, and how it looks where colours are shown."""

    text: str
    style: str = ""


def case_line(name: str, status: str, turns: int, duration_ms: float | None, *, checked: bool) -> Line:
    """``PASS name (3 turns, 12 ms)``; nothing is said of a duration that is None."""
    facts = [f"{turns} turn{'' if turns == 1 else 's'}"]
    if duration_ms is not None:
        facts.append(duration(duration_ms))
    if not checked:
        facts.append("nothing checked")
    return Line(f"{_WORDS[status]} {one_line(name, _NAME_WIDTH)} ({', '.join(facts)})", STYLES[status])


def plugins_line(plugins: Mapping[str, str]) -> str | None:
    """``plugins: acme 1.2, other 2.0``: the third-party ones that the run uses; None where it uses none."""
    used = [f"{name} {version}" for name, version in sorted(plugins.items()) if name not in FIRST_PARTY_IDS]
    return one_line(f"plugins: {', '.join(used)}", _TEXT_WIDTH) if used else None


def rate_line(summary: RepeatSummary) -> Line:
    """``3/5 passed (60 %, 95 % interval 23–88 %), needs 80 %``, and how many were run if that is not all."""
    interval = summary.interval
    between = f"{100 * interval.low:.0f}–{100 * interval.high:.0f} %"
    text = (
        f"  {summary.passed}/{summary.run} passed ({_percent(summary.pass_rate)}, "
        f"{_percent(interval.confidence)} interval {between}), needs {_percent(summary.min_pass_rate)}"
    )
    if summary.stopped_early:
        text += f"; {summary.run} of {summary.planned} were run, the others could change nothing"
    return Line(text)


def _percent(share: float) -> str:
    return f"{round(100 * share, 2):g} %"


def case_details(result: TestResult, *, every_turn: bool, timed: bool = True) -> Iterator[Line]:
    """The turns of a case that did not pass, each with its reasons; all turns where ``every_turn`` is set. Of a
    repeated case, those of each repeat. Durations are shown where they are ``timed``."""
    if result.repeats is None:
        yield from _conversation(result, every_turn, timed)
        return
    for number, repeat in enumerate(result.repeats):
        if every_turn or not repeat.passed:
            took = _in_brackets(repeat.execution_time_ms, timed)
            yield Line(f"  repeats[{number}] {repeat.status}{took}", STYLES[repeat.status])
            indent = "" if repeat.turns is None else "  "
            for line in _conversation(repeat, every_turn, timed):
                yield line._replace(text=indent + line.text)


def _in_brackets(duration_ms: float, timed: bool) -> str:
    return f" ({duration(duration_ms)})" if timed else ""


def _conversation(result: TestResult, every_turn: bool, timed: bool) -> Iterator[Line]:
    if result.turns is None:
        if every_turn or not result.passed:
            yield from _exchange(
                result.test_input, result.agent_response, result.tool_invocations, every_turn
            )
    else:
        for turn in result.turns:
            if every_turn or not turn.passed:
                took = _in_brackets(turn.execution_time_ms, timed)
                yield Line(f"  turns[{turn.turn_index}] {turn.status}{took}")
                yield from _turn_details(turn, every_turn)
    for reason in explain_case(result):
        yield Line(f"    - {reason}", STYLES[result.status])


def _turn_details(turn: TurnResult, every_turn: bool) -> Iterator[Line]:
    yield from _exchange(turn.input, turn.response, turn.tool_invocations, every_turn)
    for reason in explain_turn(turn):
        yield Line(f"    - {reason}", STYLES[turn.status])


def _exchange(
    message: str, reply: str | None, calls: list[ToolInvocation], with_calls: bool
) -> Iterator[Line]:
    yield Line(f"    input: {one_line(message, _TEXT_WIDTH)}", "dim")
    if with_calls:
        for call in calls:
            yield Line(f"    call: {_call(call)}", "dim")
    if reply is not None:
        yield Line(f"    reply: {one_line(reply, _TEXT_WIDTH)}", "dim")


def _call(call: ToolInvocation) -> str:
    args = show_value(call.args if call.raw_args is None else call.raw_args, _TEXT_WIDTH)
    outcome = (
        f"error: {one_line(call.error, _TEXT_WIDTH)}" if call.error else show_value(call.result, _TEXT_WIDTH)
    )
    return f"{one_line(call.name, _NAME_WIDTH)} {args} -> {outcome}"


def summary_line(summary: ReportSummary, duration_ms: float | None, *, complete: bool, total: int) -> Line:
    """``12 passed, 1 failed, 1 errored, 2 unchecked in 1.2 s``; here errored cases do not count as failed."""
    failed = summary.failed - summary.errored
    counts = [f"{summary.passed} passed", f"{failed} failed"]
    counts += [f"{summary.errored} errored"] if summary.errored else []
    counts += [f"{summary.unchecked} unchecked"] if summary.unchecked else []
    text = ", ".join(counts) + ("" if duration_ms is None else f" in {duration(duration_ms)}")
    if not complete:
        return Line(f"incomplete, {summary.total_tests} of {total} cases finished: {text}", STYLES["error"])
    return Line(text, STYLES["failed" if failed else "error" if summary.errored else "passed"])


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
