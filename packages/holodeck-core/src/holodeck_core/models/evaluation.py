"""Metrics: what is measured about a turn, by the options that a file gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from holodeck_core.models.base import Number, Prose, StrictModel, Text, Whole, gathered, problem, rule
from holodeck_core.models.code_name import code_name
from holodeck_core.models.llm import LLMProvider
from holodeck_core.models.matcher_shape import is_plugin_name
from holodeck_core.plugins.names import is_name

_GRADER = re.compile(r"[\w.]+:\w+")
GRADER_FORM = "a grader is written `module.path:callable`, or `plugin/name` for a plugin's"


class Metric(StrictModel):
    """What all metrics have in common.

    ``threshold``: the score from which the metric passes; None leaves the verdict to the metric's own rule.
    ``fail_on_error``: an error of this metric ends its case.
    """

    name: Text | None = None
    """The name in results; left out, that of the metric or of the grader. It must be unique
    within its list.
    Example: `amount`
    """
    threshold: Number | None = None
    """The lowest score that passes; left out, the metric's own rule decides. Example: `0.8`"""
    enabled: bool = True
    """`false` switches the metric off."""
    fail_on_error: bool = False
    """`true`: an error of this metric ends its case."""

    @property
    def metric_name(self) -> str:
        """The name that results carry."""
        return self.name or self._own_name()

    def _own_name(self) -> str:
        raise NotImplementedError


class EvaluationMetric(Metric):
    """`type: standard`: the metric named by `metric`. Options that belong to another one have no effect."""

    type: Literal["standard"] = "standard"
    """A metric that is named by `metric`."""
    metric: Text
    """Which metric. Example: `numeric`"""
    scale: Number | None = Field(default=None, gt=0)
    """The highest score that the metric gives, for reports. Example: `5`"""
    model: LLMProvider | None = None
    """The model that judges, for metrics that need one. Example: `{provider: openai, name: gpt-4o-mini}`"""
    retry_on_failure: Whole | None = Field(default=None, ge=0)
    """How often the metric is tried again after an error. Example: `2`"""
    timeout_ms: Whole | None = Field(default=None, gt=0)
    """How long the metric may take, in milliseconds. Example: `5000`"""
    custom_prompt: Prose | None = None
    """The prompt for the model that judges, in place of the metric's own.
    Example: `Is the reply polite?`
    """

    case_insensitive: bool = False
    """`equality`: both sides are compared in lower case."""
    strip_whitespace: bool = False
    """`equality`: white space at the ends is ignored, and any other run of it counts as one space."""
    strip_punctuation: bool = False
    """`equality`: punctuation is ignored, except for the signs and decimal points of numbers."""

    absolute_tolerance: Number = Field(default=1e-6, ge=0)
    """`numeric`: the largest difference that passes. Example: `0.005`"""
    relative_tolerance: Number = Field(default=0.0, ge=0)
    """`numeric`: the largest difference that passes, as a fraction of the ground truth; being
    within one of the two tolerances is enough.
    Example: `0.01`
    """
    accept_percent: bool = False
    """`numeric`: `12.5%` is read as 0.125."""
    accept_thousands_separators: bool = False
    """`numeric`: `206,588` is read as a number."""
    accept_currency: bool = False
    """`numeric`: `$5` and `5 €` are read as numbers."""
    accept_parentheses: bool = False
    """`numeric`: `(5)` is read as -5."""
    extract: Literal["only", "last", "first"] | None = None
    """`numeric`: which number of a reply in prose is compared; left out, the whole reply must be a number.
    `only` fails where there are several.
    Example: `only`
    """
    response_path: Text | None = None
    """`equality`, `numeric`: the place in a reply in JSON whose value is compared.
    Example: `orders[0].total`
    """

    def _own_name(self) -> str:
        return self.metric


class GEvalMetric(Metric):
    """`type: geval`: a language model judges the turn by `criteria`."""

    type: Literal["geval"] = "geval"
    """A language model judges the turn."""
    criteria: Prose
    """What a good reply is, in words. Example: `The reply is polite and answers the question.`"""
    evaluation_steps: list[Text] | None = Field(default=None, min_length=1)
    """The steps in which the model judges; left out, it makes its own.
    Example: `[Read the reply., Say whether it is polite.]`
    """
    evaluation_params: list[Text] = Field(default=["actual_output"], min_length=1)
    """What the model sees of the turn. Example: `[input, actual_output]`"""
    strict_mode: bool = False
    """`true`: the score is 1 or 0, and nothing between."""
    model: LLMProvider | None = None
    """The model that judges. Example: `{provider: openai, name: gpt-4o-mini}`"""

    def _own_name(self) -> str:
        return self.type


class RAGMetric(Metric):
    """`type: rag`: how well the reply is grounded in the retrieved context."""

    type: Literal["rag"] = "rag"
    """How well the reply and the retrieved context fit each other."""
    metric_type: Literal[
        "faithfulness",
        "answer_relevancy",
        "contextual_precision",
        "contextual_recall",
        "contextual_relevancy",
    ]
    """What is measured. Example: `faithfulness`"""
    threshold: Number | None = 0.5
    """The score from which a turn passes. Example: `0.8`"""
    include_reason: bool = True
    """Whether the result says why."""
    model: LLMProvider | None = None
    """The model that judges. Example: `{provider: openai, name: gpt-4o-mini}`"""

    def _own_name(self) -> str:
        return self.metric_type


