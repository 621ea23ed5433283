"""From the metrics of a file to metrics that score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

from pydantic import BaseModel, ValidationError

from holodeck_core.api.faults import USER_FAULTS, describe
from holodeck_core.api.metric import Metric
from holodeck_core.api.suite import BoundMetric
from holodeck_core.config.user_modules import import_object
from holodeck_core.config.validate import Path, Place, to_problems
from holodeck_core.errors import PluginError, Problem
from holodeck_core.models.evaluation import CodeMetric, EvaluationMetric, MetricType, PluginMetric
from holodeck_core.plugins.host import PluginHost


class MetricBinder:
    """Resolves metrics and graders. A grader that is named in many places is imported once."""

    def __init__(self, host: PluginHost, folder: FilePath) -> None:
        self._host = host
        self._folder = folder
        self._graders: dict[str, Any] = {}

    def bind(
        self, metrics: Sequence[MetricType], place: Place, path: Path, problems: list[Problem]
    ) -> tuple[BoundMetric, ...]:
        """The metrics that are switched on. ``path`` is where the list stands."""
        bound = [
            self._bind(metric, place, (*path, index), problems)
            for index, metric in enumerate(metrics)
            if metric.enabled
        ]
        return tuple(metric for metric in bound if metric is not None)

    def _bind(
        self, model: MetricType, place: Place, path: Path, problems: list[Problem]
    ) -> BoundMetric | None:
        key, name = ("metric", model.metric) if isinstance(model, EvaluationMetric) else ("type", model.type)
        try:
            metric_class: type[Metric] = self._host.metric(name, Metric).object
        except PluginError as error:
            problems.append(place.problem(str(error), (*path, key)))
            return None
        if isinstance(model, CodeMetric):
            try:
                model.bind(self._grader(model.grader))
            except (PluginError, ValueError) as error:
                problems.append(place.problem(str(error), (*path, "grader")))
                return None
        try:
            metric = metric_class(_options(model, metric_class))
        except ValidationError as error:
            problems.extend(to_problems(error, place, path))
            return None
        except ValueError as error:
            problems.append(place.problem(str(error), path))
            return None
        except USER_FAULTS as error:  # boundary: building a plugin's metric runs its code
            problems.append(place.problem(f"the metric `{name}` failed: {describe(error)}", path))
            return None
        return BoundMetric(
            name=model.metric_name,
            kind=model.type,
            metric=metric,
            threshold=model.threshold,
            scale=model.scale if isinstance(model, EvaluationMetric) else None,
            fail_on_error=model.fail_on_error,
        )

    def _grader(self, name: str) -> Any:
        """The callable that ``module.path:callable`` or ``plugin/name`` names."""
        if name not in self._graders:
            grader = import_object(name, self._folder) if ":" in name else self._host.grader(name).object
            if not callable(grader):
                raise ValueError(f"{name!r} is a {type(grader).__name__}, which cannot be called")
            self._graders[name] = grader
        return self._graders[name]


def _options(model: MetricType, metric_class: type[Metric]) -> BaseModel:
    if isinstance(model, PluginMetric):
        return metric_class.Options.model_validate(model.options)
    if type(model) is metric_class.Options:
        return model
    return metric_class.Options.model_validate(model.model_dump(exclude_unset=True))
