"""Tool calls against what a turn asserts about them."""

from __future__ import annotations

import time
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import Expectation, LiteralMatcher, Matcher, PluginHost, ToolCall, ToolChecks, ToolName
from holodeck_core.engine.assignment import assign, assign_in_order, assign_runs
from holodeck_core.engine.tools import check_tools


def expect(
    name: str, args: dict[str, Any] | None = None, match: Any = "contains", **keys: Any
) -> Expectation:
    matchers = tuple((key, LiteralMatcher(value)) for key, value in (args or {}).items())
    if "result" in keys:
        keys["result"] = LiteralMatcher(keys["result"])
    pattern = PluginHost().matcher("regex").object(name, LiteralMatcher) if match == "regex" else None
    return Expectation(tool=ToolName(name, match, pattern), args=matchers, args_asserted=args or {}, **keys)


def call(name: str, error: str | None = None, result: Any = None, **args: Any) -> ToolCall:
    return ToolCall(name, args, result, error)


ROME_2, ROME_1 = call("search", city="Rome", rooms=2), call("search", city="Rome", rooms=1)
LOOSE, STRICT = expect("search", {"city": "Rome"}), expect("search", {"city": "Rome", "rooms": 2})

# (what it shows, expectations or None, keys of the checks, calls, matched, the reasons that must be given)
RULES: list[tuple[str, list[Expectation] | None, dict[str, Any], list[ToolCall], bool, list[str]]] = [
    ("an expected call", [expect("f")], {}, [call("f")], True, []),
    ("extra calls are allowed", [expect("f")], {}, [call("g"), call("f")], True, []),
    ("no call at all", [expect("refund", {"order": "A1"})], {}, [], False,
     ['no call to refund(order="A1"): no tool was called']),
    (
        "another tool only",
        [expect("web_search"), expect("missing_tool")],
        {},
        [call("web_search"), call("tool_query")],
        False,
        ["no call to 'missing_tool'; called: web_search, tool_query"],
    ),
    ("nothing expected and nothing called", [], {}, [], True, []),
    ("nothing expected, something called", [], {}, [call("f", q=1)], False, ["call 1 was not expected: f(q=1)"]),
    ("an argument differs", [expect("f", {"a": 206588})], {}, [call("f", a=180000)], False,
     ["arg 'a': expected 206588, got 180000 (call 1)"]),
    ("expected and got are not swapped", [expect("f", {"x": 0})], {}, [call("f", x=1)], False,
     ["arg 'x': expected 0, got 1 (call 1)"]),
    ("an argument is missing", [expect("f", {"a": 1})], {}, [call("f", b=1)], False, ["arg 'a' is missing (call 1)"]),
    ("null is not a missing argument", [expect("f", {"a": None})], {}, [call("f", a=None)], True, []),
    ("a missing argument is not null", [expect("f", {"a": None})], {}, [call("f")], False, ["arg 'a' is missing"]),
    ("other arguments are ignored", [expect("f", {"a": 1})], {}, [call("f", b=2, a=1)], True, []),
    ("other arguments are forbidden on request", [expect("f", {"a": 1}, forbid_extra_args=True)], {},
     [call("f", a=1, b=2)], False, ["arg 'b' was not expected, got 2 (call 1)"]),
    ("an int equals the float of its value", [expect("f", {"a": 1})], {}, [call("f", a=1.0)], True, []),
    ("a text is no number", [expect("f", {"a": 1})], {}, [call("f", a="1")], False, ['expected 1, got "1"']),
    ("true is not 1", [expect("f", {"a": True})], {}, [call("f", a=1)], False, ["expected true, got 1"]),
    ("true is not 1 in a list", [expect("f", {"a": [1]})], {}, [call("f", a=[True])], False, ["at [0]: expected 1"]),
    ("false is not 0 in a mapping", [expect("f", {"a": {"x": False}})], {}, [call("f", a={"x": 0})], False,
     ["at x: expected false, got 0"]),
    ("integers beyond doubles", [expect("f", {"a": 2**53})], {}, [call("f", a=2**53 + 1)], False, ["9007199254740993"]),
    ("a nested mapping needs the same keys", [expect("pay", {"to": {"name": "bob"}})], {},
     [call("pay", to={"name": "bob", "id": 7})], False, ['key "id" was not expected']),
    ("the nearest call is named", [expect("f", {"a": 1, "b": 2})], {},
     [call("f", a=9, b=9), call("f", a=1, b=9)], False, ["arg 'b': expected 2, got 9 (call 2)"]),
    ("names compare by containment", [expect("subtract")], {}, [call("math-subtract")], True, []),
    ("names compare exactly on request", [expect("add", match="exact")], {}, [call("address_lookup")], False,
     ["no call to 'add'; called: address_lookup"]),
    ("a glob covers the whole name", [expect("db_*", match="glob")], {}, [call("my_db_read")], False, ["no call"]),
    ("a glob matches", [expect("db_*", match="glob")], {}, [call("db_read")], True, []),
    ("a regex covers the whole name", [expect("db_\\w", match="regex")], {}, [call("db_read")], False, ["no call"]),
    ("names are case-sensitive", [expect("F")], {}, [call("f")], False, ["no call to 'F'"]),
    ("names that look alike are told apart", [expect("cafe\u0301")], {}, [call("caf\u00e9")], False,
     ["no call to 'cafe\\u0301'; called: caf\u00e9"]),
    ("a call serves one expectation", [expect("f"), expect("f")], {}, [call("f")], False,
     ["expected a matching call of its own, but other expectations need call 1"]),
    ("two identical names, two calls", [expect("f"), expect("f")], {}, [call("f"), call("f")], True, []),
    ("a loose expectation does not take the call of a strict one", [LOOSE, STRICT], {}, [ROME_2, ROME_1], True, []),
    ("count is a minimum", [expect("f", count=2)], {}, [call("f")] * 3, True, []),
    ("count is not reached", [expect("f", count=2)], {}, [call("f")], False, ["expected 2 matching calls, got 1"]),
    ("count names the nearest other call", [expect("f", {"a": 1}, count=2)], {},
     [call("f", a=1), call("f", a=2)], False,
     ["expected 2 matching calls, got 1; the nearest other call: arg 'a': expected 1, got 2 (call 2)"]),
    ("max_count bounds all calls", [expect("f", max_count=1)], {}, [call("f")] * 2, False,
     ["expected at most 1 matching calls, got 2"]),
    ("status success", [expect("f", status="success")], {}, [call("f", error="boom")], False,
     ["status: expected success, got failed: boom (call 1)"]),
    ("status failed", [expect("f", status="failed")], {}, [call("f", error="boom")], True, []),
    ("result", [expect("f", result={"ok": True})], {}, [call("f", result={"ok": False})], False,
     ["result: at ok: expected true, got false (call 1)"]),
    ("in order", [expect("a"), expect("b")], {"order": "in_order"}, [call("a"), call("x"), call("b")], True, []),
    ("out of order", [expect("a"), expect("b")], {"order": "in_order"}, [call("b"), call("a")], False,
     ["no matching call comes after those of the expectations before it"]),
    ("exact", [expect("a", count=2), expect("b")], {"order": "exact"}, [call("a"), call("a"), call("b")], True, []),
    ("exact with another between", [expect("a"), expect("b")], {"order": "exact"},
     [call("a"), call("x", n=1), call("b")], False,
     ["expected as call 2: got x(n=1)", "call 2 was not expected", "call 3 was not expected"]),
    ("exact with too few", [expect("a"), expect("a")], {"order": "exact"}, [call("a")], False,
     ["expected as call 2, got 1 call in all"]),
    ("extra calls forbidden", [expect("a")], {"forbid_extra_calls": True}, [call("a"), call("b")], False,
     ["call 2 was not expected: b()"]),
    ("extra calls forbidden, count used up", [expect("a")], {"forbid_extra_calls": True}, [call("a"), call("a")], False,
     ["call 2 was not expected"]),
    ("extra calls up to max_count", [expect("a", max_count=2)], {"forbid_extra_calls": True}, [call("a"), call("a")],
     True, []),
    ("extra calls up to max_count, in order", [expect("a", max_count=2), expect("b")],
     {"forbid_extra_calls": True, "order": "in_order"}, [call("a"), call("a"), call("b")], True, []),
    ("extra calls beyond max_count, in order", [expect("a", max_count=2), expect("b")],
     {"forbid_extra_calls": True, "order": "in_order"}, [call("a")] * 3 + [call("b")], False,
     ["expected at most 2 matching calls, got 3", "call 2 was not expected", "call 3 was not expected"]),
    ("the call that went wrong is named, not one that serves another", [expect("f", {"a": 1}), expect("f", {"a": 2})],
     {}, [call("f", a=1), call("f", a=9)], False, ["arg 'a': expected 2, got 9 (call 2)"]),
    ("extra calls forbidden without expectations", None, {"forbid_extra_calls": True}, [call("a")], False,
     ["call 1 was not expected"]),
    ("a forbidden tool", None, {"forbidden": (ToolName("drop", "exact"),)}, [call("a"), call("drop")], False,
     ["the forbidden tool 'drop' was called (call 2)"]),
    ("a forbidden tool that was not called", None, {"forbidden": (ToolName("drop", "exact"),)},
     [call("drop_in")], True, []),
]  # fmt: skip


