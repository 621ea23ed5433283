"""What comes of a call: a JSON value, or in words why there is none. Never an exception."""

from __future__ import annotations

import asyncio
import datetime
import enum
import re
import threading
import time
import uuid
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.functions.user_function import UserFunction

Call = Callable[..., ToolOutcome]
MakeTool = Callable[..., UserFunction]


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int = 7


class Item(BaseModel):
    sku: str
    quantity: int = 1


def takes(annotation: Any) -> Callable[..., str]:
    def function(value):
        return repr(value)

    function.__annotations__ = {"value": annotation}
    return function


class TestArguments:
    """Types are JSON's."""

    @pytest.mark.parametrize(
        ("annotation", "value", "arrives"),
        [
            (int, 2, "2"),
            (int, 2.0, "2"),
            (float, 2, "2.0"),
            (float, 1e300, "1e+300"),
            (bool, True, "True"),
            (int | str, "2", "'2'"),
            (bool | int, 1, "1"),
            (float | None, None, "None"),
            (Literal["a", 1], 1, "1"),
            (Colour, "red", "<Colour.RED: 'red'>"),
            (Point, {"x": 1}, "Point(x=1, y=7)"),
            (Item, {"sku": "A"}, "Item(sku='A', quantity=1)"),
            (list[Point], [{"x": 1, "y": 2}], "[Point(x=1, y=2)]"),
            (tuple[int, str], [1, "a"], "(1, 'a')"),
            (set[int], [1, 1], "{1}"),
            (datetime.date, "2024-02-29", "datetime.date(2024, 2, 29)"),
            (Decimal, "0.1", "Decimal('0.1')"),
            (Decimal, 0.1, "Decimal('0.1')"),
            (Any, {"a": [1.5, None]}, "{'a': [1.5, None]}"),
        ],
        ids=repr,
    )
    def test_what_fits_arrives_as_the_annotation_says(
        self, call: Call, annotation: Any, value: Any, arrives: str
    ) -> None:
        assert call(takes(annotation), {"value": value}) == ToolOutcome(arrives)

    @pytest.mark.parametrize(
        ("annotation", "value", "why"),
        [
            (int, "1", '`value`: Input should be a valid integer, got "1"'),
            (
                int,
                2.5,
                "`value`: Input should be a valid integer, got 2.5",
            ),
            (int, True, "`value`: Input should be a valid integer, got true"),
            (float, "1", "`value`: Input should be a valid number"),
            (bool, 1, "`value`: Input should be a valid boolean, got 1"),
            (bool, "true", "`value`: Input should be a valid boolean"),
            (str, 1, "`value`: Input should be a valid string, got 1"),
            (str, None, "`value`: Input should be a valid string, got null"),
            (list[int], "1", "`value`: Input should be a valid array"),
            (list[int], [1, "x"], '`value[1]`: Input should be a valid integer, got "x"'),
            (Point, {"x": "1"}, "`value.x`: Input should be a valid integer"),
            (Item, {}, "`value.sku` is missing"),
            (Colour, "green", "`value`: Input should be 'red'"),
            (Literal["a", "b"], "c", "`value`: Input should be 'a' or 'b'"),
        ],
        ids=repr,
    )
    def test_what_does_not_fit_is_told(self, call: Call, annotation: Any, value: Any, why: str) -> None:
        outcome = call(takes(annotation), {"value": value})
        assert outcome.result is None
        assert (outcome.error or "").startswith(f"wrong arguments: {why}")

    def test_missing_and_unknown_ones_are_all_named(self, call: Call) -> None:
        def function(start: int, end: int = 0): ...

        assert call(function, {"strt": 1, "x": 2}).error == (
            'wrong arguments: `start` is missing; there is no `strt`; did you mean "start"?; there is no `x`'
        )

    def test_defaults_are_the_functions_own(self, call: Call) -> None:
        marker = object()

        def function(a=marker, /, b: Any = marker, *, c: Any = marker):
            return [a is marker, b is marker, c is marker]

        assert call(function).result == [True, True, True]
        assert call(function, {"a": 1, "c": 2}).result == [False, True, False]

    def test_a_call_cannot_change_what_the_model_sent(self, call: Call) -> None:
        def function(items: list[int]):
            items.append(4)
            return items

        sent = {"items": [1, 2, 3]}
        assert call(function, sent).result == [1, 2, 3, 4]
        assert sent == {"items": [1, 2, 3]}

    @pytest.mark.parametrize(
        "value",
        [float("nan"), "\ud800", 10**5000, {"a": {"b": float("inf")}}],
        ids=["nan", "surrogate", "huge", "deep"],
    )
    def test_what_json_cannot_hold_does_no_harm(self, call: Call, value: Any) -> None:
        assert call(takes(Any), {"value": value}).error is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(), values, max_size=4),
    max_leaves=10,
)


