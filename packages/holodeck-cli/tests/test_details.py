"""What the terminal tells of a case: calls beside what was expected, in any width, whatever was said."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wcwidth import iter_graphemes
from wcwidth import width as cells

from holodeck_cli.reporters.running import running_text
from holodeck_cli.reporters.wrapping import wrap
from holodeck_core import (
    Expectation,
    LiteralMatcher,
    ReportSummary,
    TestResult,
    TokenUsage,
    ToolCall,
    ToolChecks,
    ToolName,
)
from holodeck_core.case_lines import Detail, case_details, usage_texts
from holodeck_core.case_lines.calls import Told, call_lines
from holodeck_core.case_lines.usage import dollars
from holodeck_core.cells import pad, width_of
from holodeck_core.engine.tools import check_tools
from holodeck_core.models.cost import Cost

WIDTH = 80


def turn(expected: list[tuple[str, dict[str, Any]]], calls: list[ToolCall], **checks: Any) -> TestResult:
    """What the engine says of a turn with these expectations and calls."""
    expectations = tuple(
        Expectation(
            tool=ToolName(name),
            args=tuple((key, LiteralMatcher(value)) for key, value in args.items()),
            args_asserted=args,
        )
        for name, args in expected
    )
    verdict = check_tools(ToolChecks(expectations=expectations, **checks), calls)
    return TestResult.model_validate(
        {
            "test_input": "q",
            "agent_response": "a",
            "passed": verdict.matched,
            "execution_time_ms": 1,
            "timestamp": datetime.now(UTC),
            "tools_matched": verdict.matched,
            "expected_tools": [{"name": name, "args": args} for name, args in expected],
            "arg_match_details": verdict.details,
            "nearest_calls": verdict.nearest,
            "tool_invocations": [
                {
                    "name": call.name,
                    "args": call.args,
                    "result": call.result,
                    "error": call.error,
                    "raw_args": call.raw_args,
                }
                for call in calls
            ],
        }
    )


def told(result: TestResult, width: int = WIDTH, *, whole: bool = False) -> str:
    return "\n".join(line.text for line in call_lines(result, Told(width, whole))) + "\n"


F = "f"
LONG = "x" * 200
CALLS: list[tuple[str, list[tuple[str, dict[str, Any]]], list[ToolCall], str]] = [
    ("all as expected", [(F, {"a": 1})], [ToolCall("f", {"a": 1})], """\
    call 1    f(a=1)
"""),
    ("an argument that differs", [(F, {"a": 206588, "b": 1})], [ToolCall("f", {"a": 18, "b": 1})], """\
    expected  f(a=206588, b=1)
    call 1    f(a=18,     b=1)
                ^^^^
"""),
    ("two that differ, and one that nobody asked for", [(F, {"a": 1, "b": 2})],
     [ToolCall("f", {"a": 10, "b": 20, "c": 3})], """\
    expected  f(a=1,  b=2)
    call 1    f(a=10, b=20, c=3)
                ^^^^  ^^^^
"""),
    ("an argument that is missing", [(F, {"a": 1, "b": 2})], [ToolCall("f", {"b": 2})], """\
    expected  f(a=1,  b=2)
    call 1    f(no a, b=2)
                ^^^^
"""),
    ("a name that holds the expected one", [(F, {"a": 1})], [ToolCall("my-f", {"a": 2})], """\
    expected  f   (a=1)
    call 1    my-f(a=2)
                   ^^^
"""),
    ("wide and combining characters", [(F, {"a": "汇率表", "b": 1})], [ToolCall("f", {"a": "汇e\u0301", "b": 1})], """\
    expected  f(a="汇率表",    b=1)
    call 1    f(a="汇e\\u0301", b=1)
                ^^^^^^^^^^^^^
"""),
    ("letters of parts", [(F, {"a": "\u1112\u1161\u11ab", "b": 1})], [ToolCall("f", {"a": "x", "b": 1})], """\
    expected  f(a="\u1112\u1161\u11ab", b=1)
    call 1    f(a="x",  b=1)
                ^^^^^
"""),
    ("no call of that name", [("g", {"a": 1}), ("h", {})], [ToolCall("f", {"a": 2})], """\
    call 1    f(a=2)
    missing   g(a=1)
    missing   h
"""),
    ("arguments that could not be parsed", [(F, {"a": 1})], [ToolCall("f", raw_args="{a")], """\
    expected  f(a=1)
    call 1    f "{a"
