"""What an agent may do instead of the calls that a turn needs, so that the turn must fail."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from bfcl import Call, Needed, accepts, serves


class Change(NamedTuple):
    """The calls that are made instead. What was changed is ``call``, which stood at ``place``, or its ``argument``."""

    calls: list[Call]
    place: int
    call: Call
    argument: str | None = None


def dropped(needed: list[Needed], calls: list[Call], random: Random) -> Iterator[Change]:
    """One call is not made."""
    for place, call in enumerate(calls):
        yield Change(calls[:place] + calls[place + 1 :], place, call)


def duplicated(needed: list[Needed], calls: list[Call], random: Random) -> Iterator[Change]:
    """One call is made again."""
    for place, call in enumerate(calls):
        again = random.randint(0, len(calls))
        yield Change([*calls[:again], call, *calls[again:]], place, call)


def wrong(needed: list[Needed], calls: list[Call], random: Random) -> Iterator[Change]:
    """One argument has a value that no needed call to the function may have there."""
    for place, call in enumerate(calls):
        for name in needed[place].args:
            accepted = [each.args.get(name, [""]) for each in needed if each.name == call.name]
            options = (option for option in needed[place].args[name] if option != "")
            right = call.args[name] if name in call.args else next(options, "any")
            values = [
                value for value in near_misses(right) if not any(accepts(each, value) for each in accepted)
            ]
            yield _with_arguments(calls, place, {**call.args, name: random.choice(values)}, name)


def left_out(needed: list[Needed], calls: list[Call], random: Random) -> Iterator[Change]:
    """One argument is missing, so that the call is none of those that are needed."""
    for place, call in enumerate(calls):
        for name in needed[place].args:
            args = {key: value for key, value in call.args.items() if key != name}
            if not any(serves(each, Call(call.name, args)) for each in needed):
                yield _with_arguments(calls, place, args, name)


def _with_arguments(calls: list[Call], place: int, args: dict[str, Any], name: str) -> Change:
    call = calls[place]
    return Change([*calls[:place], Call(call.name, args), *calls[place + 1 :]], place, call, name)


def near_misses(value: Any) -> Iterator[Any]:
    """Values that are nearly this one: of another type, spelt otherwise, in another order, with a part too many."""
    yield [value]
    match value:
        case bool():
            yield from (not value, int(value), str(value).lower())
        case int() | float():
            yield from (value + 1, -value - 1, value + 0.5, value * 1.000001 + 1e-9, str(value))
        case str():
            yield from (value + " ", value.swapcase(), value + "x", value[:-1], {"fuzzy": value})
        case list():
            yield from (value[:-1], value[::-1], [*value, None])
            yield from ([item, *value[1:]] for first in value[:1] for item in near_misses(first))
        case dict():
            yield {**value, "another key": None}
            for key in value:
                yield {name: item for name, item in value.items() if name != key}
                yield from ({**value, key: item} for item in near_misses(value[key]))
        case _:
            yield from (str(value), 0, False)
