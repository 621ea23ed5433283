"""Spans of a conversation, under OpenTelemetry's conventions for generative AI.

One span for the session, below it one for each turn (``invoke_agent``), and in a turn one for each call of a tool
(``execute_tool``) and each stretch of time in which the agent was at work itself (``chat``): from the message, or the
end of a tool, to the next tool or the end of the reply. What was said is recorded where that was asked for.

Only a chat that is traced imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from holodeck_cli.chat.events import ChatEvent, TryingAgain, TurnDone, TurnFailed
from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.json_text import json_text
from holodeck_core import (
    Agent,
    ChatSession,
    TextDelta,
    TokenUsage,
    ToolFinished,
    ToolStarted,
    UsageReported,
)

# Providers whose name in the conventions differs from ours.
_PROVIDERS: Final = {"azure_openai": "azure.ai.openai"}


class ConversationTracer:
    """Tells a tracer what happens in a chat; ``record_content`` adds what was said. ``turn_over`` is called after each
    turn."""

    def __init__(
        self,
        tracer: Tracer,
        agent: Agent,
        gate: OutputGate,
        *,
        record_content: bool,
        turn_over: Callable[[], object] = lambda: None,
    ) -> None:
        self._tracer = tracer
        self._agent = agent
        self._gate = gate
        self._record_content = record_content
        self._turn_over = turn_over
        self._session: Span | None = None
        self._conversation_id = ""

    def session(self, chat: ChatSession) -> None:
        """A conversation begins; the one before it is over."""
        self.end()
        self._conversation_id = str(chat.session_id)
        self._session = self._tracer.start_span(
            f"chat session {self._agent.name}", kind=SpanKind.INTERNAL, attributes=self._common()
        )

    @contextmanager
    def turn(self, message: str) -> Iterator[TurnTracer]:
        """A message is sent; the span ends with the block."""
        parent = None if self._session is None else trace.set_span_in_context(self._session)
        span = self._tracer.start_span(
            f"invoke_agent {self._agent.name}",
            context=parent,
            kind=SpanKind.INTERNAL,
            attributes={**self._common(), "gen_ai.operation.name": "invoke_agent"},
        )
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            turn = TurnTracer(self._tracer, span, self._common(), self._gate, self._content)
            turn.said("gen_ai.input.messages", "user", message)
            try:
                yield turn
            finally:
                turn.broken_off()
                span.end()
                self._turn_over()

    def end(self) -> None:
        """The conversation is over."""
        if self._session is not None:
            self._session.end()
            self._session = None

    def _common(self) -> dict[str, str]:
        model = self._agent.model
        attributes = {
            "gen_ai.provider.name": _PROVIDERS.get(model.provider, model.provider),
            "gen_ai.agent.name": self._agent.name,
            "gen_ai.conversation.id": self._conversation_id,
        }
        if model.name:
            attributes["gen_ai.request.model"] = model.name
        return attributes

    def _content(self, value: object) -> str | None:
        """What may be recorded of something that was said."""
        if not self._record_content:
            return None
        return self._gate.block(value) if isinstance(value, str) else self._gate.line(json_text(value))


class TurnTracer:
    """The spans of one turn."""

    def __init__(
        self,
        tracer: Tracer,
        turn: Span,
        common: Mapping[str, str],
        gate: OutputGate,
        content: Callable[[object], str | None],
    ) -> None:
        self._tracer = tracer
        self._turn = turn
        self._common = common
        self._gate = gate
        self._content = content
        self._tools: dict[str, Span] = {}
        self._model: Span | None = None
        self._over = False
        self._begin_model()

    def event(self, event: ChatEvent) -> None:
        """Something happened."""
        match event:
            case ToolStarted():
                self._end_model()
                self._begin_tool(event)
            case ToolFinished():
                self._end_tool(event)
                if not self._tools:
                    self._begin_model()
            case UsageReported():
                _set_usage(self._model, event.usage)
            case TryingAgain():
                self._fail(self._model, event.reason)
                self._end_model()
                self._begin_model()
            case TextDelta() if self._model is None:
                self._begin_model()
            case TurnDone():
                self._over = True
                self._end_model()
                _set_usage(self._turn, event.turn.usage)
                self.said("gen_ai.output.messages", "assistant", event.turn.reply.text)
            case TurnFailed():
                self._over = True
                self._fail(self._model, event.reason)
                self._end_model()
                self._fail(self._turn, event.reason)
            case _:
                pass

    def broken_off(self) -> None:
        """Nothing more comes: whatever has not ended is ended."""
        if not self._over:
            self._fail(self._turn, "cancelled")
        self._end_model()
        for span in self._tools.values():
            self._fail(span, "did not finish")
            span.end()
        self._tools.clear()

    def said(self, attribute: str, role: str, text: str) -> None:
        """Record what was said, where that was asked for."""
        content = self._content(text)
        if content is not None:
            message = {"role": role, "parts": [{"type": "text", "content": content}]}
            self._turn.set_attribute(attribute, json_text([message]))

    def _begin_model(self) -> None:
        if self._model is None:
            model = self._common.get("gen_ai.request.model")
            self._model = self._tracer.start_span(
                f"chat {model}" if model else "chat",
                context=trace.set_span_in_context(self._turn),
                kind=SpanKind.CLIENT,
                attributes={**self._common, "gen_ai.operation.name": "chat"},
            )

    def _end_model(self) -> None:
        if self._model is not None:
            self._model.end()
            self._model = None

    def _begin_tool(self, event: ToolStarted) -> None:
        name = self._gate.name(event.name)
        span = self._tracer.start_span(
            f"execute_tool {name}",
            context=trace.set_span_in_context(self._turn),
            kind=SpanKind.INTERNAL,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": event.call_id,
                "gen_ai.conversation.id": self._common["gen_ai.conversation.id"],
            },
        )
        arguments = self._content(event.args if event.raw_args is None else event.raw_args)
        if arguments is not None:
            span.set_attribute("gen_ai.tool.call.arguments", arguments)
        self._tools[event.call_id] = span

    def _end_tool(self, event: ToolFinished) -> None:
        span = self._tools.pop(event.call_id, None)
        if span is None:
            return
        if event.error is not None:
            self._fail(span, event.error)
        elif (result := self._content(event.result)) is not None:
            span.set_attribute("gen_ai.tool.call.result", result)
        span.end()

    def _fail(self, span: Span | None, why: str) -> None:
        if span is None:
            return
        kind = why.partition(":")[0]  # the name of the exception, where it was one
        span.set_attribute("error.type", kind if kind.isidentifier() else "_OTHER")
        span.set_status(Status(StatusCode.ERROR, self._content(why)))


def _set_usage(span: Span | None, usage: TokenUsage | None) -> None:
    if span is None or usage is None:
        return
    span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
    span.set_attribute("gen_ai.usage.output_tokens", usage.completion_tokens)
    if usage.cache_read_tokens:
        span.set_attribute("gen_ai.usage.cache_read.input_tokens", usage.cache_read_tokens)
    if usage.cache_creation_tokens:
        span.set_attribute("gen_ai.usage.cache_creation.input_tokens", usage.cache_creation_tokens)