@pytest.mark.parametrize(("expectations", "keys", "calls", "matched", "reasons"), [row[1:] for row in RULES],
                         ids=[row[0] for row in RULES])  # fmt: skip
def test_tool_rules(
    expectations: list[Expectation] | None,
    keys: dict[str, Any],
    calls: list[ToolCall],
    matched: bool,
    reasons: list[str],
) -> None:
    checks = ToolChecks(expectations=None if expectations is None else tuple(expectations), **keys)
    verdict = check_tools(checks, calls)
    given = [record["unmatched_reason"] for record in verdict.details if record["unmatched_reason"]]
    assert verdict.matched is matched
    assert len(given) == len(reasons)
    for reason, expected in zip(given, reasons, strict=True):
        assert expected in reason
    for record in verdict.details:
        assert list(record) == ["tool", "args_asserted", "matched_call_index", "unmatched_reason"]


def test_contains_also_sees_the_name_that_the_runtime_uses() -> None:
    checks = ToolChecks(expectations=(expect("db-run"), expect("run_sql")))
    assert check_tools(checks, [ToolCall("run_sql", runtime_name="db-run_sql"), ToolCall("run_sql")]).matched


def test_arguments_that_could_not_be_parsed_match_no_assertion_about_them() -> None:
    broken = ToolCall("delete_all", raw_args='{"dry_run": true')
    assert check_tools(ToolChecks(expectations=(expect("delete_all"),)), [broken]).matched
    verdict = check_tools(ToolChecks(expectations=(expect("delete_all", {"dry_run": True}),)), [broken])
    assert "could not be parsed" in verdict.details[0]["unmatched_reason"]


