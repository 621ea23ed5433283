"""``type: code``: what a grader may return, and what verdict that is."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import math
from collections.abc import Awaitable, Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import CodeMetric, GraderContext, GraderResult, Score
from holodeck_graders.metrics.code import CodeGraderMetric

TURN = GraderContext(turn_input="q", agent_response="hello world", ground_truth="x", turn_index=3)


def _metric(grader: Callable[..., Any], **options: Any) -> CodeGraderMetric:
    model = CodeMetric(grader="checks:grader", **options)
    model.bind(grader)
    return CodeGraderMetric(model)


def _score(returned: Any, **options: Any) -> Score:
    score = _metric(lambda turn: returned, **options).score(TURN)
    assert isinstance(score, Score)
    return score


@pytest.mark.parametrize(
    ("returned", "threshold", "value", "passed", "in_force"),
    [
        (True, None, 1.0, True, None),
        (False, None, 0.0, False, None),
        (True, 2, 1.0, True, None),
        (False, 0, 0.0, False, None),
        (0.5, None, 0.5, True, 0.5),
        (0.49, None, 0.49, False, 0.5),
        (0.08, None, 0.08, False, 0.5),
        (0.0, None, 0.0, False, 0.5),
        (1, None, 1.0, True, 0.5),
        (0, None, 0.0, False, 0.5),
        (0.8, 0.8, 0.8, True, 0.8),
        (0.8, 0.9, 0.8, False, 0.9),
        (0.0, 0, 0.0, True, 0.0),
        (Fraction(1, 4), None, 0.25, False, 0.5),
        (Decimal("0.75"), None, 0.75, True, 0.5),
        (GraderResult(0.2), None, 0.2, False, 0.5),
        (GraderResult(0.2), 0.1, 0.2, True, 0.1),
        (GraderResult(0.2, passed=True), 0.9, 0.2, True, None),
        (GraderResult(0.9, passed=False), 0.1, 0.9, False, None),
        (GraderResult(1), None, 1.0, True, 0.5),
    ],
)
def test_the_verdict_is_the_graders_else_the_thresholds_else_that_of_a_half(
    returned: Any, threshold: float | None, value: float, passed: bool, in_force: float | None
) -> None:
    score = _score(returned, threshold=threshold)
    assert (score.value, score.passed, score.threshold) == (value, passed, in_force)
    assert type(score.value) is float
    assert passed or score.reason


class _Scalar:
    """What array libraries return for a comparison or a mean."""

    shape = ()

    def __init__(self, value: Any) -> None:
        self._value = value

    def item(self) -> Any:
        return self._value


@pytest.mark.parametrize(("value", "passed"), [(True, True), (False, False), (0.75, True), (0.25, False)])
def test_a_scalar_of_an_array_library_counts_as_its_value(value: Any, passed: bool) -> None:
    assert _score(_Scalar(value)).passed is passed
    assert _score(GraderResult(_Scalar(1.0), _Scalar(passed))).passed is passed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (None, TypeError, "a grader returns GraderResult, bool or a number from 0 to 1, got NoneType null"),
        ("x", TypeError, 'got str "x"'),
        ([1], TypeError, "got list [1]"),
        (1j, TypeError, "got complex"),
        ({"score": 1}, TypeError, "got dict"),
        (1.01, ValueError, "a finite number from 0 to 1, got 1.01"),
        (-0.01, ValueError, "a finite number from 0 to 1, got -0.01"),
        (math.nan, ValueError, "a finite number from 0 to 1, got NaN"),
        (math.inf, ValueError, "a finite number from 0 to 1"),
        (Decimal("nan"), ValueError, "a finite number from 0 to 1"),
        (GraderResult(1.5), ValueError, "a grader's score is a finite number from 0 to 1, got 1.5"),
        (GraderResult("1"), TypeError, 'a grader\'s score is a number from 0 to 1, got str "1"'),  # type: ignore[arg-type]
        (GraderResult(1.0, passed="yes"), TypeError, 'passed is a bool or None, got str "yes"'),  # type: ignore[arg-type]
        (GraderResult(1.0, passed=1), TypeError, "passed is a bool or None, got int 1"),  # type: ignore[arg-type]
        (GraderResult(1.0, reason=5), TypeError, "reason is a text or None, got int 5"),  # type: ignore[arg-type]
    ],
)
def test_anything_else_is_an_error(returned: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        _score(returned)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (False, "the grader returned false"),
        (0.08, "score 0.08 is below the threshold 0.5"),
        (GraderResult(0.3, passed=False), "the grader says failed, score 0.3"),
        (GraderResult(0.3, passed=False, reason="no total"), "no total"),
        (GraderResult(1.0, reason="fine"), "fine"),
        (True, None),
    ],
)
def test_a_failure_always_has_a_reason(returned: Any, reason: str | None) -> None:
    assert _score(returned).reason == reason


def test_the_grader_receives_the_turn() -> None:
    def grader(turn: GraderContext) -> float:
        return turn.turn_index / 10

    score = _metric(grader).score(TURN)
    assert isinstance(score, Score)
    assert score.value == 0.3


def test_a_grader_may_check_that_something_is_not_so() -> None:
    def not_that_object(turn: GraderContext) -> bool:
        try:
            return bool(json.loads(turn.agent_response) != {"foo": "bar"})
        except ValueError:
            return True

    assert _metric(not_that_object).score(TURN) == Score(1.0, True)


def test_what_a_grader_raises_passes_through() -> None:
    def grader(turn: GraderContext) -> bool:
        raise SystemExit(0)

    with pytest.raises(SystemExit):
        _metric(grader).score(TURN)


async def _async_grader(turn: GraderContext) -> float:
    await asyncio.sleep(0)
    return 0.25


class _AsyncCall:
    async def __call__(self, turn: GraderContext) -> bool:
        return True


class _Call:
    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def __call__(self, turn: GraderContext) -> bool:
        return turn.agent_response == "hello world"


@pytest.mark.parametrize(
    ("grader", "blocking"),
    [
        (_async_grader, False),
        (functools.partial(_async_grader), False),
        (_AsyncCall(), False),
        (_AsyncCall, False),
        (lambda turn: True, True),
        (lambda turn: _async_grader(turn), True),
        (_Call, True),
    ],
    ids=[
        "async def",
        "partial",
        "async __call__",
        "class of async __call__",
        "def",
        "def that returns a coroutine",
        "class",
    ],
)
async def test_only_a_coroutine_function_runs_without_a_thread(grader: Any, blocking: bool) -> None:
    metric = _metric(grader)
    assert metric.blocking is blocking
    returned = metric.score(TURN)
    score = await returned if inspect.isawaitable(returned) else returned
    assert isinstance(score, Score)
    assert score.value in (0.25, 1.0)


async def test_an_awaitable_result_is_judged_when_it_is_there() -> None:
    returned = _metric(_async_grader, threshold=0.2).score(TURN)
    assert isinstance(returned, Awaitable)
    assert await returned == Score(0.25, True, None, 0.2)


def test_of_a_class_one_instance_is_made() -> None:
    _Call.made = 0
    metric = _metric(_Call)
    for _ in range(3):
        score = metric.score(TURN)
        assert isinstance(score, Score)
        assert score.passed
    assert _Call.made == 1


class _NeedsMore:
    def __init__(self, more: int) -> None: ...


class _NotCallable: ...


@pytest.mark.parametrize(
    ("grader", "message"),
    [(_NeedsMore, "cannot be made without arguments"), (_NotCallable, "whose instances cannot be called")],
)
def test_a_class_that_gives_no_grader_is_refused_while_loading(grader: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _metric(grader)


def test_a_grader_that_was_not_resolved_is_refused() -> None:
    with pytest.raises(ValueError, match="checks:grader has not been resolved"):
        CodeGraderMetric(CodeMetric(grader="checks:grader"))


def test_it_judges_itself_and_says_whose_time_it_takes() -> None:
    metric = _metric(lambda turn: True, timeout_s=3)
    assert metric.judges_itself
    assert metric.timeout_s == 3
    assert metric.identity == "checks:grader"
    assert metric.needs == frozenset()
    assert CodeGraderMetric.Options is CodeMetric


@pytest.mark.parametrize(
    ("details", "kept"),
    [
        (None, None),
        ({"a": [1, 2.5, "x", None, True]}, {"a": [1, 2.5, "x", None, True]}),
        ((1, (2,)), [1, [2]]),
        ({"score": math.nan, "most": [math.inf]}, {"score": "nan", "most": ["inf"]}),
        (0, 0),
        ("text", "text"),
        ([], []),
    ],
)
def test_details_are_kept_as_json(details: Any, kept: Any) -> None:
    assert _score(GraderResult(1.0, details=details)).details == kept


def test_details_are_a_copy() -> None:
    details = {"a": [1]}
    score = _score(GraderResult(1.0, details=details))
    details["a"].append(2)
    assert score.details == {"a": [1]}


_CYCLE: list[Any] = []
_CYCLE.append(_CYCLE)
_WIDE: list[Any] = [0] * 10
for _ in range(8):
    _WIDE = [_WIDE] * 10


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"a": [1, {2}]}, "details.a[1] is a set, which JSON cannot hold"),
        (object(), "details is a object, which JSON cannot hold"),
        ({"a": b"x"}, "details.a is a bytes"),
        ({1: "x"}, "details has the key 1, and JSON takes only text for keys"),
        (_CYCLE, "nested deeper than"),
        (_WIDE, "hold more than"),
    ],
    ids=["set", "object", "bytes", "key", "cycle", "wide"],
)
def test_details_that_json_cannot_hold_are_an_error_that_names_them(details: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        _score(GraderResult(1.0, details=details))
    assert message in str(caught.value)


@given(st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1)), st.one_of(st.none(), st.booleans()))
def test_every_score_from_0_to_1_has_a_verdict(
    value: float, threshold: float | None, passed: bool | None
) -> None:
    score = _score(GraderResult(value, passed), threshold=threshold)
    assert score.value == value
    in_force = 0.5 if threshold is None else threshold
    assert score.passed is (passed if passed is not None else value >= in_force)
    assert score.threshold == (in_force if passed is None else None)
