"""A tracer of our own with its exporter: nothing global is set, and other programs' tracing is left alone."""

from __future__ import annotations

import logging
from typing import TextIO

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

from holodeck_cli import __version__
from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.tracing import ConversationTracer
from holodeck_cli.chat.tracing_options import TracingOptions
from holodeck_core import Agent

_EXPORT_TIMEOUT_S = 3
_NEVER_MS = 1_000_000_000


class Tracing:
    """The tracer of one chat. ``observer`` is what the session manager tells; ``close`` sends what is left.

    ``console`` is where spans go that go to the console.
    """

    def __init__(self, options: TracingOptions, agent: Agent, gate: OutputGate, console: TextIO) -> None:
        self._trouble = _Trouble()
        self._logger = logging.getLogger("opentelemetry")
        self._logger.addHandler(self._trouble)
        self._propagated, self._logger.propagate = self._logger.propagate, False
        resource = Resource.create({"service.name": options.service_name, "service.version": __version__})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        on_console = options.exporter == "console"
        # On a console spans are written between turns, not while somebody reads or types.
        delay = _NEVER_MS if on_console else None
        exporter = _exporter(options, console)
        self._provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=delay))
        tracer = self._provider.get_tracer("holodeck", __version__)
        self.observer = ConversationTracer(
            tracer,
            agent,
            gate,
            record_content=options.record_content,
            turn_over=self._provider.force_flush if on_console else lambda: None,
        )

    def close(self) -> str | None:
        """End the session's span and send all spans; says what went wrong, None where nothing did."""
        self.observer.end()
        self._provider.shutdown()
        self._logger.removeHandler(self._trouble)
        self._logger.propagate = self._propagated
        return self._trouble.last


def _exporter(options: TracingOptions, console: TextIO) -> SpanExporter:
    if options.exporter == "console":
        return ConsoleSpanExporter(out=console)
    endpoint = None if options.endpoint is None else f"{options.endpoint.rstrip('/')}/v1/traces"
    return OTLPSpanExporter(
        endpoint=endpoint, headers=dict(options.headers) or None, timeout=_EXPORT_TIMEOUT_S
    )


class _Trouble(logging.Handler):
    """Keeps the last thing that the exporter complained of, which it would write over the conversation."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()