def test_a_matcher_that_raises_costs_its_assertion() -> None:
    class Broken(Matcher):
        def __init__(self) -> None: ...

        def mismatch(self, actual: Any) -> str | None:
            raise SystemExit(1)

    checks = ToolChecks(expectations=(Expectation(tool=ToolName("f"), args=(("a", Broken()),)),))
    reason = check_tools(checks, [call("f", a=1)]).details[0]["unmatched_reason"]
    assert reason == "arg 'a': the matcher failed: SystemExit: 1 (call 1)"


def _brute_force(compatible: list[list[int]], counts: list[int], calls: int) -> bool:
    slots = [expectation for expectation, count in enumerate(counts) for _ in range(count)]
    if len(slots) > calls:
        return False
    return any(
        all(chosen in compatible[expectation] for expectation, chosen in zip(slots, order, strict=True))
        for order in permutations(range(calls), len(slots))
    )


@st.composite
def _tables(draw: st.DrawFn) -> tuple[list[list[int]], list[int], int]:
    calls = draw(st.integers(0, 5))
    rows = draw(st.lists(st.sets(st.integers(0, max(calls - 1, 0)), max_size=calls), max_size=4))
    counts = draw(st.lists(st.integers(1, 2), min_size=len(rows), max_size=len(rows)))
    return [sorted(row) if calls else [] for row in rows], counts, calls


