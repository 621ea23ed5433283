"""Records of the Berkeley Function-Calling Leaderboard, as turns of a suite and as the calls of a script.

A turn needs calls; each has a function and, for each argument, the list of its accepted values. In such a list ``""``
says that the argument may be left out; in a mapping each key has again such a list; all else stands for itself. The
conversations of ``multi_turn_base`` name one value for each argument, in Python calls.
"""

import ast
import json
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

Accepted = list[Any]

MISSING: Final = object()
"""Stands for an argument, or a key of a mapping, that is left out."""


class Needed(NamedTuple):
    """A call that a turn needs."""

    name: str
    args: dict[str, Accepted]


class Call(NamedTuple):
    """A call that the script makes."""

    name: str
    args: dict[str, Any]


class Turn(NamedTuple):
    """A user message, and the calls that it needs."""

    question: str
    needed: list[Needed]


class Record(NamedTuple):
    """A conversation."""

    id: str
    turns: list[Turn]


def read_records(folder: Path, category: str) -> list[Record]:
    """All records of a category; ``folder`` is that of the whole data set."""
    file = f"BFCL_v4_{category}.json"
    questions, answers = _lines(folder / file), _lines(folder / "possible_answer" / file)
    parameters = _parameters(folder)
    records = []
    for question, answer in zip(questions, answers, strict=True):
        assert question["id"] == answer["id"]
        truth = answer["ground_truth"]
        if category.startswith("multi_turn"):
            needed = [[_python_call(call, parameters) for call in calls] for calls in truth]
        else:
            needed = [[Needed(name, args) for call in truth for name, args in call.items()]]
        messages = [message["content"] for [message] in question["question"]]
        turns = [Turn(*turn) for turn in zip(messages, needed, strict=True)]
        records.append(Record(question["id"], turns))
    return records


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _parameters(folder: Path) -> dict[str, list[str]]:
    """The parameters of the functions of the conversations, in their order."""
    documents = [doc for path in folder.glob("multi_turn_func_doc/*.json") for doc in _lines(path)]
    return {doc["name"]: list(doc["parameters"]["properties"]) for doc in documents}


def _python_call(text: str, parameters: dict[str, list[str]]) -> Needed:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    names = parameters[call.func.id]
    assert len(call.args) <= len(names)
    given = [*zip(names, call.args, strict=False), *((str(each.arg), each.value) for each in call.keywords)]
    return Needed(call.func.id, {name: [_only(ast.literal_eval(value))] for name, value in given})


def _only(value: Any) -> Any:
    """The value as accepted values have it: the keys of mappings have a list each."""
    if isinstance(value, dict):
        return {key: [_only(item)] for key, item in value.items()}
    return [_only(item) for item in value] if isinstance(value, list) else value


def expected_tool(needed: Needed, calls: list[Call]) -> dict[str, Any]:
    """The entry of ``expected_tools``: no other arguments, and no more such calls than the script has to make."""
    return {
        "name": needed.name,
        "match": "exact",
        "extra_args": "forbid",
        "max_count": sum(serves(needed, call) for call in calls),
        "args": {name: matcher(accepted) for name, accepted in needed.args.items()},
    }


def matcher(accepted: Accepted) -> Any:
    """The expected value: a literal where one value is accepted, else ``any_of``."""
    options = [{"absent": True} if option == "" else _expected(option) for option in accepted]
    return options[0] if len(options) == 1 else {"any_of": options}


def _expected(option: Any) -> Any:
    if isinstance(option, list):
        return [_expected(item) for item in option]
    if not isinstance(option, dict):
        return option
    if len(option) > 1:
        return {key: matcher(accepted) for key, accepted in option.items()}
    [(key, [only])] = option.items()
    return {"literal": {key: only}}  # a mapping with a single key may look like a matcher


def chosen(needed: Needed, random: Random) -> Call:
    """A call that serves, with any accepted values."""
    return Call(needed.name, _chosen_keys(needed.args, random))


def _chosen_keys(args: dict[str, Accepted], random: Random) -> dict[str, Any]:
    values = {name: _chosen(random.choice(accepted), random) for name, accepted in args.items()}
    return {name: value for name, value in values.items() if value is not MISSING}


def _chosen(option: Any, random: Random) -> Any:
    if isinstance(option, dict):
        return _chosen_keys(option, random)
    if isinstance(option, list):
        return [_chosen(item, random) for item in option]
    return MISSING if option == "" else option


def serves(needed: Needed, call: Call) -> bool:
    """Whether the call is the one that is needed, by the rules of the data set."""
    return needed.name == call.name and not unlike(needed, call)


def unlike(needed: Needed, call: Call) -> list[str]:
    """The arguments in which a call differs from the one that is needed."""
    names = [*needed.args, *(name for name in call.args if name not in needed.args)]
    return [name for name in names if not accepts(needed.args.get(name, [""]), call.args.get(name, MISSING))]


def accepts(accepted: Accepted, value: Any) -> bool:
    """Whether the value, which may be ``MISSING``, is an accepted one."""
    if value is MISSING:
        return "" in accepted
    return any(_same(option, value) for option in accepted if option != "")


def _same(option: Any, value: Any) -> bool:
    if isinstance(option, dict) and isinstance(value, dict):
        return all(accepts(option.get(key, [""]), value.get(key, MISSING)) for key in {**option, **value})
    if isinstance(option, list) and isinstance(value, list):
        return len(option) == len(value) and all(map(_same, option, value))
    if isinstance(option, bool) or isinstance(value, bool):
        return option is value
    return bool(option == value)
