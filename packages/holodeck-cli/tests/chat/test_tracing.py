"""The spans of a chat."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from holodeck_cli.chat.events import ChatTurn, TryingAgain, TurnDone, TurnFailed
from holodeck_cli.chat.gate import OutputGate
from holodeck_cli.chat.tracing import ConversationTracer
from holodeck_cli.chat.tracing_options import TracingOptions, tracing_options
from holodeck_core import (
    Agent,
    ChatHistory,
    ChatSession,
    ConfigError,
    Reply,
    Suite,
    TextDelta,
    TokenUsage,
    ToolFinished,
    ToolStarted,
    UsageReported,
    load_suite,
)

AGENT = Agent.model_validate({"name": "desk", "model": {"provider": "azure_openai", "name": "gpt"}})
USAGE = TokenUsage(prompt_tokens=10, completion_tokens=5, total_tokens=15, cache_read_tokens=4)


class Recorder:
    """A tracer whose spans stay in memory."""

    def __init__(self, *, record_content: bool = False) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.observer = ConversationTracer(
            self.provider.get_tracer("test"), AGENT, OutputGate(), record_content=record_content
        )
        self.chat = ChatSession(agent_config=AGENT, history=ChatHistory())
        self.observer.session(self.chat)

    def tree(self) -> list[str]:
        """The spans in the order in which they began, each behind as many dots as it stands deep."""
        self.observer.end()
        spans = sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
        by_id = {span.context.span_id: span for span in spans if span.context}

        def depth(span: ReadableSpan) -> int:
            return 0 if span.parent is None else 1 + depth(by_id[span.parent.span_id])

        return ["." * depth(span) + span.name for span in spans]

    def span(self, name: str, index: int = 0) -> ReadableSpan:
        return [span for span in self.exporter.get_finished_spans() if span.name == name][index]


def done(text: str) -> TurnDone:
    return TurnDone(ChatTurn("hi", Reply(text, (), USAGE), datetime(2026, 1, 1, tzinfo=UTC), 1.0))


def a_turn(recorder: Recorder, *events: Any) -> None:
    with recorder.observer.turn("where is it?") as turn:
        for event in events:
            turn.event(event)


CALL = (ToolStarted("c1", "look_up", {"id": "LM-1"}), ToolFinished("c1", {"total": 3}))


def test_session_turn_model_call_and_tool() -> None:
    recorder = Recorder()
    a_turn(recorder, TextDelta("Let me see."), *CALL, TextDelta("3"), UsageReported(USAGE), done("3"))
    assert recorder.tree() == [
        "chat session desk",
        ".invoke_agent desk",
        *("..chat gpt", "..execute_tool look_up", "..chat gpt"),
    ]


def test_parallel_calls_stand_side_by_side() -> None:
    recorder = Recorder()
    first, second = ToolStarted("1", "a"), ToolStarted("2", "b")
    a_turn(recorder, first, second, ToolFinished("2"), ToolFinished("1"), done("x"))
    assert recorder.tree()[2:] == ["..chat gpt", "..execute_tool a", "..execute_tool b", "..chat gpt"]


def test_attributes_of_the_conventions() -> None:
    recorder = Recorder()
    a_turn(recorder, *CALL, UsageReported(USAGE), done("3"))
    common = {
        "gen_ai.provider.name": "azure.ai.openai",
        "gen_ai.agent.name": "desk",
        "gen_ai.conversation.id": str(recorder.chat.session_id),
        "gen_ai.request.model": "gpt",
    }
    usage = {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 4,
    }
    turn = recorder.span("invoke_agent desk")
    assert dict(turn.attributes or {}) == {**common, **usage, "gen_ai.operation.name": "invoke_agent"}
    model = recorder.span("chat gpt", 1)
    assert dict(model.attributes or {}) == {**common, **usage, "gen_ai.operation.name": "chat"}
    tool = recorder.span("execute_tool look_up")
    assert dict(tool.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.conversation.id": str(recorder.chat.session_id),
    }


def test_content_is_recorded_where_that_was_asked_for() -> None:
    quiet, open_ = Recorder(), Recorder(record_content=True)
    failed = (ToolStarted("c2", "pay"), ToolFinished("c2", error="card 4111 refused"))
    for recorder in (quiet, open_):
        a_turn(recorder, *CALL, *failed, done("It is\x1b[2J 3"))
    everything = str(
        [(span.attributes, span.status.description) for span in quiet.exporter.get_finished_spans()]
    )
    assert not [word for word in ("where is it?", "LM-1", "total", "It is", "4111") if word in everything]
    tool = open_.span("execute_tool look_up").attributes or {}
    assert tool["gen_ai.tool.call.arguments"] == '{"id": "LM-1"}'
    assert tool["gen_ai.tool.call.result"] == '{"total": 3}'
    assert open_.span("execute_tool pay").status.description == "card 4111 refused"
    turn = open_.span("invoke_agent desk").attributes or {}
    assert json.loads(str(turn["gen_ai.input.messages"])) == [
        {"role": "user", "parts": [{"type": "text", "content": "where is it?"}]}
    ]
    assert json.loads(str(turn["gen_ai.output.messages"]))[0]["parts"][0]["content"] == "It is 3"


def test_failures() -> None:
    recorder = Recorder()
    a_turn(recorder, TryingAgain("RateLimited: slow down"), TurnFailed("ValueError: broken"))
    assert recorder.tree()[2:] == ["..chat gpt", "..chat gpt"]
    assert (recorder.span("chat gpt").attributes or {})["error.type"] == "RateLimited"
    assert (recorder.span("chat gpt", 1).attributes or {})["error.type"] == "ValueError"
    turn = recorder.span("invoke_agent desk")
    assert ((turn.attributes or {})["error.type"], turn.status.is_ok) == ("ValueError", False)


def test_a_turn_that_is_cancelled_leaves_no_span_open() -> None:
    recorder = Recorder()

    def cancelled() -> None:
        with recorder.observer.turn("hi") as turn:
            turn.event(ToolStarted("1", "f"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cancelled()
    assert recorder.tree() == ["chat session desk", ".invoke_agent desk", "..chat gpt", "..execute_tool f"]
    assert not recorder.span("invoke_agent desk").status.is_ok


def test_another_conversation_is_another_session() -> None:
    recorder = Recorder()
    a_turn(recorder, done("a"))
    recorder.observer.session(ChatSession(agent_config=AGENT, history=ChatHistory()))
    a_turn(recorder, done("b"))
    recorder.observer.end()
    ids = {
        (span.attributes or {})["gen_ai.conversation.id"] for span in recorder.exporter.get_finished_spans()
    }
    assert len(ids) == 2


class TestOptions:
    def suite(self, folder: Path, section: object) -> Suite:
        (folder / "agent.yaml").write_text(
            json.dumps(
                {"name": "a", "model": {"provider": "scripted", "replies": []}, "observability": section}
            )
        )
        return load_suite(folder / "agent.yaml")

    @pytest.mark.parametrize(
        ("section", "environ", "options"),
        [
            (None, {}, TracingOptions("console")),
            ({"exporter": "otlp"}, {}, TracingOptions("otlp")),
            ({"endpoint": "http://c:4318"}, {}, TracingOptions("otlp", "http://c:4318")),
            ({}, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"}, TracingOptions("otlp")),
            ({}, {"OTEL_TRACES_EXPORTER": "otlp"}, TracingOptions("otlp")),
            (
                {},
                {"OTEL_TRACES_EXPORTER": "console", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"},
                TracingOptions("console"),
            ),
            ({"exporter": "console"}, {"OTEL_TRACES_EXPORTER": "otlp"}, TracingOptions("console")),
            ({"record_content": True}, {}, TracingOptions("console", record_content=True)),
            (
                {},
                {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"},
                TracingOptions("console", record_content=True),
            ),
            ({}, {"OTEL_SERVICE_NAME": "shop"}, TracingOptions("console", service_name="shop")),
            (
                {"service_name": "desk"},
                {"OTEL_SERVICE_NAME": "shop"},
                TracingOptions("console", service_name="desk"),
            ),
        ],
        ids=lambda value: str(value)[:50],
    )
    def test_the_file_goes_before_the_variables(
        self, tmp_path: Path, section: object, environ: dict[str, str], options: TracingOptions
    ) -> None:
        assert tracing_options(self.suite(tmp_path, section), environ) == options

    @pytest.mark.parametrize(
        ("section", "message"),
        [
            ({"exporter": "jaeger"}, r"observability.exporter: Input should be 'console' or 'otlp'"),
            ({"exprter": "otlp"}, r"observability.exprter: Extra inputs are not permitted"),
            (
                {"exporter": "console", "endpoint": "http://c"},
                r"observability.endpoint: belongs to `exporter: otlp`",
            ),
        ],
    )
    def test_mistakes(self, tmp_path: Path, section: object, message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            tracing_options(self.suite(tmp_path, section), {})


class Collector(HTTPServer):
    """Takes what is exported."""

    def __init__(self) -> None:
        self.received: list[tuple[str, bytes]] = []
        super().__init__(("127.0.0.1", 0), _Take)


class _Take(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def chatted(
    folder: Path, env: dict[str, str], *args: str, code: str = ""
) -> subprocess.CompletedProcess[str]:
    command = ["-c", code] if code else ["-m", "holodeck_cli"]
    return subprocess.run(
        [sys.executable, *command, "chat", *args],
        cwd=folder,
        env=env,
        input="hi\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_spans_reach_a_collector(
    tmp_path: Path, write_agent: Any, chat_env: dict[str, str], collector: Collector
) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_port}"
    write_agent({"reply": "hello"}, observability={"endpoint": endpoint, "service_name": "my desk"})
    done = chatted(tmp_path, chat_env, "--observability")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")
    [(path, body)] = collector.received
    assert path == "/v1/traces"
    assert b"invoke_agent desk" in body
    assert b"my desk" in body


def test_without_a_collector_the_chat_goes_on(
    tmp_path: Path, write_agent: Any, chat_env: dict[str, str]
) -> None:
    write_agent({"reply": "hello"}, observability={"endpoint": "http://127.0.0.1:9"})
    done = chatted(tmp_path, chat_env, "--observability")
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert done.stderr.startswith("the traces could not be exported: ")
    assert done.stderr.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, write_agent: Any, chat_env: dict[str, str]
) -> None:
    write_agent({"reply": "hello"})
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from holodeck_cli.main import main\nsys.exit(main(sys.argv[1:]))"
    )
    assert chatted(tmp_path, chat_env, code=code).returncode == 0
    done = chatted(tmp_path, chat_env, "--observability", code=code)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--observability needs OpenTelemetry" in done.stderr
    assert "pip install 'holodeck-cli[otel]'" in done.stderr
