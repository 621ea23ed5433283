"""From the metrics of a file to metrics that score."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from pydantic import ValidationError

from holodeck_core.api.grader import GraderContext
from holodeck_core.api.metric import Metric
from holodeck_core.api.suite import BoundMetric
from holodeck_core.config.binding.options import options_of
from holodeck_core.config.binding.user_modules import import_object
from holodeck_core.config.messages.expected_keys import keys_of, model_for
from holodeck_core.config.messages.metric_names import meant_type, misplaced
from holodeck_core.config.messages.secret_values import secret_texts
from holodeck_core.config.messages.validate import Place, key_named, sound_part, to_problems, told
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.errors import PluginError, Problem, UnknownName
from holodeck_core.models.evaluation import (
    GRADER_FORM,
    CodeMetric,
    EvaluationMetric,
    MetricType,
    PluginMetric,
)
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.host import PluginHost
from holodeck_core.text import show_value

_TURN_FIELDS = frozenset(field.alias for field in attrs.fields(GraderContext))


class MetricBinder:
    """Resolves metrics and graders. What is named in many places is looked up and imported once.

    ``given`` has graders that need not be looked up, by the names that stand for them. ``secrets`` has those of all
    metrics that were bound.
    """

    def __init__(
        self, host: PluginHost, folder: Path, given: Mapping[str, Callable[..., Any]] | None = None
    ) -> None:
        self._host = host
        self._folder = folder
        self._classes: dict[tuple[str, str], type[Metric]] = {}
        self._graders: dict[str, Any] = dict(given or {})
        self._broken: dict[str, str] = {}
        self.secrets: set[str] = set()

    @property
    def graders(self) -> Iterator[str]:
        """The graders of the user's own code that were found, as ``module.path:callable``."""
        return (name for name in self._graders if ":" in name)

    def bind(
        self, metrics: Sequence[MetricType], place: Place, path: DocumentPath, problems: list[Problem]
    ) -> tuple[BoundMetric, ...]:
        """The metrics that are switched on. ``path`` is where the list stands."""
        for metric in metrics:
            if isinstance(metric, PluginMetric) or getattr(metric, "model", None) is not None:
                self.secrets.update(secret_texts(metric.model_dump(exclude_unset=True)))
        bound = [
            self._bind(metric, place, (*path, index), problems)
            for index, metric in enumerate(metrics)
            if metric.enabled
        ]
        return tuple([metric for metric in bound if metric is not None])

    def check_parts(self, metrics: Any, place: Place, path: DocumentPath, problems: list[Problem]) -> None:
        """Look for what binding would find in a list that has mistakes: in what is sound of each metric."""
        for index, value in enumerate(metrics if isinstance(metrics, list) else ()):
            model = model_for(MetricType, value) if isinstance(value, dict) else None
            metric: Any = None if model is None else sound_part(model, value)
            if metric is not None and metric.enabled:
                self._bind(metric, place, (*path, index), problems)

    def _bind(
        self, model: MetricType, place: Place, path: DocumentPath, problems: list[Problem]
    ) -> BoundMetric | None:
        key, name = ("metric", model.metric) if isinstance(model, EvaluationMetric) else ("type", model.type)
        try:
            metric_class = self._class(key, name)
        except (PluginError, ValueError) as error:
            problems.append(place.problem(told(error), (*path, key)))
            return None
        if isinstance(model, CodeMetric):
            try:
                model.bind(self._grader(model.grader))
            except (PluginError, ValueError) as error:
                problems.append(place.problem(told(error), (*path, "grader")))
                return None
        given: Any = model
        try:
            if type(model) is not getattr(metric_class, "Options", None):
                given = _given(model)
                metric = metric_class(options_of(metric_class).model_validate(given))
            else:
                metric = metric_class(model)
            _ = metric.needs, metric.has_own_rule  # which a plugin may compute
        except ValidationError as error:
            if key == "metric" and _is_refused(error, "type"):
                why = f"`{name}` is a type of its own: write {{type: {name}}}"
                problems.append(place.problem(why, (*path, key)))
                return None
            general = keys_of(type(model))
            problems += to_problems(error, metric_class.Options, given, place, path, also=general)
            return None
        except ValueError as error:
            message = told(error, given)
            keys = given if isinstance(given, dict) else given.model_fields_set
            problems.append(place.problem(message, (*path, *key_named(message, keys))))
            return None
        except BaseException as error:  # noqa: BLE001 - boundary: building a plugin's metric runs its code
            pass_interruptions(error)
            problems.append(place.problem(f"the metric `{name}` failed: {told(error, given)}", path))
            return None
        return BoundMetric(
            name=model.metric_name,
            kind=model.type,
            metric=metric,
            threshold=model.threshold,
            scale=model.scale if isinstance(model, EvaluationMetric) else None,
            fail_on_error=model.fail_on_error,
        )

    def _class(self, key: str, name: str) -> type[Metric]:
        found = self._classes.get((key, name))
        if found is None:
            if (why := misplaced(key, name)) is not None:
                raise ValueError(why)
            try:
                found = self._host.metric(name, Metric).object
            except UnknownName as error:
                if key == "type" and (hint := meant_type(name)):
                    raise ValueError(f"there is no type of metric {show_value(name, 60)}{hint}") from error
                raise
            try:
                if isinstance(found.needs, str):
                    raise TypeError(f"it is the text {show_value(found.needs, 60)}, not a set of names")
                unknown = sorted(set(found.needs) - _TURN_FIELDS)
            except BaseException as error:  # boundary: a plugin's class may make what it needs
                pass_interruptions(error)
                raise ValueError(f"what the metric `{name}` needs cannot be told: {told(error)}") from error
            if unknown:
                raise ValueError(f"the metric `{name}` needs {', '.join(unknown)}, which no turn has")
            self._classes[key, name] = found
        return found

    def _grader(self, name: str) -> Any:
        """The callable that ``module.path:callable``, ``plugin/name`` or an alias of that names."""
        if name in self._broken:
            raise ValueError(self._broken[name])
        if name not in self._graders:
            try:
                self._graders[name] = self._resolved(name)
            except (PluginError, ValueError) as error:
                self._broken[name] = told(error)
                raise
        return self._graders[name]

    def _resolved(self, name: str) -> Any:
        if ":" not in name and "/" not in name and name not in self._host.aliases:
            raise ValueError(f"{GRADER_FORM}{did_you_mean(name, self._host.aliases)}")
        grader = import_object(name, self._folder) if ":" in name else self._host.grader(name).object
        if not callable(grader):
            raise ValueError(f"{name!r} is of type {type(grader).__name__}, which cannot be called")
        _check_signature(name, grader)
        return grader


def _check_signature(name: str, grader: Callable[..., Any]) -> None:
    """Raises ValueError where the grader cannot be called with a turn alone. Of a class an object is made first."""
    if isinstance(grader, type):
        return
    try:
        signature = inspect.signature(grader)
    except BaseException as error:  # noqa: BLE001 - boundary: a plugin's or a user's object may compute its signature
        pass_interruptions(error)
        return
    try:
        signature.bind(None)
    except TypeError as error:
        raise ValueError(f"{name!r} cannot be called with one argument, the turn: {error}") from None


def _is_refused(error: ValidationError, key: str) -> bool:
    return any(each["type"] == "extra_forbidden" and each["loc"] == (key,) for each in error.errors())


def _given(model: MetricType) -> dict[str, Any]:
    """The keys of the metric as its plugin's options model reads them."""
    return model.options if isinstance(model, PluginMetric) else model.model_dump(exclude_unset=True)
