"""What a failed tool assertion says, word by word, and what each record holds."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_core import Expectation, LiteralMatcher, Matcher, ToolCall, ToolChecks, ToolName, Undecided
from holodeck_core.engine.tools import check_tools, undecided


def expect(
    name: str, args: dict[str, Any] | None = None, match: Any = "contains", **keys: Any
) -> Expectation:
    matchers = tuple((key, LiteralMatcher(value)) for key, value in (args or {}).items())
    if "result" in keys:
        keys["result"] = LiteralMatcher(keys["result"])
    return Expectation(tool=ToolName(name, match), args=matchers, args_asserted=args or {}, **keys)


def call(name: str, error: str | None = None, result: Any = None, **args: Any) -> ToolCall:
    return ToolCall(name, args, result, error)


def reasons(expectations: list[Expectation], calls: list[ToolCall], **keys: Any) -> list[str]:
    verdict = check_tools(ToolChecks(expectations=tuple(expectations), **keys), calls)
    return [
        record["unmatched_reason"] for record in verdict.details if record["unmatched_reason"] is not None
    ]


A, B = expect("a"), expect("b")
IN_ORDER, EXACT, NO_EXTRA = {"order": "in_order"}, {"order": "exact"}, {"forbid_extra_calls": True}
LONG = "x" * 300
MANY = ", ".join(f"k{number}={number}" for number in range(50))

REASONS: list[tuple[str, list[Expectation], dict[str, Any], list[ToolCall], list[str]]] = [
    ("a status that differs, with the error", [expect("f", status="success")], {}, [call("f", error=" no\n way ")],
     ["status: expected success, got failed: no way (call 1)"]),
    ("a status that differs, without an error text", [expect("f", status="success")], {}, [call("f", error="")],
     ["status: expected success, got failed (call 1)"]),
    ("a success where a failure was expected", [expect("f", status="failed")], {}, [call("f")],
     ["status: expected failed, got success (call 1)"]),
    ("a success that was expected", [expect("f", status="success")], {}, [call("f")], []),
    ("an error is shortened", [expect("f", status="success")], {}, [call("f", error=LONG)],
     [f"status: expected success, got failed: {'x' * 64}...{'x' * 33} (call 1)"]),
    ("unreadable arguments are shortened", [expect("f", {"a": 1})], {}, [ToolCall("f", raw_args=LONG)],
     [f"the arguments could not be parsed: '{'x' * 64}...{'x' * 33}' (call 1)"]),
    ("unreadable arguments where none are allowed", [expect("f", forbid_extra_args=True)], {},
     [ToolCall("f", raw_args="{")], ["the arguments could not be parsed: '{' (call 1)"]),
    ("a value is shortened", [expect("f", {"a": LONG, "b": 1})], {}, [],
     [f"""no call to f(a="{'x' * 37}...{'x' * 18}", b=1): no tool was called"""]),
    ("arguments are shortened together", [], {}, [call("f", **{f"k{number}": number for number in range(50)})],
     [f"call 1 was not expected: f({MANY[:131]}...{MANY[-66:]})"]),
    ("ten names of other tools", [A], {}, [call(f"t{number}") for number in range(10)],
     ["no call to 'a'; called: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9"]),
    ("more than ten names, each once", [A], {}, [call(f"t{number % 12}") for number in range(24)],
     ["no call to 'a'; called: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more"]),
    ("a long name is shortened", [A], {}, [call("x" * 70)], [f"no call to 'a'; called: {'x' * 38}...{'x' * 19}"]),
    ("the long name of a forbidden tool is shortened", [A], {"forbidden": (ToolName("x"),)},
     [call("a"), call("x" * 150)], [f"the forbidden tool '{'x' * 65}...{'x' * 32}' was called (call 2)"]),
    ("a pattern that is compared as it is", [expect("conv*")], {}, [call("convert")],
     ["no call to 'conv*'; called: convert; with `match: glob`, * stands for any text"]),
    ("a pattern that matches nothing", [expect("x*", match="glob")], {}, [call("convert")],
     ["no call to 'x*'; called: convert"]),
    ("extra calls are told beside what is missing", [A], NO_EXTRA, [call("b")],
     ["no call to 'a'; called: b", "call 1 was not expected: b()"]),
    ("extra calls up to max_count", [expect("a", max_count=3)], NO_EXTRA, [call("a")] * 3, []),
    ("fewer extra calls than max_count", [expect("a", max_count=4), B], NO_EXTRA,
     [call("a"), call("b"), call("a")], []),
    ("not as often, and other tools besides", [expect("a", count=2)], {}, [call("a"), call("b")],
     ["expected 2 matching calls, got 1"]),
    ("not in order", [A, B], IN_ORDER, [call("b"), call("b"), call("a")],
     ["no matching call comes after those of the expectations before it (matching: call 1, 2)"]),
    ("not in order, many", [A, B], IN_ORDER, [call("b")] * 11 + [call("a")],
     [("no matching call comes after those of the expectations before it "
      "(matching: call 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)")]),
    ("needed by others, several", [A, A, expect("a", count=2)], {}, [call("a")] * 3,
     ["expected 2 matching calls of its own, but other expectations need call 1, 2"]),
    ("exact, another value", [expect("a", {"x": 1})], EXACT, [call("a", x=2)],
     ["expected as call 1: arg 'x': expected 1, got 2", "call 1 was not expected: a(x=2)"]),
    ("exact, another tool", [A], EXACT, [call("x")], ["expected as call 1: got x()", "call 1 was not expected: x()"]),
    ("exact, no calls", [A], EXACT, [], ["expected as call 1, got 0 calls in all"]),
    ("exact, one call", [A, A], EXACT, [call("a")], ["expected as call 2, got 1 call in all"]),
    ("exact, the last of a count", [expect("a", count=2), B], EXACT, [call("a"), call("b"), call("b")],
     ["expected as call 2: got b()", "call 1 was not expected: a()", "call 2 was not expected: b()"]),
    ("exact, counts add up", [A, expect("a", count=2), B], EXACT, [call("a")] * 3 + [call("b")], []),
    ("exact, after a count", [A, expect("a", count=2), B], EXACT, [call("a")] * 4,
     ["expected as call 4: got a()", "call 4 was not expected: a()"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expectations", "keys", "calls", "expected"), [row[1:] for row in REASONS], ids=[row[0] for row in REASONS]
)  # fmt: skip
def test_the_reasons_word_by_word(
    expectations: list[Expectation], keys: dict[str, Any], calls: list[ToolCall], expected: list[str]
) -> None:
    assert reasons(expectations, calls, **keys) == expected


FULL = expect("f", {"a": 1, "b": 2}, forbid_extra_args=True, status="success", result=5)


@pytest.mark.parametrize(
    ("calls", "nearest"),
    [
        ([call("f", a=1, b=9, result=9), call("f", a=1, b=9, result=5)], 2),
        ([call("f", a=1, b=9, error="e", result=5), call("f", a=1, b=9, result=5)], 2),
        ([call("f", a=1, b=9, x=0, result=5), call("f", a=1, b=9, result=5)], 2),
        ([call("f", a=1, b=2, x=0, y=0, result=5), call("f", a=1, b=9, result=5)], 2),
        ([call("f", a=9, b=9, result=5), call("f", a=9, b=2, error="e", result=5)], 1),
        ([call("f", a=9, b=2, error="e", result=5), call("f", a=9, b=9, result=5)], 1),
        ([call("f", a=9, b=2, result=9), call("f", a=9, b=9, result=5)], 1),
        ([ToolCall("f", raw_args="{", result=5), call("f", a=9, b=9, result=5)], 2),
        ([ToolCall("f", raw_args="{", result=5), call("f", a=9, b=9, result=9)], 1),
        ([call("f", a=9, b=9, result=9), ToolCall("f", raw_args="{", result=5)], 1),
        ([call("g", a=1, b=2, result=5), call("f", error="e", x=0, y=0)], 2),
    ],
    ids=[
        "result",
        "status",
        "extra argument",
        "two extra arguments",
        "arguments weigh as much as the status",
        "the status weighs as much as an argument",
        "the result weighs as much as an argument",
        "unreadable arguments are further than all that differ",
        "by one",
        "by no more",
        "another tool is furthest",
    ],
)
def test_the_nearest_call_is_the_one_that_differs_in_least_and_the_first_of_those(
    calls: list[ToolCall], nearest: int
) -> None:
    [reason] = reasons([FULL], calls)
    assert reason.endswith(f"(call {nearest})")


def _record(tool: str, args: dict[str, Any], index: int | None, reason: str | None) -> dict[str, Any]:
    return {"tool": tool, "args_asserted": args, "matched_call_index": index, "unmatched_reason": reason}


@pytest.mark.parametrize(
    ("expectations", "keys", "calls", "records"),
    [
        ([expect("f", {"a": 1})], {}, [call("f", a=1)], [_record("f", {"a": 1}, 0, None)]),
        (
            [expect("f", {"a": 1})],
            {},
            [call("f", a=2)],
            [_record("f", {"a": 1}, None, "arg 'a': expected 1, got 2 (call 1)")],
        ),
        (
            [expect("f", {"a": 1}, count=2), A],
            {},
            [call("x"), call("f", a=1), call("a"), call("f", a=1)],
            [_record("f", {"a": 1}, 1, None), _record("a", {}, 2, None)],
        ),
        (
            [expect("f", {"a": 1}, count=2)],
            {},
            [call("f", a=1), call("x")],
            [_record("f", {"a": 1}, None, "expected 2 matching calls, got 1")],
        ),
        (
            [A],
            NO_EXTRA,
            [call("a"), call("x", n=1)],
            [_record("a", {}, 0, None), _record("x", {}, None, "call 2 was not expected: x(n=1)")],
        ),
        (
            [A],
            {"forbidden": (ToolName("dr"),)},
            [call("a"), call("drop")],
            [
                _record("a", {}, 0, None),
                _record("dr", {}, 1, "the forbidden tool 'drop' was called (call 2)"),
            ],
        ),
        (
            [A, B],
            IN_ORDER,
            [call("b"), call("a"), call("b")],
            [_record("a", {}, 1, None), _record("b", {}, 2, None)],
        ),
        (
            [expect("a", {"n": 1}, max_count=2), A],
            IN_ORDER,
            [call("a", n=1), call("a", n=1), call("a", n=2)],
            [_record("a", {"n": 1}, 0, None), _record("a", {}, 1, None)],
        ),
    ],
    ids=[
        "one",
        "one that differs",
        "several",
        "too few",
        "extra",
        "forbidden",
        "in order",
        "in order, each as early as can be",
    ],
)
def test_a_record_holds_the_tool_what_is_asserted_and_the_first_call_that_serves(
    expectations: list[Expectation],
    keys: dict[str, Any],
    calls: list[ToolCall],
    records: list[dict[str, Any]],
) -> None:
    assert check_tools(ToolChecks(expectations=tuple(expectations), **keys), calls).details == records


def test_a_missing_argument_is_shown_to_a_matcher_that_accepts_it() -> None:
    class Echo(Matcher):
        accepts_absent = True

        def __init__(self) -> None: ...

        def mismatch(self, actual: Any) -> str | None:
            return f"got {actual!r}"

    wants = Expectation(tool=ToolName("f"), args=(("a", Echo()),))
    assert reasons([wants], [call("f")]) == ["arg 'a': got ABSENT (call 1)"]


class Named(Matcher):
    """A pattern for names that knows ``f``, cannot tell of ``?``, and fails on ``!``."""

    def __init__(self, fault: BaseException | None = None) -> None:
        self.fault = fault or RuntimeError("no")

    def mismatch(self, actual: Any) -> str | None:
        if actual == "!":
            raise self.fault
        return Undecided("cannot tell") if actual == "?" else None if actual == "f" else "another"


F = ToolName("f", "regex", Named())
WANTED = Expectation(
    tool=F, args=(("a", LiteralMatcher(1)), ("b", LiteralMatcher(2))), args_asserted={"a": 1, "b": 2}
)


@pytest.mark.parametrize(
    ("name", "expected", "forbidden"),
    [
        ("f", [], ["the forbidden tool 'f' was called (call 1)"]),
        ("g", ["no call to f(a=1, b=2); called: g"], []),
        (
            "?",
            ["name: cannot tell (call 1)"],
            ["whether this is a forbidden tool cannot be told: cannot tell (call 1)"],
        ),
        (
            "!",
            ["name: the matcher failed: RuntimeError: no (call 1)"],
            [
                "whether this is a forbidden tool cannot be told: the matcher failed: RuntimeError: no (call 1)"
            ],
        ),
    ],
)
def test_a_name_that_cannot_be_judged_is_neither_the_expected_nor_surely_another(
    name: str, expected: list[str], forbidden: list[str]
) -> None:
    assert reasons([WANTED], [call(name, a=1, b=2)]) == expected
    verdict = check_tools(ToolChecks(forbidden=(F,)), [call(name)])
    assert [record["unmatched_reason"] for record in verdict.details] == forbidden
    assert verdict.matched is (forbidden == [])


@pytest.mark.parametrize(
    ("calls", "nearest"),
    [
        ([call("?", a=1, b=2), call("f", a=9, b=9)], 2),
        ([call("?", a=1, b=2), call("f", a=9, b=9, error="e")], 1),
        ([call("f", a=9, b=9, error="e"), call("?", a=1, b=2)], 1),
        ([call("g"), call("?")], 2),
    ],
)
def test_a_call_whose_name_cannot_be_judged_is_further_than_one_whose_arguments_all_differ(
    calls: list[ToolCall], nearest: int
) -> None:
    wanted = Expectation(tool=F, args=WANTED.args, status="success")
    [reason] = reasons([wanted], calls)
    assert reason.endswith(f"(call {nearest})")


@pytest.mark.parametrize(
    "wanted",
    [
        Expectation(tool=ToolName("f", "regex", Named(KeyboardInterrupt()))),
        Expectation(tool=ToolName("!"), args=(("a", Named(KeyboardInterrupt())),)),
    ],
    ids=["name", "argument"],
)
def test_an_interrupt_in_a_matcher_is_the_users(wanted: Expectation) -> None:
    with pytest.raises(KeyboardInterrupt):
        reasons([wanted], [call("!", a="!")])


def test_a_matcher_that_answers_neither_none_nor_why_not_costs_its_assertion() -> None:
    class Talks(Matcher):
        def __init__(self) -> None: ...

        def mismatch(self, actual: Any) -> Any:
            return actual

    wants = Expectation(tool=ToolName("f"), args=(("a", Talks()),))
    assert reasons([wants], [call("f", a=False)]) == [
        "arg 'a': the matcher failed: TypeError: a matcher returns None or why not, as a text, got False (call 1)"
    ]


def test_where_the_checks_could_not_be_made_nothing_is_matched_for_that_reason() -> None:
    verdict = undecided(ToolChecks(expectations=(expect("a", {"n": 1}),), forbidden=(ToolName("x"),)), "why")
    assert verdict.matched is False
    assert verdict.details == [_record("a", {"n": 1}, None, "why"), _record("x", {}, None, "why")]
    assert undecided(ToolChecks(forbid_extra_calls=True), "why").details == []


NEAREST: list[tuple[str, list[Expectation], dict[str, Any], list[ToolCall], list[dict[str, Any]]]] = [
    ("what is met has none", [expect("f", {"x": 1})], {}, [call("f", x=1)], []),
    ("no call of that name", [expect("f", {"x": 1})], {}, [call("g", x=1)], []),
    ("the arguments that differ, of several", [expect("f", {"x": 1, "y": 2, "z": 3})], {},
     [call("f", x=0, y=2)], [{"detail": 0, "call": 0, "args": ["x", "z"]}]),
    ("the call that differs in least", [expect("f", {"x": 1, "y": 2})], {},
     [call("f"), call("g"), call("f", x=1)], [{"detail": 0, "call": 2, "args": ["y"]}]),
    ("the place of its expectation", [A, expect("f", {"x": 1})], {},
     [call("a"), call("f", x=2)], [{"detail": 1, "call": 1, "args": ["x"]}]),
    ("arguments that were not expected", [expect("f", {"x": 1}, forbid_extra_args=True)], {},
     [call("f", x=1, more=2)], [{"detail": 0, "call": 0, "args": ["more"]}]),
    ("a status that differs is no argument", [expect("f", {"x": 1}, status="success")], {},
     [call("f", error="no", x=1)], [{"detail": 0, "call": 0, "args": []}]),
    ("the call in its place, where places count", [A, expect("f", {"x": 1})], EXACT,
     [call("a"), call("f", x=2), call("f", x=1)], [{"detail": 1, "call": 1, "args": ["x"]}]),
    ("another tool in its place", [A, expect("f", {"x": 1})], EXACT, [call("a"), call("g"), call("f", x=2)], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expectations", "keys", "calls", "nearest"),
    [row[1:] for row in NEAREST],
    ids=[row[0] for row in NEAREST],
)
def test_the_nearest_call_of_what_is_not_met_and_what_of_it_differs(
    expectations: list[Expectation],
    keys: dict[str, Any],
    calls: list[ToolCall],
    nearest: list[dict[str, Any]],
) -> None:
    assert check_tools(ToolChecks(expectations=tuple(expectations), **keys), calls).nearest == nearest
