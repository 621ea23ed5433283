"""What in a list of metrics, or between it and a turn's ground truth, can never fail or never pass. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import attrs

from holodeck_core.api.suite import BoundMetric
from holodeck_core.models.evaluation import EvaluationMetric, MetricType
from holodeck_core.text import shorten, show_value


class Found(NamedTuple):
    """A warning: the path to its place, below the place that was judged, and what it says.

    ``unchecked``: it says why something is not checked at all.
    """

    path: tuple[str | int, ...]
    message: str
    unchecked: bool = False

    def below(self, *path: str | int) -> Found:
        """The same, as seen from further above."""
        return self._replace(path=(*path, *self.path))


GROUND_TRUTH: Final = "ground_truth"

_OWNER: Final = {
    **dict.fromkeys(("case_insensitive", "strip_whitespace", "strip_punctuation"), "equality"),
    **dict.fromkeys(
        (
            "absolute_tolerance",
            "relative_tolerance",
            "accept_percent",
            "accept_thousands_separators",
            "accept_currency",
            "accept_parentheses",
            "extract",
        ),
        "numeric",
    ),
}
_EXACT: Final = frozenset(_OWNER.values())  # their score is 0 or 1, and no language model takes part
_LONGEST: Final = 60
_DIGIT: Final = re.compile(r"\d")
_ZERO: Final = re.compile(r"\s*[-+\u2212]?0(?:\.0+)?\s*")


@attrs.frozen
class Judgement:
    """What a list of metrics can decide about a turn.

    ``with_truth`` and ``without_truth``: whether some metric can pass or fail a turn that has a ground truth, and one
    that has none. ``starves``: whether some metric needs a ground truth. ``numeric``: the metrics that read it as a
    number, ``relative`` those of them that allow only a share of it.
    """

    with_truth: bool
    without_truth: bool
    starves: bool
    numeric: tuple[EvaluationMetric, ...]
    relative: tuple[EvaluationMetric, ...]

    @classmethod
    def of(cls, metrics: Sequence[BoundMetric]) -> Judgement:
        deciding = [metric for metric in metrics if not _is_informational(metric)]
        # A plugin's metric keeps its options or does not.
        options = [getattr(metric.metric, "options", None) for metric in metrics]
        numeric = [o for o in options if isinstance(o, EvaluationMetric) and o.metric == "numeric"]
        return cls(
            with_truth=bool(deciding),
            without_truth=not all(map(needs_truth, deciding)),
            starves=any(map(needs_truth, metrics)),
            numeric=tuple(numeric),
            relative=tuple([o for o in numeric if o.relative_tolerance and not o.absolute_tolerance]),
        )

    def doubts(self, truth: str) -> bool:
        """Whether ``of_truth`` may have something to say: the same, quickly."""
        if not self.numeric:
            return False
        return bool(self.relative) or not (truth[-1].isdecimal() or _DIGIT.search(truth))

    def of_truth(self, truth: str) -> list[str]:
        """Why a turn of this ground truth cannot pass, or not in the way that its metrics suggest."""
        if _DIGIT.search(truth) is None:
            return [
                f"the metric {_named(options.metric_name)} compares numbers, and {show_value(truth, _LONGEST)} "
                "is none: it can never pass; give this turn other `evaluations`"
                for options in self.numeric
            ]
        if not _ZERO.fullmatch(truth):
            return []
        return [
            f"the `relative_tolerance` of the metric {_named(options.metric_name)} is a share of the ground truth, "
            "so that it allows nothing but 0 here; set `absolute_tolerance`"
            for options in self.relative
        ]


def needs_truth(metric: BoundMetric) -> bool:
    """Whether the metric is skipped where there is no ground truth."""
    return GROUND_TRUTH in metric.metric.needs


def _named(metric: str) -> str:
    return f"`{shorten(metric, _LONGEST)}`"


def _is_informational(metric: BoundMetric) -> bool:
    return metric.threshold is None and not metric.metric.has_own_rule


def metric_warnings(models: Sequence[MetricType], bound: Sequence[BoundMetric]) -> Iterator[Found]:
    """What is wrong with metrics wherever they apply. ``bound`` are those of ``models`` that are switched on."""
    for index, model, metric in enabled(models, bound):
        if _is_informational(metric):
            yield Found(
                (index,),
                f"the metric {_named(metric.name)} gives a score and no verdict: it can never fail; set a `threshold`",
                unchecked=True,
            )
        if isinstance(model, EvaluationMetric) and model.metric in _EXACT:
            for key, message in _without_effect(model):
                yield Found((index, key), message)


def starved(models: Sequence[MetricType], bound: Sequence[BoundMetric], where: str) -> Iterator[Found]:
    """The metrics that need a ground truth, for turns that have none. ``where`` says which those are."""
    for index, _, metric in enabled(models, bound):
        if needs_truth(metric):
            message = (
                f"the metric {_named(metric.name)} needs a `{GROUND_TRUTH}`, and {where}: it can never fail"
            )
            yield Found((index,), message, unchecked=True)


def enabled(
    models: Sequence[MetricType], bound: Sequence[BoundMetric]
) -> Iterator[tuple[int, MetricType, BoundMetric]]:
    """Each metric that is switched on: its index in the file, as it is written, and bound."""
    written = [(index, model) for index, model in enumerate(models) if model.enabled]
    for (index, model), metric in zip(written, bound, strict=True):
        yield index, model, metric


def _without_effect(model: EvaluationMetric) -> Iterator[tuple[str, str]]:
    """What is set on a metric that gives 0 or 1, and changes nothing or everything."""
    name = model.metric
    for key in ("model", "custom_prompt"):
        if getattr(model, key) is not None:
            yield key, f"`{key}` has no effect: `{name}` asks no language model"
    for key, owner in _OWNER.items():
        if owner != name and getattr(model, key) != EvaluationMetric.model_fields[key].default:
            yield key, f"`{key}` has no effect on `{name}`: it belongs to `{owner}`"
    if model.threshold is not None and not 0 < model.threshold <= 1:
        never = "fail" if model.threshold <= 0 else "pass"
        yield "threshold", f"`{name}` scores 0 or 1: with this threshold it can never {never}"
