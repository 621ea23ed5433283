"""What a suite says that can never fail, or never pass: told while it is loaded, with its place. Pure.

Whatever is told here is so for every reply that an agent may give: where a plugin, an agent's own tools or a later
override could make a difference, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from holodeck_core.api.suite import BoundCase, BoundMetric, BoundTurn
from holodeck_core.config.messages.validate import Place
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.config.warnings.case_names import CaseNames
from holodeck_core.config.warnings.metrics import GROUND_TRUTH, Found, Judgement, metric_warnings, starved
from holodeck_core.config.warnings.tools import ConfiguredTools, asserts_something, tool_warnings
from holodeck_core.errors import Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.evaluation import MetricType
from holodeck_core.models.test_case import TestCaseModel, Turn
from holodeck_core.text import shorten

MAX_WARNINGS: Final = 100
AGENT_METRICS: Final = ("evaluations", "metrics")
_UNUSED: Final = (
    f"no metric uses this `{GROUND_TRUTH}`: "
    "add one to `evaluations`, such as {type: standard, metric: equality}"
)


class SuiteWarnings:
    """Gathers the warnings of one suite, case by case. Of those of its cases, the first ``MAX_WARNINGS`` are kept and
    the others counted; a case that has mistakes must not be given."""

    def __init__(self, agent: Agent, metrics: tuple[BoundMetric, ...]) -> None:
        """``metrics`` are those of the agent, bound: what holds where neither a case nor a turn sets its own."""
        self._agent = agent
        self._metrics = metrics
        self._judgement = Judgement.of(metrics)
        self._tools = ConfiguredTools(agent)
        self._names = CaseNames()
        self._cases = 0
        self._truth_met = False
        self._kept: list[Problem] = []
        self._left_out = 0

    def add_case(
        self, case: BoundCase, model: TestCaseModel, place: Place, path: DocumentPath, line: int
    ) -> None:
        """Judge a case that was bound without mistakes: ``model`` stands in ``line``, in ``place`` at ``path``."""
        self._cases += 1
        for found in self._case(case, model, line):
            if len(self._kept) < MAX_WARNINGS:
                self._kept.append(place.problem(found.message, (*path, *found.path)))
            else:
                self._left_out += 1

    def gathered(self, document: Place) -> tuple[Problem, ...]:
        """The warnings, once all cases were given: those about the agent file first, at last a count of what was
        left out. ``document`` is the agent file."""
        own = [
            document.problem(found.message, (*AGENT_METRICS, *found.path)) for found in self._of_the_agent()
        ]
        more = [Problem(f"and {self._left_out} more warnings")] if self._left_out else []
        return (*own, *self._kept, *more)

    def _of_the_agent(self) -> Iterator[Found]:
        models = self._agent.evaluations.metrics if self._agent.evaluations else ()
        yield from metric_warnings(models, self._metrics)
        if self._judgement.starves and self._cases and not self._truth_met:
            yield from starved(models, self._metrics, "no turn that it applies to has one")

    def _case(self, case: BoundCase, model: TestCaseModel, line: int) -> list[Found]:
        # This is done for each of a million cases that are in order: what finds nothing has to be quick.
        found: list[Found] = []
        if case.name is not None and (first := self._names.first(case.name, line)) is not None:
            name = shorten(case.name, 60)
            found.append(Found(("name",), f'two cases are named "{name}": this and the one in line {first}'))
        if model.min_pass_rate == 0:
            found.append(Found(("min_pass_rate",), "with a pass rate of 0 the case can never fail"))
        own, checked, turns = self._metrics, False, model.turns
        for number, turn in enumerate(case.turns):
            metrics, truth = turn.metrics, turn.ground_truth
            if metrics is own:
                judgement = self._judgement
                self._truth_met = self._truth_met or truth is not None
            else:
                judgement = Judgement.of(metrics)
            if not checked:
                decided = judgement.without_truth if truth is None else judgement.with_truth
                checked = decided or asserts_something(turn.tools)
            written = model if turns is None else turns[number]
            if below := self._turn(turn, written, judgement):
                found += below if turns is None else [each.below("turns", number) for each in below]
        if turns is not None and model.evaluations:
            found += [each.below("evaluations") for each in _case_metrics(case, turns, model.evaluations)]
        if not checked and not any(each.unchecked for each in found):
            found.append(Found((), _why_unchecked(case)))
        return found

    def _turn(self, turn: BoundTurn, model: Turn | TestCaseModel, judgement: Judgement) -> list[Found]:
        found: list[Found] = []
        truth, tools = turn.ground_truth, turn.tools
        if model.evaluations:
            below = list(metric_warnings(model.evaluations, turn.metrics))
            if truth is None and judgement.starves:
                below += starved(model.evaluations, turn.metrics, "this turn has none")
            found += [each.below("evaluations") for each in below]
        if truth is not None:
            if judgement.doubts(truth):
                found += [Found((GROUND_TRUTH,), message) for message in judgement.of_truth(truth)]
            elif not turn.metrics:
                found.append(Found((GROUND_TRUTH,), _UNUSED, unchecked=True))
        if model.tool_order or model.extra_calls or (tools is not None and tools.forbidden):
            found += tool_warnings(model, tools)
        if tools is not None and not self._tools.are_fine(tools):
            found += self._tools.warnings(model, tools)
        return found


def _case_metrics(case: BoundCase, turns: Sequence[Turn], models: Sequence[MetricType]) -> Iterator[Found]:
    """Of the metrics that a case sets for all its turns."""
    heirs = [turn for turn, written in zip(case.turns, turns, strict=True) if written.evaluations is None]
    if not heirs:
        yield Found((), "these metrics can never fail: every turn sets `evaluations` of its own")
        return
    yield from metric_warnings(models, heirs[0].metrics)
    if all(turn.ground_truth is None for turn in heirs):
        yield from starved(models, heirs[0].metrics, "no turn that it applies to has one")


def _why_unchecked(case: BoundCase) -> str:
    if any(turn.metrics for turn in case.turns):
        return f"nothing is checked in this case: its metrics lack a `{GROUND_TRUTH}` or a `threshold`"
    return "nothing is checked in this case: set `expected_tools` or a metric"
