"""What a turn says of the turns before it, and what remembering them costs."""

from __future__ import annotations

import copy
import json
import pickle
import tracemalloc
from typing import Any

import attrs
import pytest

from holodeck_core import GraderContext, Score, run_suite

FEW, MANY = 250, 1000


async def _views(suite_of: Any, turn: Any, metric: Any, turns: int) -> list[GraderContext]:
    """What a metric sees of each turn of one conversation."""
    views: list[GraderContext] = []

    def keep(view: GraderContext) -> Score:
        views.append(view)
        return Score(1.0)

    await run_suite(suite_of(str, [turn(str(number), metrics=(metric(keep),)) for number in range(turns)]))
    return views


async def test_a_turn_knows_those_before_it_and_none_after_it(suite_of: Any, turn: Any, metric: Any) -> None:
    views = await _views(suite_of, turn, metric, 4)
    assert [view.previous_turns for view in views] == [tuple(views[:n]) for n in range(4)]


async def test_the_turns_before_are_a_tuple_whatever_becomes_of_the_view(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    first, second, _ = await _views(suite_of, turn, metric, 3)
    by_hand = attrs.evolve(second, previous_turns=(first,))
    for view in (second, by_hand, pickle.loads(pickle.dumps(second)), copy.deepcopy(second)):
        assert view.previous_turns == (first,)
        assert type(view.previous_turns) is tuple
        assert view == second
    assert first != second
    assert attrs.evolve(second, previous_turns=()) != second


async def test_a_turn_becomes_a_dict_without_the_turns_before_it(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    *_, last = await _views(suite_of, turn, metric, 30)
    told = attrs.asdict(last, filter=lambda field, _: field.name != "_previous")
    assert json.loads(json.dumps(told)) == {
        "turn_input": "29",
        "agent_response": "29",
        "ground_truth": None,
        "tool_invocations": [],
        "retrieval_context": None,
        "turn_index": 29,
        "test_case_name": "case 1",
        "turn_config": {},
    }


async def test_the_turns_before_cannot_be_replaced(suite_of: Any, turn: Any, metric: Any) -> None:
    *_, last = await _views(suite_of, turn, metric, 2)
    with pytest.raises(TypeError):
        last.previous_turns = ()  # type: ignore[misc]


async def test_the_text_of_a_turn_does_not_hold_those_before_it(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    *_, second, last = await _views(suite_of, turn, metric, 30)
    assert len(repr(last)) == len(repr(second))


async def test_memory_grows_with_the_turns_of_a_conversation_not_with_their_square(
    suite_of: Any, turn: Any, metric: Any
) -> None:
    async def held(turns: int) -> int:
        tracemalloc.start()
        try:
            views = await _views(suite_of, turn, metric, turns)
            size, _ = tracemalloc.get_traced_memory()
            del views
            return size
        finally:
            tracemalloc.stop()

    await held(1)  # what is imported and remembered once
    assert await held(MANY) / await held(FEW) < 2 * MANY / FEW  # with the square: over three times as much
