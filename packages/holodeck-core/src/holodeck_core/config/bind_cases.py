"""From the cases of a file to cases that run."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any, Literal

import attrs

from holodeck_core.api.backend import Backend
from holodeck_core.api.matcher import Matcher
from holodeck_core.api.reply import UserMessage
from holodeck_core.api.suite import BoundCase, BoundMetric, BoundTurn
from holodeck_core.api.tool_checks import Expectation, ToolChecks, ToolName, ToolOrder
from holodeck_core.api.values import EMPTY_DICT, to_json
from holodeck_core.config.bind_metrics import MetricBinder
from holodeck_core.config.build_matcher import MatcherBuilder, MatcherError, path_of
from holodeck_core.config.validate import Path, Place
from holodeck_core.errors import Problem
from holodeck_core.models.arg_matcher import ArgMatcher
from holodeck_core.models.test_case import ExpectedTool, FileInput, ForbiddenTool, TestCaseModel, Turn


@attrs.frozen(kw_only=True)
class CaseDefaults:
    """What holds for a case that does not say otherwise."""

    metrics: tuple[BoundMetric, ...]
    tool_order: ToolOrder
    extra_calls: Literal["allow", "forbid"]
    on_turn_failure: Literal["continue", "stop"]


class CaseBinder:
    """Binds the cases of one suite. ``folder`` is where paths in the case file start from."""

    def __init__(
        self,
        *,
        matchers: MatcherBuilder,
        metrics: MetricBinder,
        backend: Backend | None,
        defaults: CaseDefaults,
        folder: FilePath,
    ) -> None:
        self._matchers = matchers
        self._metrics = metrics
        self._backend = backend
        self._defaults = defaults
        self._folder = folder

    def bind(
        self, model: TestCaseModel, index: int, place: Place, path: Path, source: str, problems: list[Problem]
    ) -> BoundCase:
        """The bound case; what could not be bound goes to ``problems``, and the case is then not fit to run."""
        metrics = self._defaults.metrics
        if model.turns is None:
            turns: tuple[BoundTurn, ...] = (self._turn(model, metrics, place, path, problems),)
        else:
            if model.evaluations is not None:
                metrics = self._metrics.bind(model.evaluations, place, (*path, "evaluations"), problems)
            turns = tuple(
                self._turn(turn, metrics, place, (*path, "turns", number), problems)
                for number, turn in enumerate(model.turns)
            )
        case = BoundCase(
            index=index,
            turns=turns,
            name=model.name,
            multi_turn=model.turns is not None,
            conversation=model.conversation,
            tags=tuple(model.tags),
            on_turn_failure=model.on_turn_failure or self._defaults.on_turn_failure,
            source=source,
        )
        trouble = self._backend.check_case(case.ref) if self._backend is not None else None
        if trouble is not None:
            problems.append(place.problem(trouble, path))
        return case

    def _turn(
        self,
        model: Turn | TestCaseModel,
        metrics: tuple[BoundMetric, ...],
        place: Place,
        path: Path,
        problems: list[Problem],
    ) -> BoundTurn:
        if model.evaluations is not None:
            metrics = self._metrics.bind(model.evaluations, place, (*path, "evaluations"), problems)
        return BoundTurn(
            message=UserMessage(model.input or "", self._files(model.files) if model.files else ()),
            ground_truth=model.ground_truth,
            tools=self._tools(model, place, path, problems),
            metrics=metrics,
            retrieval_context=None if model.retrieval_context is None else tuple(model.retrieval_context),
            turn_config=to_json(model.turn_config) if model.turn_config else EMPTY_DICT,
            expected_tools=None
            if model.expected_tools is None
            else [_as_written(tool) for tool in model.expected_tools],
        )

    def _files(self, files: list[FileInput]) -> tuple[FileInput, ...]:
        return tuple(
            file if file.path is None else file.model_copy(update={"path": str(self._folder / file.path)})
            for file in files
        )

    def _tools(
        self, model: Turn | TestCaseModel, place: Place, path: Path, problems: list[Problem]
    ) -> ToolChecks | None:
        if model.expected_tools is None and model.forbidden_tools is None and model.extra_calls is None:
            return None
        expectations = None
        if model.expected_tools is not None:
            below = (*path, "expected_tools")
            expectations = tuple(
                [
                    expectation
                    for index, tool in enumerate(model.expected_tools)
                    if (expectation := self._expectation(tool, place, (*below, index), problems)) is not None
                ]
            )
        return ToolChecks(
            expectations=expectations,
            forbidden=tuple(
                [
                    name
                    for index, tool in enumerate(model.forbidden_tools or ())
                    if (name := _forbidden(tool, place, (*path, "forbidden_tools", index), problems))
                    is not None
                ]
            ),
            order=model.tool_order or self._defaults.tool_order,
            forbid_extra_calls=self._forbids_extra_calls(model),
        )

    def _forbids_extra_calls(self, model: Turn | TestCaseModel) -> bool:
        if model.extra_calls is not None:
            return model.extra_calls == "forbid"
        return model.expected_tools is not None and self._defaults.extra_calls == "forbid"

    def _expectation(
        self, tool: str | ExpectedTool, place: Place, path: Path, problems: list[Problem]
    ) -> Expectation | None:
        if isinstance(tool, str):
            return Expectation(tool=ToolName(tool))
        before = len(problems)
        args = [
            (name, self._matcher(expected, place, (*path, "args", name), problems))
            for name, expected in (tool.args or {}).items()
        ]
        result = (
            None if tool.result is None else self._matcher(tool.result, place, (*path, "result"), problems)
        )
        name = _tool_name(tool, place, path, problems)
        if len(problems) > before or name is None:
            return None
        return Expectation(
            tool=name,
            args=tuple([(argument, matcher) for argument, matcher in args if matcher is not None]),
            args_asserted={argument: expected.to_yaml() for argument, expected in (tool.args or {}).items()},
            count=tool.count,
            max_count=tool.max_count,
            forbid_extra_args=tool.extra_args == "forbid",
            status=tool.status,
            result=result,
        )

    def _matcher(
        self, expected: ArgMatcher, place: Place, path: Path, problems: list[Problem]
    ) -> Matcher | None:
        try:
            return self._matchers.of(expected)
        except MatcherError as error:
            below = path_of(error.value, expected.to_yaml()) or ()
            problems.append(place.problem(str(error), (*path, *below, error.kind)))
            return None


def _tool_name(
    tool: ExpectedTool | ForbiddenTool, place: Place, path: Path, problems: list[Problem]
) -> ToolName | None:
    try:
        return ToolName(tool.name, tool.match)
    except ValueError as error:
        problems.append(place.problem(str(error), (*path, "name")))
        return None


def _forbidden(
    tool: str | ForbiddenTool, place: Place, path: Path, problems: list[Problem]
) -> ToolName | None:
    return ToolName(tool, "exact") if isinstance(tool, str) else _tool_name(tool, place, path, problems)


def _as_written(tool: str | ExpectedTool) -> str | dict[str, Any]:
    return tool if isinstance(tool, str) else tool.model_dump(mode="json", exclude_defaults=True)
