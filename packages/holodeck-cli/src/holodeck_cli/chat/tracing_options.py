"""How a conversation is traced: what the agent file says under ``observability``, and the standard variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs
from pydantic import Field, ValidationError

from holodeck_core import ConfigError, Problem, Suite
from holodeck_core.models.base import StrictModel, Text

ExporterName: TypeAlias = Literal["console", "otlp"]

_EXPORTER = "OTEL_TRACES_EXPORTER"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_SERVICE = "OTEL_SERVICE_NAME"


class ObservabilitySection(StrictModel):
    """`observability` of an agent file."""

    exporter: ExporterName | None = None
    endpoint: Text | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    record_content: bool = False
    service_name: Text | None = None


@attrs.frozen
class TracingOptions:
    """Where spans go. ``endpoint`` is the base address of an OTLP collector, None where the variables name it."""

    exporter: ExporterName
    endpoint: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    record_content: bool = False
    service_name: str = "holodeck"


def tracing_options(suite: Suite, environ: Mapping[str, str]) -> TracingOptions:
    """What is in force: the agent file goes before the variables. Raises ConfigError."""
    section = _section(suite)
    exporter = section.exporter or _exporter_of(section.endpoint, environ)
    if exporter == "console" and section.endpoint is not None:
        raise _problem(suite, "endpoint", "belongs to `exporter: otlp`")
    return TracingOptions(
        exporter,
        section.endpoint,
        section.headers,
        section.record_content
        or environ.get(_CONTENT, "").lower() in ("true", "span_only", "span_and_event"),
        section.service_name or environ.get(_SERVICE) or "holodeck",
    )


def _section(suite: Suite) -> ObservabilitySection:
    try:
        return ObservabilitySection.model_validate(suite.agent.observability or {})
    except ValidationError as error:
        raise ConfigError(
            [
                _as_problem(suite, ".".join(map(str, line["loc"])), line["msg"])
                for line in error.errors(include_url=False, include_input=False)
            ]
        ) from None


def _exporter_of(endpoint: str | None, environ: Mapping[str, str]) -> ExporterName:
    named = environ.get(_EXPORTER, "").strip().lower()
    if endpoint is not None or named == "otlp":
        return "otlp"
    if named == "console":
        return "console"
    return "otlp" if any(environ.get(name) for name in _ENDPOINTS) else "console"


def _problem(suite: Suite, place: str, message: str) -> ConfigError:
    return ConfigError([_as_problem(suite, place, message)])


def _as_problem(suite: Suite, place: str, message: str) -> Problem:
    path = f"observability.{place}" if place else "observability"
    return Problem(message, None if suite.path is None else str(suite.path), path=path)