def _grader(grader: str) -> str:
    # A bare name may be an alias of the file; that is known when names are resolved.
    if _GRADER.fullmatch(grader) or is_plugin_name(grader) or is_name(grader):
        return grader
    raise rule(GRADER_FORM)


class CodeMetric(Metric):
    """`type: code`: a Python callable grades the turn.

    The loader resolves `grader` once and keeps the callable here (``bind``); it is never serialised.
    ``timeout_s`` bounds each call, in seconds.
    """

    type: Literal["code"] = "code"
    """A Python function grades the turn."""
    grader: Annotated[str, AfterValidator(_grader)]
    """The function: `module.path:callable`, importable from the agent file's folder, or a plugin's
    `plugin/name`, or an alias of that.
    Example: `graders:mentions_price`
    """
    timeout_s: Number = Field(default=30.0, gt=0)
    """How long one call may take, in seconds. Example: `5`"""

    _callable: Callable[..., Any] | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, grader: Callable[..., Any], **options: Any) -> Self:
        """A metric of the function itself, for suites that are built in code. ``options`` are its other keys."""
        metric = cls(grader=code_name(grader), **options)
        metric.bind(grader)
        return metric

    @property
    def callable(self) -> Callable[..., Any] | None:
        """The grader itself, None until it is bound."""
        return self._callable

    def bind(self, grader: Callable[..., Any]) -> None:
        """Keep the callable that `grader` names."""
        self._callable = grader

    def _own_name(self) -> str:
        return self.grader.rpartition(":")[2]


class PluginMetric(Metric):
    """A metric of any other `type`. Its further keys are options, which the plugin's options model checks."""

    model_config = ConfigDict(extra="allow")

    type: Text
    """The metric of a plugin, as `plugin/name`; the keys that are not named here are its own.
    Example: `acme/pii`
    """

    @property
    def options(self) -> dict[str, Any]:
        """The keys that belong to the plugin, as they were written."""
        return dict(self.__pydantic_extra__ or {})

    def _own_name(self) -> str:
        return self.type


_MODELS: dict[str, type[Metric]] = {
    "standard": EvaluationMetric,
    "geval": GEvalMetric,
    "rag": RAGMetric,
    "code": CodeMetric,
}


def _metric(value: Any, handler: ValidatorFunctionWrapHandler) -> Metric:
    """The model that `type` asks for. (A tagged union would put its tag into the places of errors.)"""
    if isinstance(value, Metric):
        return value
    if not isinstance(value, Mapping):
        raise rule("a metric is a mapping with a `type`, such as {type: standard, metric: equality}")
    kind = value.get("type")
    if not isinstance(kind, str):
        known = ", ".join(_MODELS)
        raise rule(f"a metric needs a `type`: {known}, or a plugin's `plugin/name`")
    return _MODELS.get(kind, PluginMetric).model_validate(value)


MetricType: TypeAlias = Annotated[
    EvaluationMetric | GEvalMetric | RAGMetric | CodeMetric | PluginMetric, WrapValidator(_metric)
]


def _distinct(value: Any, handler: ValidatorFunctionWrapHandler) -> list[Metric]:
    seen: dict[str, int] = {}
    problems = []
    for index, item in enumerate(value if isinstance(value, list) else ()):
        name = _enabled_name(item)
        if name is not None and seen.setdefault(name, index) != index:
            message = (
                f"two metrics here are named {name!r}, this and [{seen[name]}]: give each a `name` of its own"
            )
            problems.append(problem((index,), message))
    try:
        metrics: list[Metric] = handler(value)
    except ValidationError as error:
        raise gathered("metrics", problems, error) from None
    if problems:
        raise gathered("metrics", problems)
    return metrics


def _enabled_name(item: Any) -> str | None:
    """The name under which the metric's results would be kept; None where it gives none or is malformed."""
    if isinstance(item, Metric):
        return item.metric_name if item.enabled else None
    if not isinstance(item, Mapping) or item.get("enabled") is False:
        return None
    key = {"standard": "metric", "rag": "metric_type", "code": "grader"}.get(str(item.get("type")), "type")
    name = item.get("name") or item.get(key)
    if not isinstance(name, str):
        return None
    return name if item.get("name") or key != "grader" else name.rpartition(":")[2]


Metrics: TypeAlias = Annotated[list[MetricType], WrapValidator(_distinct)]


class EvaluationConfig(StrictModel):
    """`evaluations` of an agent: the metrics for every turn, and the model for those metrics that need one."""

    model: LLMProvider | None = None
    """The model that judges, for metrics that need one and name none.
    Example: `{provider: openai, name: gpt-4o-mini}`
    """
    metrics: Metrics = Field(default_factory=list)
    """The metrics, in the order of the report. Example: `[{type: standard, metric: equality}]`"""
