"""One metric, grader or matcher, asked by the rules of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from holodeck_core import (
    ABSENT,
    GraderContext,
    GraderResult,
    JsonValue,
    Matcher,
    Metric,
    NoOptions,
    Score,
    ToolCall,
    TurnView,
)
from holodeck_core.testing import grade, match, score, turn


class ShortOptions(BaseModel):
    most: int = 3


class Short(Metric):
    Options = ShortOptions
    options: ShortOptions
    needs = frozenset({"ground_truth"})

    def score(self, turn: TurnView) -> Score:
        return Score(float(len(turn.agent_response) <= self.options.most))


class Later(Metric):
    Options = NoOptions

    async def score(self, turn: TurnView) -> Score:  # type: ignore[override]
        await asyncio.sleep(0)
        return Score(0.5)


class Wrong(Metric):
    Options = NoOptions

    def score(self, turn: TurnView) -> Any:
        return True


class Failing(Metric):
    Options = NoOptions

    def score(self, turn: TurnView) -> Score:
        raise KeyError("no such model")


class Near(Matcher):
    accepts_absent = True

    def __init__(self, expected: JsonValue, build: Callable[[JsonValue], Matcher]) -> None:
        if expected is None:
            raise ValueError("say what it is near to")
        self._inner = build(expected)

    def mismatch(self, actual: Any) -> str | None:
        return "it is missing" if actual is ABSENT else self._inner.mismatch(actual)


class TestTurn:
    def test_what_it_is_given_is_read_only_evidence(self) -> None:
        view = turn("hi", tool_calls=[ToolCall("add", {"a": (1, 2)})], turn_config={"k": {1}})
        assert view.tool_invocations[0].args == {"a": [1, 2]}
        assert view.turn_config == {"k": [1]}
        with pytest.raises(TypeError):
            view.tool_invocations[0].args["a"] = 3  # type: ignore[index]

    def test_earlier_turns_are_seen(self) -> None:
        assert turn("b", previous_turns=[turn("a")]).previous_turns[0].agent_response == "a"


class TestScore:
    @pytest.mark.parametrize("metric", [Short, Short(ShortOptions())], ids=["class", "instance"])
    def test_a_metric_is_asked(self, metric: Any) -> None:
        assert score(metric, turn("yes", ground_truth="")).value == 1.0
        assert score(metric, turn("yess", ground_truth="")).value == 0.0

    def test_options_are_those_of_the_file(self) -> None:
        assert score(Short, turn("yess", ground_truth=""), most=4).value == 1.0
        with pytest.raises(ValidationError, match="moost"):
            score(Short, "yess", moost=4)
        with pytest.raises(TypeError, match="has its options already"):
            score(Short(ShortOptions()), "yess", most=4)

    def test_a_turn_without_what_it_needs_is_skipped(self) -> None:
        assert score(Short, "yes") == Score(None, reason="the turn has no ground_truth")

    def test_an_awaitable_is_awaited(self) -> None:
        assert score(Later, "yes").value == 0.5

    async def test_an_awaitable_is_awaited_inside_a_running_loop(self) -> None:
        assert score(Later, "yes").value == 0.5

    def test_what_it_raises_comes_out(self) -> None:
        with pytest.raises(KeyError, match="no such model"):
            score(Failing, "yes")
        with pytest.raises(TypeError, match="a metric returns a Score, got bool"):
            score(Wrong, "yes")

    def test_an_installed_metric_has_a_name(self) -> None:
        found = score("equality", turn("yes", ground_truth="yes"), metric="equality")
        assert (found.value, found.passed) == (1.0, True)


class TestGrade:
    @pytest.mark.parametrize(
        ("returned", "result"),
        [
            (True, GraderResult(1.0, True)),
            (False, GraderResult(0.0, False)),
            (0.25, GraderResult(0.25)),
            (GraderResult(0.5, reason="half"), GraderResult(0.5, reason="half")),
        ],
    )
    def test_what_a_grader_returns_is_a_result(self, returned: Any, result: GraderResult) -> None:
        assert grade(lambda view: returned, "yes") == result

    def test_a_coroutine_function_is_awaited(self) -> None:
        async def later(view: GraderContext) -> bool:
            return view.agent_response == "yes"

        assert grade(later, "yes").passed

    def test_an_instance_is_made_of_a_class(self) -> None:
        class Grader:
            def __call__(self, view: GraderContext) -> bool:
                return True

        assert grade(Grader, "yes").passed

    @pytest.mark.parametrize(
        ("returned", "error"), [(None, TypeError), ("yes", TypeError), (1.5, ValueError)]
    )
    def test_anything_else_is_an_error(self, returned: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            grade(lambda view: returned, "yes")


class TestMatch:
    @pytest.mark.parametrize(
        ("matcher", "expected", "actual", "matches"),
        [
            (Near, 1, 1.0, True),
            (Near, 1, 2, False),
            (Near, {"a": [{"fuzzy": "X"}]}, {"a": ["x"]}, True),
            ("fuzzy", "1,000", 1000, True),
            ("regex", "a+", "b", False),
            ("literal", [1, 2], (1, 2), True),
        ],
    )
    def test_a_matcher_is_asked(self, matcher: Any, expected: Any, actual: Any, matches: bool) -> None:
        assert (match(matcher, expected, actual) is None) is matches

    def test_a_missing_argument_is_asked_for_where_it_may_be(self) -> None:
        assert match(Near, 1) == "it is missing"
        assert match("fuzzy", 1) == "the argument is missing"
        assert match("absent", True) is None

    def test_an_expected_value_may_be_refused(self) -> None:
        with pytest.raises(ValueError, match="say what it is near to"):
            match(Near, None, 1)
        with pytest.raises(ValueError, match="`fuzzy` compares"):
            match(Near, {"fuzzy": []}, 1)
        with pytest.raises(ValueError, match=r"no plugin 'acme' is installed"):
            match(Near, {"acme/near": 1}, 1)
