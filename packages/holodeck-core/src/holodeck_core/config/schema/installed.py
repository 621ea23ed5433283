"""What the installed plugins add to a schema: names, and the options behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel

from holodeck_core.api.backend import Backend
from holodeck_core.api.metric import Metric
from holodeck_core.config.schema.keywords import Schema, definition
from holodeck_core.config.schema.models import ModelSchemas
from holodeck_core.errors import PluginError
from holodeck_core.models.evaluation import CodeMetric, EvaluationMetric, GEvalMetric, RAGMetric
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.records import full_name

# Options that the core's own models describe.
_OWN_MODELS: Final = (EvaluationMetric, GEvalMetric, RAGMetric, CodeMetric)
_BASES: Final = {"metric": Metric, "backend": Backend}


class Installed(NamedTuple):
    """A metric or a backend that is available: its name in a file, what it is, its class, the schema of its options.

    ``options`` is None where nothing can be said about them, or the core's own models say it.
    """

    name: str
    summary: str
    target: Any
    options: Schema | None

    @property
    def is_standard(self) -> bool:
        """Whether a metric may be named under ``type: standard``."""
        return self._is_third_party or self._has_standard_options

    @property
    def is_type(self) -> bool:
        """Whether a metric may be named as a ``type``."""
        return self._is_third_party or not self._has_standard_options

    @property
    def needs_instructions(self) -> bool:
        """Whether a backend cannot be run without them."""
        return _attribute(self.target, "needs_instructions") is True

    @property
    def _is_third_party(self) -> bool:
        return "/" in self.name

    @property
    def _has_standard_options(self) -> bool:
        options = _options_model(self.target)
        return options is not None and issubclass(options, EvaluationMetric)


def names(host: PluginHost, kind: Kind) -> dict[str, str]:
    """The names that can be written for a kind, each with what it is. Nothing that they name is imported."""
    return {
        full_name(record.id, contribution.name): contribution.summary
        for record in host.records()
        for contribution in record.contributions.get(kind, ())
    }


def installed(
    host: PluginHost, kind: Literal["metric", "backend"], schemas: ModelSchemas
) -> Iterator[Installed]:
    """The contributions of a kind that are available, by plugin; the definitions that they need go to ``schemas``."""
    for name, summary in names(host, kind).items():
        try:
            target = host.resolve(kind, name, _BASES[kind]).object
        except PluginError:  # what cannot be loaded cannot be used in a file either
            continue
        yield Installed(name, summary, target, _options(target, schemas, f"{definition(kind, name)}."))


def _attribute(target: Any, name: str) -> Any:
    try:
        return getattr(target, name, None)
    except BaseException as error:  # noqa: BLE001 - boundary: the class of a plugin may compute it
        pass_interruptions(error)
        return None


def _options_model(target: Any) -> type[BaseModel] | None:
    options = _attribute(target, "Options")
    return options if isinstance(options, type) and issubclass(options, BaseModel) else None


def _options(target: Any, schemas: ModelSchemas, prefix: str) -> Schema | None:
    model = _options_model(target)
    if model is None or model in _OWN_MODELS:
        return None
    try:
        return schemas.of(model, prefix)
    # boundary: the schema of a plugin's options is made by its code; without one, any key may stand in a file
    except BaseException as error:  # noqa: BLE001
        pass_interruptions(error)
        return None
