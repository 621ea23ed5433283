"""Which call serves which expectation. Pure, polynomial, and the same for the same input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def assign(
    compatible: Sequence[Sequence[int]], counts: Sequence[int], limits: Sequence[int], calls: int
) -> Assignment:
    """Calls for expectations, in the order of the expectations, by augmenting paths.

    ``compatible[e]`` are the calls that satisfy expectation ``e``, ascending. Each expectation takes ``counts[e]`` of
    them, or gives back what it took where it cannot have that many. Those that are served may then take more, up to
    ``limits[e]`` in all, of the calls that nobody else needs. A call serves at most one expectation. Whenever some
    assignment satisfies every expectation, this one does.
    """
    assignment = Assignment(compatible, calls)
    for expectation, count in enumerate(counts):
        before = assignment.owner[:]
        if all(assignment.serve(expectation) for _ in range(count)):
            assignment.served.add(expectation)
        else:
            assignment.owner = before
    for expectation, (count, limit) in enumerate(zip(counts, limits, strict=True)):
        if expectation in assignment.served:
            for _ in range(limit - count):
                if not assignment.serve(expectation):
                    break
    return assignment


class Assignment:
    """``owner[c]`` is the expectation that call ``c`` serves, None where it serves none."""

    def __init__(self, compatible: Sequence[Sequence[int]], calls: int) -> None:
        self._compatible = compatible
        self.owner: list[int | None] = [None] * calls
        self.served: set[int] = set()

    def calls_of(self, expectation: int) -> list[int]:
        """The calls that serve an expectation, ascending."""
        return [call for call, owner in enumerate(self.owner) if owner == expectation]

    def take(self, expectation: int, calls: Iterable[int]) -> None:
        """Let these calls serve the expectation, which is served with them."""
        self.served.add(expectation)
        for call in calls:
            self.owner[call] = expectation

    def serve(self, expectation: int) -> bool:
        """One more call for the expectation, moving other calls between their expectations where that is needed."""
        seen: set[int] = set()
        came_from: dict[int, tuple[int, int | None]] = {}
        queue: list[tuple[int, int | None]] = [(expectation, None)]
        while queue:
            wanting, via = queue.pop(0)
            for call in self._compatible[wanting]:
                if call in seen:
                    continue
                seen.add(call)
                came_from[call] = (wanting, via)
                owner = self.owner[call]
                if owner is None:
                    self._shift(call, came_from)
                    return True
                if owner != wanting:
                    queue.append((owner, call))
        return False

    def _shift(self, call: int | None, came_from: dict[int, tuple[int, int | None]]) -> None:
        while call is not None:
            expectation, via = came_from[call]
            self.owner[call] = expectation
            call = via


def assign_in_order(compatible: Sequence[Sequence[int]], counts: Sequence[int], calls: int) -> Assignment:
    """Calls for expectations so that they stand in the order of the expectations, others between.

    Each expectation takes its earliest calls behind those of the one before it, which leaves the most to the others;
    one that cannot have its count takes none.
    """
    assignment = Assignment(compatible, calls)
    position = 0
    for expectation, count in enumerate(counts):
        taken = [call for call in compatible[expectation] if call >= position][:count]
        if len(taken) == count:
            assignment.take(expectation, taken)
            position = taken[-1] + 1
    return assignment


def assign_runs(
    compatible: Sequence[Sequence[int]], counts: Sequence[int], limits: Sequence[int], calls: int
) -> Assignment | None:
    """All calls for expectations, in their order: each takes ``counts[e]`` to ``limits[e]`` calls in a row, and none is
    left. None where that cannot be."""
    # For each expectation, where its run may end, and where that run began: the first way that is found is kept.
    began: list[dict[int, int]] = []
    starts = {0}
    for expectation, (count, limit) in enumerate(zip(counts, limits, strict=True)):
        fits = set(compatible[expectation])
        ends: dict[int, int] = {}
        for start in sorted(starts):
            for end in range(start, min(start + limit, calls) + 1):
                if end - start >= count:
                    ends.setdefault(end, start)
                if end not in fits:
                    break
        began.append(ends)
        starts = set(ends)
    if calls not in starts:
        return None
    assignment = Assignment(compatible, calls)
    end = calls
    for expectation in reversed(range(len(counts))):
        start = began[expectation][end]
        assignment.take(expectation, range(start, end))
        end = start
    return assignment


def assign_exactly(compatible: Sequence[Sequence[int]], counts: Sequence[int], calls: int) -> Assignment:
    """Calls for expectations position by position: each takes the next ``counts[e]`` calls, which must satisfy it."""
    assignment = Assignment(compatible, calls)
    position = 0
    for expectation, count in enumerate(counts):
        wanted = range(position, position + count)
        if position + count <= calls and set(wanted) <= set(compatible[expectation]):
            assignment.take(expectation, wanted)
        position += count
    return assignment
