"""Recorded trajectories with the verdict of another evaluator, and what a turn asserts to mean the same.

``trajectory_match_mode``, how the calls of a trajectory are compared with those of its reference:

- ``strict``: ``tool_order: exact``
- ``unordered``: ``extra_calls: forbid``
- ``superset``: what a turn asserts when it says no more
- ``subset``: ``extra_calls: forbid``; but an expected call may not be missing, as it may there

``tool_args_match_mode``, how the arguments of two calls are compared:

- ``exact``: ``extra_args: forbid``
- ``superset``: what an expected tool asserts when it says no more
- ``subset``: ``extra_args: forbid``, and each argument may be absent
- ``ignore``: no ``args``

An override compares the arguments of one tool otherwise: with a mode, by named fields (a mapping then ``contains`` the
field), or by a function, which is written as matchers here. ``max_count`` is not needed: with ``extra_calls: forbid`` a
call that was made twice is an extra call.

There a trajectory is compared as a whole, here turn by turn: the calls of a turn are expected in that turn.
"""

import ast
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

Message = dict[str, Any]
Arguments = dict[str, Any]


class Trajectory(NamedTuple):
    """What an agent did, what it should have done, and the verdict on that. ``overrides`` are by tool."""

    name: str
    mode: str
    args_mode: str
    overrides: Mapping[str, Callable[[Arguments], Arguments] | str]
    outputs: list[Message]
    reference: list[Message]
    passes: bool


TURN: Final[dict[str, dict[str, Any]]] = {
    "strict": {"tool_order": "exact"},
    "unordered": {"extra_calls": "forbid"},
    "superset": {},
    "subset": {"extra_calls": "forbid"},
}

_ARGS: Final[dict[str, Callable[[Arguments], dict[str, Any]]]] = {
    "exact": lambda args: {"args": _literals(args), "extra_args": "forbid"},
    "superset": lambda args: {"args": _literals(args)},
    "subset": lambda args: {
        "args": {name: {"any_of": [value, {"absent": True}]} for name, value in _literals(args).items()},
        "extra_args": "forbid",
    },
    "ignore": lambda args: {},
}


def _literals(args: Arguments) -> Arguments:
    return {name: {"literal": value} for name, value in args.items()}


def _either_name_of_the_city(args: Arguments) -> Arguments:
    return {"city": {"any_of": ["SF", "San Francisco"]}}


def _upgrade_where_the_reference_says_it(args: Arguments) -> Arguments:
    return {"query": {"contains": "upgrade"}} if "upgrade" in args["query"] else {}


def read_trajectories(path: Path) -> list[Trajectory]:
    """All trajectories of a file."""
    return [_trajectory(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _trajectory(record: dict[str, Any]) -> Trajectory:
    params = record["params"]
    call = ast.parse(record["evaluator"], mode="eval").body
    assert isinstance(call, ast.Call)
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    mode = _parameter(given.get("trajectory_match_mode"), params, "strict")
    args_mode = _parameter(given.get("tool_args_match_mode"), params, "exact")
    return Trajectory(
        name=f"{record['test']}[{', '.join(f'{key}={value}' for key, value in params.items())}]",
        mode=mode,
        args_mode=args_mode,
        overrides=_overrides(given.get("tool_args_match_overrides")),
        outputs=record["outputs"],
        reference=record["reference_outputs"],
        passes=_passes(record["assertion"], params),
    )


def _parameter(value: ast.expr | None, params: dict[str, Any], default: str) -> str:
    if value is None:
        return default
    assert isinstance(value, ast.Name)
    return str(params[value.id])


def _passes(assertion: str, params: dict[str, Any]) -> bool:
    """The verdict that is asserted: as a constant, as the parameter ``score``, or by asserting the score itself."""
    if "score=True" in assertion or "score=False" in assertion:
        return "score=True" in assertion
    if assertion == "assert evaluator_result['score']":
        return True
    assert assertion.endswith("== score") or "score=score" in assertion
    return bool(params["score"])


def _overrides(value: ast.expr | None) -> dict[str, Callable[[Arguments], Arguments] | str]:
    if value is None:
        return {}
    assert isinstance(value, ast.Dict)
    pairs = zip(value.keys, value.values, strict=True)
    return {ast.literal_eval(key): _override(item) for key, item in pairs if key is not None}


def _override(value: ast.expr) -> Callable[[Arguments], Arguments] | str:
    if isinstance(value, ast.Lambda):
        assert "'SF'" in ast.unparse(value)
        return _either_name_of_the_city
    if isinstance(value, ast.Name):
        assert value.id == "lookup_policy_query_matcher"
        return _upgrade_where_the_reference_says_it
    named = ast.literal_eval(value)
    return str(named) if isinstance(named, str) else _fields(named)


def _fields(paths: list[str]) -> Callable[[Arguments], Arguments]:
    """Asserts nothing but the fields at ``paths``, each a name or two joined by a dot."""

    def fields(args: Arguments) -> Arguments:
        asserted: Arguments = {}
        for path in paths:
            name, _, key = path.partition(".")
            value = {"literal": args[name][key] if key else args[name]}
            asserted[name] = {"contains": {key: value}} if key else value
        return asserted

    return fields


def turns_of(trajectory: Trajectory, reference: list[Message]) -> list[dict[str, Any]]:
    """The turns that expect the calls of ``reference``, in the mode of the trajectory."""
    turns: list[dict[str, Any]] = []
    for message in reference:
        if message["role"] == "user":
            turns.append({"input": message["content"], "expected_tools": [], **TURN[trajectory.mode]})
        for call in message.get("tool_calls") or ():
            turns[-1]["expected_tools"].append(_expected_tool(trajectory, *_name_and_args(call)))
    return turns


def _name_and_args(call: dict[str, Any]) -> tuple[str, Arguments]:
    """The two shapes of a call: with its arguments as JSON text, or as a mapping."""
    function = call.get("function")
    return (
        (call["name"], call["args"])
        if function is None
        else (function["name"], json.loads(function["arguments"]))
    )


def _expected_tool(trajectory: Trajectory, name: str, args: Arguments) -> dict[str, Any]:
    override = trajectory.overrides.get(name, trajectory.args_mode)
    asserted = _ARGS[override](args) if isinstance(override, str) else {"args": override(args)}
    return {"name": name, "match": "exact", **asserted}
