"""From the cases of a file to cases that run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import attrs

from holodeck_core.api.backend import Backend, CaseRef
from holodeck_core.api.faults import describe
from holodeck_core.api.reply import UserMessage
from holodeck_core.api.suite import BoundCase, BoundMetric, BoundTurn
from holodeck_core.api.values import EMPTY_DICT, to_json
from holodeck_core.config.binding.fingerprint import content_hash
from holodeck_core.config.binding.matchers import MatcherBuilder
from holodeck_core.config.binding.metrics import MetricBinder
from holodeck_core.config.binding.tools import ToolBinder
from holodeck_core.config.messages.validate import Place
from holodeck_core.config.messages.wording import foreign
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import Problem
from holodeck_core.models.test_case import ExpectedTool, FileInput, TestCaseModel, ToolOrder, Turn
from holodeck_core.plugins.foreign import pass_interruptions


@attrs.frozen(kw_only=True)
class CaseDefaults:
    """What holds for a case that does not say otherwise."""

    metrics: tuple[BoundMetric, ...]
    tool_order: ToolOrder
    extra_calls: Literal["allow", "forbid"]
    on_turn_failure: Literal["continue", "stop"]

    def rules(self) -> tuple[str, ...]:
        """What decides about a case without standing in it."""
        return self.tool_order, self.extra_calls, self.on_turn_failure


class CaseBinder:
    """Binds the cases of one suite. ``folder`` is where paths in the case file start from."""

    def __init__(
        self,
        *,
        matchers: MatcherBuilder,
        metrics: MetricBinder,
        backend: Backend | None,
        defaults: CaseDefaults,
        folder: Path,
    ) -> None:
        self._tools = ToolBinder(matchers, defaults.tool_order, defaults.extra_calls)
        self._metrics = metrics
        self._backend = backend
        # Most backends accept every case; those are not asked each time.
        self._asks_backend = backend is not None and type(backend).check_case is not Backend.check_case
        self._defaults = defaults
        self._rules = defaults.rules()
        self._folder = folder.absolute()  # an agent may change the working directory

    def bind(
        self,
        model: TestCaseModel,
        index: int,
        place: Place,
        path: DocumentPath,
        source: str | None,
        problems: list[Problem],
    ) -> BoundCase:
        """The bound case; what could not be bound goes to ``problems``, and the case is then not fit to run."""
        metrics = self._defaults.metrics
        if model.turns is None:
            turns: tuple[BoundTurn, ...] = (self._turn(model, metrics, place, path, problems),)
        else:
            if model.evaluations is not None:
                metrics = self._metrics.bind(model.evaluations, place, (*path, "evaluations"), problems)
            turns = tuple(
                [
                    self._turn(turn, metrics, place, (*path, "turns", number), problems)
                    for number, turn in enumerate(model.turns)
                ]
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
            repeat=model.repeat,
            min_pass_rate=model.min_pass_rate,
        )
        if self._asks_backend:
            self._ask_backend(case.ref, place, path, problems)
        return case

    def content_hash(self, value: Any) -> str:
        """The hash of what is written, and of what holds for it besides: where they are the same, so is the case."""
        return content_hash([value, self._rules])

    def check_parts(
        self, value: Any, index: int, place: Place, path: DocumentPath, problems: list[Problem]
    ) -> None:
        """Look for what binding would find in a case that has mistakes: in all those parts of it that have none."""
        if not isinstance(value, dict):
            return
        turns = value.get("turns")
        parts = [(path, value)]
        parts += [
            ((*path, "turns", n), turn) for n, turn in enumerate(turns if isinstance(turns, list) else ())
        ]
        for below, turn in parts:
            if isinstance(turn, dict):
                self._metrics.check_parts(turn.get("evaluations"), place, (*below, "evaluations"), problems)
                self._tools.check_parts(turn, place, below, problems)
        name, conversation = value.get("name"), value.get("conversation")
        if self._asks_backend and all(isinstance(text, str | None) for text in (name, conversation)):
            self._ask_backend(CaseRef(index, name, conversation), place, path, problems)

    def _turn(
        self,
        model: Turn | TestCaseModel,
        metrics: tuple[BoundMetric, ...],
        place: Place,
        path: DocumentPath,
        problems: list[Problem],
    ) -> BoundTurn:
        if model.evaluations is not None:
            metrics = self._metrics.bind(model.evaluations, place, (*path, "evaluations"), problems)
        return BoundTurn(
            message=UserMessage(model.input or "", self._files(model.files) if model.files else ()),
            ground_truth=model.ground_truth,
            tools=self._tools.bind(model, place, path, problems),
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

    def _ask_backend(self, case: CaseRef, place: Place, path: DocumentPath, problems: list[Problem]) -> None:
        assert self._backend is not None
        try:
            trouble = self._backend.check_case(case)
        except BaseException as error:  # noqa: BLE001 - boundary: a plugin's backend is asked
            pass_interruptions(error)
            trouble = f"the provider failed to check this case: {describe(error)}"
        if trouble is not None:
            problems.append(place.problem(foreign(trouble), path))


_COMMON: Final = frozenset(("name", "args"))


def _as_written(tool: str | ExpectedTool) -> str | dict[str, Any]:
    if isinstance(tool, str):
        return tool
    if (
        tool.args is not None and tool.model_fields_set == _COMMON
    ):  # the same as below, in a third of the time
        return {"name": tool.name, "args": {name: expected.to_yaml() for name, expected in tool.args.items()}}
    return tool.model_dump(mode="json", exclude_defaults=True)
