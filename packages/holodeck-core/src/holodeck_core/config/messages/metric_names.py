"""What to say of a metric's name that stands under `type` but belongs under `metric`, or the other way. Pure."""

from __future__ import annotations

from typing import Final

from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.models.evaluation import CodeMetric, GEvalMetric, RAGMetric
from holodeck_core.plugins.names import FIRST_PARTY_NAMES

STANDARD: Final = "standard"
_OWN_TYPES: Final = frozenset(
    model.model_fields["type"].default for model in (CodeMetric, GEvalMetric, RAGMetric)
)
_STANDARD_NAMES: Final = frozenset(FIRST_PARTY_NAMES["metric"]) - _OWN_TYPES


def misplaced(key: str, name: str) -> str | None:
    """Why the name cannot stand under ``key`` (`type` or `metric`); None where it may."""
    if key == "type" and name in _STANDARD_NAMES:
        return f"`{name}` is a standard metric: write {{type: {STANDARD}, metric: {name}}}"
    if key == "metric" and name in _OWN_TYPES:
        return f"`{name}` is a type of its own: write {{type: {name}}}"
    return None


def meant_type(name: str) -> str:
    """``; did you mean …?`` for a type that nothing contributes; the types that are built in are known to no plugin."""
    return did_you_mean(name, sorted({STANDARD, *_OWN_TYPES} - {name}))