class TestResults:
    """Results are JSON values, copied."""

    @pytest.mark.parametrize(
        ("value", "result"),
        [
            (None, None),
            ("text", "text"),
            ((1, 2.5), [1, 2.5]),
            ({"a": {1}}, {"a": [1]}),
            ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
            (Point(1), {"x": 1, "y": 7}),
            ([Item(sku="A")], [{"sku": "A", "quantity": 1}]),
            (namedtuple("Pair", "a b")(1, 2), [1, 2]),
            (Colour.RED, "red"),
            (datetime.date(2024, 2, 29), "2024-02-29"),
            (Decimal("0.10"), "0.10"),
            (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
            (PurePosixPath("/a/b"), "/a/b"),
            (float("nan"), "nan"),
            ("\ud800", "\ufffd"),
            (b"bytes", "bytes"),
            (range(3), [0, 1, 2]),
        ],
        ids=repr,
    )
    def test_plain_values_of_python_are_json(self, call: Call, value: Any, result: Any) -> None:
        assert call(lambda: value) == ToolOutcome(result)

    def test_arrays_of_numerical_libraries_are_lists(self, call: Call) -> None:
        class Array:
            def tolist(self) -> list[int]:
                return [1, 2]

        assert call(lambda: {"found": Array()}).result == {"found": [1, 2]}

    @pytest.mark.parametrize(
        ("make", "why"),
        [
            (
                object,
                "the result holds a object, which is not a JSON value: return plain values",
            ),
            (lambda: {"a": [threading.Lock()]}, "the result holds a lock, "),
            (lambda: b"\xff", "the result is not a JSON value: UnicodeDecodeError"),
            (
                lambda: (n for n in [1]),
                "the result is a generator, which can be read only once: return a list",
            ),
            (lambda: iter([1]), "the result is a list_iterator, which can be read only once"),
        ],
        ids=["object", "lock", "bytes", "generator", "iterator"],
    )
    def test_what_is_no_json_value_is_a_failed_call(
        self, call: Call, make: Callable[[], Any], why: str
    ) -> None:
        outcome = call(lambda: make())
        assert outcome.result is None
        assert re.match(why, outcome.error or "")

    def test_a_cycle_is_a_failed_call(self, call: Call) -> None:
        value: list[Any] = []
        value.append(value)
        assert "Circular reference" in (call(lambda: value).error or "")

    def test_an_asynchronous_generator_is_a_failed_call(self, call: Call) -> None:
        async def function():
            yield 1

        assert "the result is a async_generator" in (call(function).error or "")

    def test_what_the_function_does_later_changes_nothing(self, call: Call) -> None:
        kept = [1]
        outcome = call(lambda: kept)
        kept.append(2)
        assert outcome.result == [1]

    @settings(max_examples=50, deadline=None)
    @given(json_values)
    def test_any_json_value_goes_in_and_comes_out(self, call: Call, value: Any) -> None:
        assert call(lambda value: value, {"value": value}) == ToolOutcome(value)


class TestFaults:
    """Whatever a function does costs its call only."""

    @pytest.mark.parametrize("on_loop", [False, True], ids=["thread", "loop"])
    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (ValueError("no such order"), "ValueError: no such order"),
            (KeyError("LM-1"), "KeyError: 'LM-1'"),
            (StopIteration(), "StopIteration"),
            (SystemExit(3), "SystemExit: 3"),
            (TimeoutError(), "TimeoutError"),
            (asyncio.CancelledError(), "CancelledError"),
            (RecursionError("too deep"), "RecursionError: too deep"),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_what_it_raises_is_told(self, call: Call, on_loop: bool, error: BaseException, told: str) -> None:
        def function():
            raise error

        async def coroutine():
            raise error

        outcome = call(coroutine if on_loop else function)
        if on_loop and isinstance(error, StopIteration):
            told = "RuntimeError: coroutine raised StopIteration"
        assert outcome == ToolOutcome(None, told)

    def test_the_users_interrupt_passes(self, call: Call) -> None:
        async def coroutine():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            call(coroutine)

    async def test_a_cancellation_from_outside_passes(self, tool: MakeTool) -> None:
        ended = []

        async def coroutine():
            try:
                await asyncio.sleep(30)
            finally:
                ended.append(True)

        task = asyncio.create_task(tool(coroutine).call({}))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == [True]

    def test_arguments_may_be_refused_by_code_of_the_user(self, call: Call) -> None:
        class Strange(BaseModel):
            def model_post_init(self, context: Any) -> None:
                raise SystemExit(2)

        assert call(takes(Strange), {"value": {}}).error == "SystemExit: 2"


class TestTime:
    """A call is bounded, and blocks nobody else."""

    def test_a_function_that_blocks_ends_at_its_timeout(self, call: Call) -> None:
        blocked = threading.Event()
        started = time.monotonic()
        assert call(lambda: blocked.wait(20), timeout=0.05).error == "no result within 0.05 s (timeout)"
        assert time.monotonic() - started < 5
        blocked.set()

    @pytest.mark.parametrize("stubborn", [False, True])
    def test_a_coroutine_ends_at_its_timeout(self, call: Call, stubborn: bool) -> None:
        async def coroutine():
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                if not stubborn:
                    raise
            return 1

        assert call(coroutine, timeout=0.05).error == "no result within 0.05 s (timeout)"

    def test_a_coroutine_that_keeps_the_loop_is_late_all_the_same(self, call: Call) -> None:
        async def coroutine():
            time.sleep(0.1)  # noqa: ASYNC251 - that is the mistake
            return 1

        assert call(coroutine, timeout=0.05).error == "no result within 0.05 s (timeout)"

    def test_the_time_is_thirty_seconds_unless_the_file_says_otherwise(self, tool: MakeTool) -> None:
        assert (tool(lambda: 1).timeout, tool(lambda: 1, timeout=2).timeout) == (30, 2)

    async def test_blocking_functions_run_side_by_side(self, tool: MakeTool) -> None:
        together = threading.Barrier(3, timeout=10)
        made = tool(lambda: together.wait() >= 0)
        outcomes = await asyncio.gather(*(made.call({}) for _ in range(3)))
        assert outcomes == [ToolOutcome(True)] * 3

    async def test_a_function_that_never_comes_back_is_given_up(self, tool: MakeTool) -> None:
        blocked = threading.Event()
        made = tool(lambda: blocked.wait(20), timeout=0.02)
        late = await asyncio.gather(*(made.call({}) for _ in range(16)))
        assert {outcome.error for outcome in late} == {"no result within 0.02 s (timeout)"}
        refused = await made.call({})
        assert (refused.error or "").startswith("not called: 16 earlier calls of the function tried")
        blocked.set()

    def test_an_awaitable_of_a_plain_function_is_awaited(self, call: Call) -> None:
        async def hidden(a: int) -> int:
            await asyncio.sleep(0)
            return a + 1

        assert call(lambda a: hidden(a), {"a": 1}) == ToolOutcome(2)

    def test_a_plain_function_runs_outside_of_the_event_loop(self, call: Call) -> None:
        assert call(lambda: threading.current_thread() is threading.main_thread()).result is False

    def test_so_does_what_its_types_do_to_the_arguments(self, call: Call) -> None:
        class Asking(BaseModel):
            _by: bool

            def model_post_init(self, context: Any) -> None:
                self._by = threading.current_thread() is threading.main_thread()

        def function(value: Asking) -> bool:
            return value._by

        function.__annotations__ = {"value": Asking}
        assert call(function, {"value": {}}).result is False
