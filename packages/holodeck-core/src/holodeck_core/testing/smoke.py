"""One call of each kind of contribution, with made-up values, under a time limit."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from holodeck_core.api.backend import Backend, CaseRef
from holodeck_core.api.grader import GraderContext
from holodeck_core.api.matcher import Matcher
from holodeck_core.api.metric import Metric, Score
from holodeck_core.api.reply import ToolCall
from holodeck_core.api.reporter import NoOptions, Reporter
from holodeck_core.api.validator import Accepted, Refused, Validator
from holodeck_core.api.values import JsonValue
from holodeck_core.config.binding.options import options_of
from holodeck_core.engine.own_loop import run_in_own_loop
from holodeck_core.engine.start import run_suite
from holodeck_core.models.test_result import TestReport
from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.testing.ask import build_matcher, grade, in_own_thread, match, score, turn
from holodeck_core.testing.builders import case, scripted, suite

LIMIT_S: Final = 30.0
"""How long one call may take, in seconds."""

_TURN: Final = turn(
    "It is 7.",
    turn_input="What is 3 + 4?",
    ground_truth="7",
    tool_calls=[ToolCall("add", {"a": 3, "b": 4}, 7, duration_ms=1.0)],
    retrieval_context=["3 + 4 = 7"],
    test_case_name="addition",
)
_TURNS: Final = (_TURN, turn("", turn_input="?", ground_truth="7", retrieval_context=[]))
_VALUES: Final[tuple[JsonValue, ...]] = ("a", 1, 0.5, True, None, ["a", 1], {"a": 1}, "", "string", "^a$")
_MESSAGES: Final = ("What is 3 + 4?", "", " \n", "a\x1b[2Jb\udcff", "x" * 20_000)


class Skipped(Exception):
    """There is nothing made up to call the contribution with; the text says why."""


def call_once(kind: Kind, target: Any) -> None:
    """Use a contribution a little. Raises Skipped, TimeoutError, and whatever is wrong with it."""
    in_own_thread(lambda: _CALLS[kind](target), LIMIT_S)


def _matcher(target: type[Matcher]) -> None:
    for expected in _VALUES:
        try:
            build_matcher(target, expected)
        except ValueError:  # it wants another value
            continue
        for actual in _VALUES:
            match(target, expected, actual)
        match(target, expected)
        return
    raise Skipped("it refuses every value it was tried with: test it with one of its own")


def _metric(target: type[Metric]) -> None:
    _options(target)
    needs: Any = target.needs
    if isinstance(needs, str):
        raise TypeError(f"`needs` is the text {needs!r}, not a set of names")
    unknown = sorted(need for need in needs if not hasattr(_TURN, need))
    if unknown:
        raise ValueError(f"it needs {', '.join(unknown)}, which no turn has")
    for view in _TURNS:
        score(target, view)


def _grader(target: Callable[[GraderContext], Any]) -> None:
    for view in _TURNS:
        grade(target, view)


def _backend(target: type[Backend]) -> None:
    options = _options(target)
    with tempfile.TemporaryDirectory() as folder:
        backend = target(options, Path(folder))
        list(backend.lacks())
        list(backend.sources())
        backend.check_case(CaseRef(0, "addition"))


def _reporter(target: type[Reporter]) -> None:
    options = _options(target)
    with tempfile.TemporaryDirectory() as folder:
        try:
            reporter = target(options, Path(folder) / "report")
        except ValueError as error:
            raise Skipped(f"it writes no file: {error}") from error
        errors = run_in_own_loop(_tell(reporter))
    if errors:
        raise RuntimeError("; ".join(errors))


async def _tell(reporter: Reporter) -> tuple[str, ...]:
    """What goes wrong in the reporter while a run with every verdict goes on."""
    backend = scripted(
        {"input": "one", "reply": "1 <&> `|` \x1b[2J"},
        {"input": "two", "reply": "2", "calls": [{"name": "add", "args": {"a": [1, None]}, "result": 2}]},
        {"input": "three", "error": "no \N{RIGHT-TO-LEFT OVERRIDE} connection"},
    )
    run = run_suite(
        suite(
            backend,
            case("one", name="passes", ground_truth="1", metrics=[_Same()]),
            case("two", "three", ground_truth="3", metrics=[_Same()]),
        ),
        reporters=[reporter],
    )
    report: TestReport = await run
    assert report.summary.total_tests == 2
    return run.reporter_errors


class _Same(Metric):
    """Whether the ground truth is part of the reply."""

    blocking = False

    def __init__(self) -> None:
        super().__init__(NoOptions())

    def score(self, view: GraderContext) -> Score:
        found = str(view.ground_truth) in view.agent_response
        return Score(float(found), found, None if found else "another reply")


def _validator(target: type[Validator]) -> None:
    validator = target()
    for message in _MESSAGES:
        found = validator.check(message)
        if not isinstance(found, Accepted | Refused):
            raise TypeError(f"check() returns Accepted or Refused, got {type(found).__name__}")


def _command(target: Any) -> None:
    importlib.import_module("typer.main").get_command(target)


def _options(target: type[Metric] | type[Backend] | type[Reporter]) -> BaseModel:
    try:
        return options_of(target).model_validate({})
    except ValidationError as error:
        keys = sorted(
            {str(line["loc"][0]) for line in error.errors() if line["type"] == "missing" and line["loc"]}
        )
        if not keys:
            raise
        raise Skipped(f"its options need {', '.join(keys)}: test it with your own") from error


_CALLS: Final[Mapping[Kind, Callable[[Any], None]]] = {
    "matcher": _matcher,
    "metric": _metric,
    "grader": _grader,
    "backend": _backend,
    "reporter": _reporter,
    "validator": _validator,
    "command": _command,
}
