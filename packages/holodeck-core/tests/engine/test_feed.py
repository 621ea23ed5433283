"""The cases of a run are given in file order, each once, however far they were read ahead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from holodeck_core import BoundCase
from holodeck_core.engine.feed import Feed


class Source:
    """Makes cases, and counts how many it has made; the one at ``broken`` cannot be read."""

    def __init__(self, count: int, broken: int | None = None) -> None:
        self.count = count
        self.broken = broken
        self.read = 0

    def __iter__(self) -> Iterator[BoundCase]:
        for index in range(self.count):
            if index == self.broken:
                raise OSError("gone")
            self.read += 1
            yield BoundCase(index=index, turns=())


async def _idle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("most", [0, 1, 3])
async def test_cases_come_in_file_order_each_once(most: int) -> None:
    feed = Feed(Source(10), most)
    given = []
    for position, case in feed:
        given.append((position, case.index))
        feed.read_ahead_soon()
        await _idle()
    assert given == [(n, n) for n in range(10)]


async def test_no_more_cases_are_read_ahead_than_that() -> None:
    source = Source(10)
    feed = Feed(source, 2)
    for _ in range(5):
        feed.read_ahead_soon()
    assert source.read == 0  # not before the event loop has done what it has to do
    await _idle()
    assert source.read == 2


async def test_what_cannot_be_read_is_raised_to_everyone_who_asks_for_it_and_not_before() -> None:
    feed = Feed(Source(3, broken=1), 3)
    for _ in range(3):
        feed.read_ahead_soon()
    await _idle()
    assert next(feed)[0] == 0
    for _ in range(2):
        with pytest.raises(OSError, match="gone"):
            next(feed)
