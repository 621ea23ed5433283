"""Limits of one length share a timer; each is looked at when its own time is over, and not before."""

from __future__ import annotations

import asyncio
from time import perf_counter

import pytest

from holodeck_core.engine.alarms import Alarms

LIMIT_S = 0.05


class Limited:
    def __init__(self, alarms: Alarms) -> None:
        self.started = perf_counter()
        self.looked_after: list[float] = []
        alarms.add(self)

    def look(self) -> None:
        self.looked_after.append(perf_counter() - self.started)


async def test_each_is_looked_at_once_when_its_own_limit_is_over() -> None:
    alarms = Alarms(LIMIT_S)
    limited = []
    for _ in range(3):
        limited.append(Limited(alarms))
        await asyncio.sleep(LIMIT_S / 5)
    await asyncio.sleep(2 * LIMIT_S)
    assert [len(each.looked_after) for each in limited] == [1, 1, 1]
    assert min(each.looked_after[0] for each in limited) >= LIMIT_S


async def test_one_that_has_ended_is_not_looked_at_and_those_after_it_are() -> None:
    alarms = Alarms(LIMIT_S)
    ended, later = Limited(alarms), Limited(alarms)
    alarms.remove(ended)
    await asyncio.sleep(2 * LIMIT_S)
    anew = Limited(alarms)
    await asyncio.sleep(2 * LIMIT_S)
    assert [len(each.looked_after) for each in (ended, later, anew)] == [0, 1, 1]


async def test_nothing_is_looked_at_after_the_end() -> None:
    alarms = Alarms(LIMIT_S)
    limited = Limited(alarms)
    alarms.close()
    await asyncio.sleep(2 * LIMIT_S)
    assert limited.looked_after == []


def test_outside_of_an_event_loop_nothing_can_be_added() -> None:
    with pytest.raises(RuntimeError):
        Limited(Alarms(LIMIT_S))