@given(_tables())
def test_all_are_served_whenever_some_assignment_serves_all(
    table: tuple[list[list[int]], list[int], int],
) -> None:
    compatible, counts, calls = table
    found = assign(compatible, counts, counts, calls)
    assert (len(found.served) == len(counts)) == _brute_force(compatible, counts, calls)
    for expectation in range(len(counts)):
        served = found.calls_of(expectation)
        assert set(served) <= set(compatible[expectation])
        assert len(served) == (counts[expectation] if expectation in found.served else 0)


@given(_tables())
def test_in_order_serves_all_whenever_an_ordered_assignment_exists(
    table: tuple[list[list[int]], list[int], int],
) -> None:
    compatible, counts, calls = table
    slots = [expectation for expectation, count in enumerate(counts) for _ in range(count)]

    def possible(slot: int, start: int) -> bool:
        return slot == len(slots) or any(
            chosen in compatible[slots[slot]] and possible(slot + 1, chosen + 1)
            for chosen in range(start, calls)
        )

    found = assign_in_order(compatible, counts, calls)
    assert (len(found.served) == len(counts)) == possible(0, 0)


@given(_tables(), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_runs_serve_all_and_leave_no_call_whenever_that_is_possible(
    table: tuple[list[list[int]], list[int], int], spare: list[int]
) -> None:
    compatible, counts, calls = table
    limits = [count + more for count, more in zip(counts, spare, strict=False)]

    def possible(expectation: int, start: int) -> bool:
        if expectation == len(counts):
            return start == calls
        return any(
            set(range(start, start + length)) <= set(compatible[expectation])
            and possible(expectation + 1, start + length)
            for length in range(counts[expectation], limits[expectation] + 1)
            if start + length <= calls
        )

    found = assign_runs(compatible, counts, limits, calls)
    assert (found is not None) == possible(0, 0)
    if found is not None:
        assert found.served == set(range(len(counts)))
        assert None not in found.owner
        for expectation, row in enumerate(compatible):
            assert set(found.calls_of(expectation)) <= set(row)


def test_a_pattern_for_a_tool_name_cannot_hold_up_the_run() -> None:
    started = time.perf_counter()
    verdict = check_tools(ToolChecks(expectations=(expect("(a+)+", match="regex"),)), [call("a" * 40 + "b")])
    assert time.perf_counter() - started < 10
    assert verdict.matched is False
    assert ToolChecks(expectations=(expect("(a+)+", match="regex"),)).blocking
    assert "took longer than 1 second" in verdict.details[0]["unmatched_reason"]


def test_a_forbidden_name_that_cannot_be_judged_counts_as_called() -> None:
    forbidden = expect("(a+)+", match="regex").tool
    verdict = check_tools(ToolChecks(forbidden=(forbidden,)), [call("a" * 40 + "b")])
    assert verdict.matched is False
    assert "whether this is a forbidden tool cannot be told" in verdict.details[0]["unmatched_reason"]


def test_two_hundred_calls_and_fifty_expectations_take_under_a_tenth_of_a_second() -> None:
    calls = [call("f", a=index % 7, b=index) for index in range(200)]
    checks = ToolChecks(expectations=tuple(expect("f", {"a": index % 7}, count=4) for index in range(50)))
    times = []
    for _ in range(3):
        started = time.process_time()
        verdict = check_tools(checks, calls)
        times.append(time.process_time() - started)
        assert verdict.matched is False
    assert min(times) < 0.1
