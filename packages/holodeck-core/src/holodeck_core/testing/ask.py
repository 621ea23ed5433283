"""One metric, grader or matcher, asked once, by the rules of a run. What it raises comes out as it is."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import attrs

from holodeck_core.api.grader import GraderContext, GraderResult
from holodeck_core.api.matcher import ABSENT, Matcher, check_reason
from holodeck_core.api.metric import Metric, Score
from holodeck_core.api.reply import ToolCall
from holodeck_core.api.suite import BoundMetric
from holodeck_core.api.values import EMPTY_DICT, JsonValue, to_json
from holodeck_core.config.binding.matchers import MatcherBuilder
from holodeck_core.config.binding.options import options_of
from holodeck_core.engine.verdicts import judge
from holodeck_core.models.arg_matcher import ArgMatcher
from holodeck_core.plugins.host import PluginHost

T = TypeVar("T")


def turn(
    agent_response: str = "",
    *,
    turn_input: str = "",
    ground_truth: str | None = None,
    tool_calls: Iterable[ToolCall] = (),
    retrieval_context: Iterable[str] | None = None,
    turn_config: Mapping[str, Any] = EMPTY_DICT,
    turn_index: int = 0,
    test_case_name: str = "case",
    previous_turns: Iterable[GraderContext] = (),
) -> GraderContext:
    """One turn as metrics and graders see it: what they are given is copied to read-only JSON values."""
    return GraderContext(
        turn_input=turn_input,
        agent_response=agent_response,
        ground_truth=ground_truth,
        tool_invocations=tuple(
            attrs.evolve(call, args=to_json(call.args), result=to_json(call.result)) for call in tool_calls
        ),
        retrieval_context=None if retrieval_context is None else tuple(retrieval_context),
        turn_index=turn_index,
        test_case_name=test_case_name,
        turn_config=to_json(turn_config),
        previous_turns=tuple(previous_turns),
    )


def score(metric: str | type[Metric] | Metric, view: GraderContext | str, /, **options: Any) -> Score:
    """What the metric says of a turn; a text stands for a turn with that reply.

    ``metric`` is an instance, a class or the name of an installed one; ``options`` are the keys of its entry in a file,
    checked by its options model. A turn that lacks what the metric ``needs`` has the value None, as in a run.

    Raises pydantic's ValidationError for wrong options, TypeError or ValueError for what is no score, and whatever the
    metric raises.
    """
    name, made = _metric(metric, options)
    view = _view(view)
    for need in made.needs:
        if getattr(view, need) is None:
            return Score(None, reason=f"the turn has no {need}")
    found = _finished(made.score(view))
    judge(BoundMetric(name=name, kind=name, metric=made), found)
    return found


def _metric(metric: str | type[Metric] | Metric, options: Mapping[str, Any]) -> tuple[str, Metric]:
    if isinstance(metric, Metric):
        if options:
            raise TypeError("an instance of a metric has its options already; give its class")
        return type(metric).__name__, metric
    if isinstance(metric, str):
        metric_class: type[Metric] = PluginHost().metric(metric, Metric).object
        return metric, metric_class(options_of(metric_class).model_validate(options))
    return metric.__name__, metric(options_of(metric).model_validate(options))


def grade(grader: str | Callable[[GraderContext], Any], view: GraderContext | str, /) -> GraderResult:
    """What the grader says of a turn, as a result; a text stands for a turn with that reply.

    ``grader`` is a callable, a class whose instances are, or the name of an installed one. Raises TypeError or
    ValueError for what is no verdict, and whatever the grader raises.
    """
    found: Any = PluginHost().grader(grader).object if isinstance(grader, str) else grader
    if inspect.isclass(found):
        found = found()
    return GraderResult.of(_finished(found(_view(view))))


def match(matcher: str | type[Matcher], expected: JsonValue, actual: Any = ABSENT) -> str | None:
    """None where ``{matcher: expected}`` matches ``actual``, else why not; without ``actual`` the argument is missing.

    ``matcher`` is a class or the name of an installed one. Matchers may stand in ``expected`` where the matcher asks
    for them. Raises ValueError for an ``expected`` that the matcher refuses, TypeError for an answer that is none, and
    whatever the matcher raises.
    """
    made = build_matcher(matcher, expected)
    if actual is ABSENT and not made.accepts_absent:
        return "the argument is missing"
    reason = made.mismatch(ABSENT if actual is ABSENT else to_json(actual))
    check_reason(reason)
    return reason


def build_matcher(matcher: str | type[Matcher], expected: JsonValue) -> Matcher:
    """The matcher that ``{matcher: expected}`` stands for. Raises ValueError for an ``expected`` that it refuses."""
    host = PluginHost()
    matcher_class: type[Matcher] = (
        host.matcher(matcher, Matcher).object if isinstance(matcher, str) else matcher
    )
    builder = MatcherBuilder(host)

    def build(value: JsonValue) -> Matcher:
        nested, faults = builder.of(ArgMatcher.from_yaml(value))
        if faults:
            raise ValueError(faults[0].message)
        return nested

    return matcher_class(expected, build)


def _view(view: GraderContext | str) -> GraderContext:
    return turn(view) if isinstance(view, str) else view


def _finished(found: T | Awaitable[T]) -> T:
    """The result, awaited where it has to be, whether or not an event loop is running."""
    if not inspect.isawaitable(found):
        return found
    awaitable = found

    async def wait() -> T:
        return await awaitable

    return in_own_thread(lambda: asyncio.run(wait()))


def in_own_thread(call: Callable[[], T], limit_s: float | None = None) -> T:
    """What a call returns or raises, made in a thread where no event loop is running.

    Raises TimeoutError where it has not come back after ``limit_s`` seconds; the thread is left.
    """
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(call())
        # boundary: code under test; what it raises is raised again, where it was asked for
        except BaseException as error:  # noqa: BLE001
            failure.append(error)

    thread = threading.Thread(target=run, name="holodeck-testing", daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        raise TimeoutError(f"it has not come back after {limit_s:g} s")
    if failure:
        raise failure[0]
    return outcome[0]