"""),
    ("too many arguments for a line", [(F, {f"argument_{n}": n for n in range(9)})],
     [ToolCall("f", {f"argument_{n}": n + (n == 4) for n in range(9)})], """\
    expected  f(argument_4=4, ...)
    call 1    f(argument_4=5, ...)
                ^^^^^^^^^^^^
"""),
    ("two long values", [(F, {"a": LONG, "b": LONG})], [ToolCall("f", {"a": "y" + LONG, "b": "z" + LONG})], """\
    expected  f(a="xxxxxxx...xxxx", b="xxxxxxx...xxxx")
    call 1    f(a="yxxxxxx...xxxx", b="zxxxxxx...xxxx")
                ^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^^^^^^
"""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "calls", "text"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS]
)
def test_an_expectation_stands_above_the_nearest_call_and_what_differs_is_marked(
    expected: list[tuple[str, dict[str, Any]]], calls: list[ToolCall], text: str
) -> None:
    assert told(turn(expected, calls)) == text


def test_in_a_narrow_terminal_what_differs_is_told_argument_by_argument() -> None:
    result = turn([(F, {"a_long_name": 206588, "b": 1})], [ToolCall("f", {"b": 2})])
    assert told(result, 32) == (
        "    expected  f\n    call 1    f\n"
        "      a_long_name: wanted 206588\n                   got    nothing\n"
        "      b: wanted 1\n         got    2\n"
    )


def test_of_many_calls_the_first_are_told_and_those_that_count() -> None:
    calls = [ToolCall("other", {"n": n}) for n in range(50)] + [ToolCall("f", {"a": 2})]
    result = turn([(F, {"a": 1})], calls)
    text = told(result)
    assert text.count("other(") == 20
    assert "call 51   f(a=2)" in text
    assert "and 30 more calls" in text
    assert told(result, whole=True).count("other(") == 50


def test_all_that_is_known_of_a_call_has_its_result() -> None:
    calls = [ToolCall("f", {}, {"x": 1}), ToolCall("g", {}, error="no\nway")]
    assert told(turn([(F, {})], calls), whole=True).split("\n")[1::2] == [
        '              -> {"x": 1}',
        "              -> error: no way",
    ]


NAMES = st.text(max_size=12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=40)
    | st.sampled_from(["汇率" * 20, "\x1b[2J", "e\u0301"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
ARGS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(
    expected=st.lists(st.tuples(NAMES, ARGS), max_size=3),
    calls=st.lists(st.builds(ToolCall, NAMES, ARGS), max_size=4),
    width=st.integers(20, 200),
    everything=st.booleans(),
)
def test_whatever_was_called_every_line_is_safe_and_fits_the_terminal(
    expected: list[tuple[str, dict[str, Any]]], calls: list[ToolCall], width: int, everything: bool
) -> None:
    for line in case_details(turn(expected, calls), Detail(width=width, everything=everything)):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", line.text)
        for row in wrap(line.text, width, line.hang):
            assert cells(row) <= width


@given(st.text(st.sampled_from("ab 汇率-e\u0301\u200d👩👧🏽")), st.integers(20, 120), st.integers(0, 30))
@example(
    "aa汇汇\u200d👧🏽🏽aaaaa汇汇汇", 20, 0
)  # a joiner that joins nothing: no terminal has one rule for it
def test_wrapping_loses_nothing_but_spaces_and_never_parts_a_character_from_its_marks(
    text: str, width: int, hang: int
) -> None:
    rows = wrap(text, width, hang)
    assert "".join("".join(rows).split()) == "".join(text.split())
    for row in rows:
        assert sum(map(cells, iter_graphemes(row))) <= width
        assert (
            not row.lstrip(" ").startswith("\u0301")
            or text.lstrip(" ").startswith("\u0301")
            or " \u0301" in text
        )


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (80, ["    reply: one two three four five"]),
        (24, ["    reply: one two three", "        four five"]),
        (20, ["    reply: one two", "      three four", "      five"]),
    ],
)
def test_continued_lines_stand_below_what_they_continue(width: int, rows: list[str]) -> None:
    assert wrap("    reply: one two three four five", width, 11 if width > 20 else 40) == rows


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("汇率", 4), ("cafe\u0301", 4), ("👩", 2), ("ｱ", 1)])
def test_the_width_of_a_text_is_that_of_its_cells(text: str, width: int) -> None:
    assert width_of(text) == width
    assert cells(pad(text, 10)) == 10


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("\u0021", "\u02ff"), ("\u0300", "\u036f"), ("\u0391", "\u052f"), ("\u05d0", "\u05ea"), ("\u0e01", "\u0e3a"),
        ("\u2010", "\u2027"), ("\u2190", "\u21ff"), ("\u2500", "\u257f"), ("\u3041", "\u3096"), ("\u30a1", "\u30fa"),
        ("\u4e00", "\u9fff"), ("\uac00", "\ud7a3"), ("\uff01", "\uff60"), ("\uff61", "\uff9f"),
        ("\U0001f600", "\U0001f64f"),
    ],
    ids=ascii,
)  # fmt: skip
def test_what_aligns_and_what_breaks_lines_agree_on_widths(first: str, last: str) -> None:
    for code in range(ord(first), ord(last) + 1):
        if unicodedata.category(chr(code)) not in ("Cn", "Cc", "Cf"):
            assert width_of("a" + chr(code)) == cells("a" + chr(code)), hex(code)


@pytest.mark.parametrize(
    ("names", "width", "text"),
    [
        ([], 80, ""),
        (["one"], 80, "running: one (3 s)"),
        (["one", "two"], 80, "running: one (3 s), two (2 s)"),
        (["one", "two", "three"], 40, "running: one (3 s), two (2 s) and 1 more"),
        (["one", "two", "three"], 39, "running: one (3 s) and 2 more"),
        (["汇率" * 30], 20, "running: " + "汇率" * 13 + "..." + "汇率" * 5 + " (3 s)"),
        (["\x1b[2Ja\nb"], 80, "running: a b (3 s)"),
    ],
)
def test_what_runs_longest_is_told_first_and_as_many_as_fit(names: list[str], width: int, text: str) -> None:
    running = [(name, 10.0 + number) for number, name in enumerate(names)]
    shown = running_text(running[::-1], 13.4, width)
    assert shown == text or (len(names[0]) > 40 and shown.startswith("running: 汇率"))


USAGE = TokenUsage(prompt_tokens=1_200, completion_tokens=30, total_tokens=1_230)
USAGES: list[tuple[TokenUsage | None, Cost | None, list[str]]] = [
    (None, None, []),
    (None, Cost(usd=1), []),
    (USAGE, None, ["tokens: 1,200 in, 30 out"]),
    (USAGE.model_copy(update={"cache_read_tokens": 800, "cache_creation_tokens": 9}), None,
     ["tokens: 1,200 in (800 read from cache, 9 written to it), 30 out"]),
    (USAGE.model_copy(update={"cache_creation_tokens": 9}), None, ["tokens: 1,200 in (9 written to cache), 30 out"]),
    (USAGE.model_copy(update={"total_tokens": 2_000}), None, ["tokens: 1,200 in, 30 out, 2,000 in all"]),
    (TokenUsage(prompt_tokens=100, completion_tokens=30, total_tokens=930, cache_read_tokens=800), None,
     ["tokens: 900 in (800 read from cache), 30 out"]),
    (TokenUsage(prompt_tokens=100, completion_tokens=30, total_tokens=130, cache_creation_tokens=800), None,
     ["tokens: 900 in (800 written to cache), 30 out"]),
    (USAGE.model_copy(update={"partial": True}), Cost(usd=0.5, partial=True),
     ["tokens: at least 1,200 in, 30 out", "cost: at least $0.5 at list prices"]),
    (USAGE, Cost(unknown="no price\nfor \x1b[2Jx"), ["tokens: 1,200 in, 30 out", "cost: unknown (no price for x)"]),
    (USAGE, Cost(), ["tokens: 1,200 in, 30 out", "cost: unknown"]),
]  # fmt: skip


@pytest.mark.parametrize(("usage", "cost", "texts"), USAGES)
def test_tokens_and_cost_are_told_with_what_is_not_known(
    usage: TokenUsage | None, cost: Cost | None, texts: list[str]
) -> None:
    summary = ReportSummary(
        total_tests=0, passed=0, failed=0, pass_rate=0, total_duration_ms=0, token_usage=usage, cost=cost
    )
    assert list(usage_texts(summary)) == texts


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0, "$0"), (1e-10, "$0.0000000001"), (0.0000012, "$0.0000012"), (0.000138, "$0.000138"),
        (0.01234, "$0.0123"), (1.239, "$1.24"),
        (12.3456, "$12.35"), (1_234_567.8, "$1,234,567.80"),
    ],
)  # fmt: skip
def test_dollars_have_the_figures_that_matter(usd: float, shown: str) -> None:
    assert dollars(usd) == shown
