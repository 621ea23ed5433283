"""The scripted server speaks as OpenAI and Azure do."""

import http.client
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from openai_server.fixture import OpenAIServer, started, stop

Play = Callable[[dict[str, Any]], OpenAIServer]

CHAT = "/v1/chat/completions"
DEPLOYMENT = "/openai/deployments/small/chat/completions"
VERSION = "?api-version=2024-10-21"
TOOL = {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}


class Answer(NamedTuple):
    """A response, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> dict[str, Any]:
        [choice] = self.json["choices"]
        message: dict[str, Any] = choice["message"]
        return message

    @property
    def chunks(self) -> list[dict[str, Any]]:
        *events, last, end = self.body.decode().split("\n\n")
        assert (last, end) == ("data: [DONE]", "")
        return [json.loads(event.removeprefix("data: ")) for event in events]


def post(server: OpenAIServer, path: str = CHAT, key: str = "k", timeout: float = 10, **body: Any) -> Answer:
    """Ask for a completion."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=timeout)
    try:
        connection.request(
            "POST", path, json.dumps({"model": "small", **body}), {"Authorization": f"Bearer {key}"}
        )
        response = connection.getresponse()
        return Answer(response.status, {k.lower(): v for k, v in response.headers.items()}, response.read())
    finally:
        connection.close()


def said(*texts: str) -> list[dict[str, Any]]:
    """A conversation: the user speaks first, then both in turn."""
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


def called(call_id: str, name: str = "add", arguments: str = "{}") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def test_a_reply_is_chosen_by_the_last_user_message(openai_server: Play) -> None:
    server = openai_server(
        {
            "turns": [
                {"user": "Hi", "turn": 2, "text": "Again?"},
                {"user": "Hi", "text": "Hello"},
                {"pattern": r"I am (\w+), of (?P<place>\w+)", "text": "{{1}} of {{place}}, not {{$x}}"},
                {"pattern": "Who am I.*", "text": "You said: {{users}} ({{count}}, {{system}})"},
            ]
        }
    )
    for messages, text in [
        (said("Hi"), "Hello"),
        (said("Hi", "Hello", "Hi"), "Again?"),
        (said("I am Ada, of Oslo"), "Ada of Oslo, not {{$x}}"),
        (
            [{"role": "system", "content": "Be kind."}, *said("A", "B", "Who am I?")],
            "You said: A | Who am I? (4, Be kind.)",
        ),
        ([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "Hello"),
    ]:
        assert post(server, messages=messages).message["content"] == text


def test_the_steps_of_a_turn_are_its_completions(openai_server: Play) -> None:
    steps = [
        {"text": "Let me see.", "calls": [{"name": "add", "args": {"a": 2}}, {"name": "nope", "raw": "{a:"}]},
        {"text": "{{results}}"},
    ]
    server = openai_server({"turns": [{"user": "2?", "steps": steps}]})
    messages = said("1?", "1", "2?")
    first = post(server, messages=messages, tools=[TOOL])
    assert first.json["choices"][0]["finish_reason"] == "tool_calls"
    assert first.message["content"] == "Let me see."
    calls = first.message["tool_calls"]
    assert [(call["function"]["name"], call["function"]["arguments"]) for call in calls] == [
        ("add", '{"a": 2}'),
        ("nope", "{a:"),
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": n}
        for call, n in zip(calls, "34", strict=True)
    ]
    assert post(server, messages=[*messages, first.message, *results]).message["content"] == "3 | 4"


def test_the_last_step_is_repeated_only_where_the_script_says_so(openai_server: Play) -> None:
    server = openai_server(
        {
            "turns": [
                {"user": "loop", "calls": [{"name": "add"}], "repeat": True},
                {"user": "once", "calls": [{"name": "add"}]},
            ]
        }
    )
    for text, status in [("loop", 200), ("once", 400)]:
        result = {"role": "tool", "tool_call_id": "c", "content": ""}
        assert post(server, messages=[*said(text), called("c"), result]).status == status


def test_a_stream_says_the_same_in_pieces(openai_server: Play) -> None:
    step = {"text": "All  good, {{1}}.\nBye ", "calls": [{"name": "add", "args": {"a": 206588}}] * 2}
    server = openai_server({"turns": [{"pattern": "(.+)", **step}]})
    whole = post(server, messages=said("Ada")).message
    stream = post(server, messages=said("Ada"), stream=True, stream_options={"include_usage": True})
    assert stream.headers["content-type"] == "text/event-stream"
    *chunks, last, usage = stream.chunks
    assert (last["choices"][0]["finish_reason"], last["choices"][0]["delta"]) == ("tool_calls", {})
    assert (usage["choices"], usage["usage"]["total_tokens"]) == ([], 10 + 4 + 20)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert (
        "".join(delta.get("content") or "" for delta in deltas) == whole["content"] == "All  good, Ada.\nBye "
    )
    arguments = ["", ""]
    for delta in deltas:
        for piece in delta.get("tool_calls", ()):
            arguments[piece["index"]] += piece["function"]["arguments"]
    assert arguments == ['{"a": 206588}'] * 2


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"usage": {"prompt": 90, "completion": 7, "cached": 64}}, (90, 7, 97, 64)),
        ({}, (10, 1, 11, 0)),
        ({"usage": None}, None),
    ],
)
def test_usage_is_reported_as_the_script_says(
    openai_server: Play, usage: dict[str, Any], counts: tuple[int, ...] | None
) -> None:
    server = openai_server({"turns": [{"text": "Hello", **usage}]})
    told = post(server, messages=said("Hi")).json.get("usage")
    streamed = post(server, messages=said("Hi"), stream=True, stream_options={"include_usage": True}).chunks[
        -1
    ]
    unasked = post(server, messages=said("Hi"), stream=True).chunks
    assert not any("usage" in chunk for chunk in unasked)
    assert streamed.get("usage") == told
    if counts is None:
        assert told is None
    else:
        keys = ("prompt_tokens", "completion_tokens", "total_tokens")
        assert (*(told[key] for key in keys), told["prompt_tokens_details"]["cached_tokens"]) == counts


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("unauthorized", 401, "invalid_api_key"),
        ("model_not_found", 404, "model_not_found"),
        ("context_length_exceeded", 400, "context_length_exceeded"),
        ("content_filter", 400, "invalid_prompt"),
        ("rate_limit", 429, "rate_limit_exceeded"),
        ("insufficient_quota", 429, "insufficient_quota"),
        ("server_error", 500, None),
        ("overloaded", 503, None),
    ],
)
def test_a_fault_has_the_status_and_the_code_of_the_provider(
    openai_server: Play, fault: str, status: int, code: str | None
) -> None:
    server = openai_server({"turns": [{"user": "Hi", "first": [{"fault": fault}], "text": "Hello"}]})
    for stream in (False, True):
        refused = post(server, messages=said("Hi"), temperature=int(stream), stream=stream)
        if stream:  # the same conversation has met its fault
            assert refused.status == 200
        else:
            assert (refused.status, refused.json["error"]["code"]) == (status, code)
    assert post(server, messages=said("A", "B", "Hi")).status == status


def test_the_wait_that_a_limit_asks_for(openai_server: Play) -> None:
    limits = [{"retry_after": 2}, {"retry_after_ms": 250}, {"retry_after_date": 5}]
    server = openai_server(
        {"turns": [{"first": [{"fault": "rate_limit", **limit} for limit in limits], "text": "Hello"}]}
    )
    seconds, milliseconds, date, done = [post(server, messages=said("Hi")) for _ in range(4)]
    assert seconds.headers["retry-after"] == "2"
    assert milliseconds.headers["retry-after-ms"] == "250"
    assert 3 <= parsedate_to_datetime(date.headers["retry-after"]).timestamp() - time.time() <= 6
    assert done.message["content"] == "Hello"


@pytest.mark.parametrize(
    ("path", "status", "model"),
    [
        (CHAT, 200, "small"),
        (DEPLOYMENT + VERSION, 200, "small"),
        (DEPLOYMENT, 404, None),
        (DEPLOYMENT.replace("small", "large") + VERSION, 404, None),
        ("/openai/v1/chat/completions", 200, "small"),
        ("/chat/completions", 404, None),
    ],
)
def test_the_paths_of_openai_and_of_azure(
    openai_server: Play, path: str, status: int, model: str | None
) -> None:
    server = openai_server({"models": ["small"], "api_key": "k", "turns": [{"text": "Hello"}]})
    answer = post(server, path, messages=said("Hi"))
    assert (answer.status, answer.json.get("model")) == (status, model)


def test_a_wrong_key_and_a_wrong_model_are_refused(openai_server: Play) -> None:
    server = openai_server({"models": ["small"], "api_key": "k", "turns": [{"text": "Hello"}]})
    assert post(server, key="other", messages=said("Hi")).status == 401
    assert post(server, model="large", messages=said("Hi")).status == 404
    assert {request["headers"]["authorization"] for request in server.requests()} == {"..."}


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"messages": []}, "minimum length 1"),
        ({"messages": [{"role": "user"}]}, "got null"),
        ({"messages": [{"role": "robot", "content": ""}]}, "'robot'"),
        ({"messages": [*said("Hi"), called("c")]}, "did not have response messages: c"),
        ({"messages": [*said("Hi"), called("c"), *said("Hi")]}, "did not have response messages: c"),
        ({"messages": [{"role": "tool", "tool_call_id": "c", "content": ""}]}, "preceding message"),
        ({"messages": said("Hi"), "tools": []}, "'tools': empty array"),
        ({"messages": said("Hi"), "tools": [{"function": {"name": "a b"}}]}, "does not match pattern"),
        ({"messages": said("Hi"), "tools": [{"function": {"name": "a", "parameters": {}}}]}, "type:"),
        ({"messages": said("Hi"), "tool_choice": "auto"}, "only allowed when 'tools'"),
        ({"messages": said("Hi"), "temperature": 2.5}, "2.5"),
        ({"messages": said("Hi"), "stream_options": {}}, "only allowed when 'stream'"),
        (
            {
                "messages": said("Hi"),
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "x", "strict": True, "schema": {"type": "object"}},
                },
            },
            "additionalProperties",
        ),
        ({"messages": said("Bye")}, "nothing for turn 1, ['Bye']"),
    ],
)
def test_a_request_that_the_provider_would_refuse(
    openai_server: Play, body: dict[str, Any], part: str
) -> None:
    answer = post(openai_server({"turns": [{"user": "Hi", "text": "Hello"}]}), **body)
    assert answer.status == 400
    assert part in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("step", "stream", "error"),
    [
        ({"fault": "drop"}, False, ConnectionError),
        ({"fault": "drop", "text": "Hello"}, False, (ConnectionError, http.client.IncompleteRead)),
        (
            {"fault": "drop", "text": "a b c", "after_pieces": 2},
            True,
            (ConnectionError, http.client.IncompleteRead),
        ),
        ({"fault": "hang"}, False, TimeoutError),
        ({"text": "slow", "delay": 5}, True, TimeoutError),
        ({"text": "s l o w", "piece_delay": 5}, True, TimeoutError),
    ],
    ids=["drop", "mid-body", "mid-stream", "hang", "slow", "slow-pieces"],
)
def test_an_answer_that_does_not_come(
    openai_server: Play, step: dict[str, Any], stream: bool, error: type[Exception]
) -> None:
    server = openai_server({"turns": [step]})
    with pytest.raises(error):
        post(server, messages=said("Hi"), stream=stream, timeout=0.2)
    for _ in range(500):
        [request] = server.requests()
        if request["outcome"] != "open":
            break
        time.sleep(0.02)
    assert request["outcome"] == ("drop" if step.get("fault") == "drop" else "gone")


def test_an_error_within_a_stream_and_an_answer_that_is_no_json(openai_server: Play) -> None:
    turns = [{"user": "a", "text": "b c", "fault": "stream_error"}, {"user": "d", "fault": "not_json"}]
    server = openai_server({"turns": turns})
    body = post(server, messages=said("a"), stream=True).body
    assert b'"content": " c"' in body
    assert b'data: {"error": {' in body
    assert b"DONE" not in body
    page = post(server, messages=said("d"))
    assert (page.status, page.headers["content-type"], page.body[:6]) == (200, "text/html", b"<html>")


def test_many_conversations_side_by_side_are_kept_apart(openai_server: Play) -> None:
    server = openai_server(
        {
            "turns": [
                {"pattern": r"I am (\d+)", "text": "Hello {{1}}", "delay": 0.1},
                {"user": "Who am I?", "text": "{{users}}", "delay": 0.1},
            ]
        }
    )

    def talk(number: int) -> str:
        hello = post(server, messages=said(f"I am {number}")).message["content"]
        return str(post(server, messages=said(f"I am {number}", hello, "Who am I?")).message["content"])

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(talk, range(20))) == [f"I am {n} | Who am I?" for n in range(20)]
    assert max(request["in_flight"] for request in server.requests()) > 10


@pytest.mark.parametrize(
    ("script", "part"),
    [
        ([], "no mapping"),
        ({"turn": []}, "the script has unknown keys: turn"),
        ({"turns": [{"txt": ""}]}, "turns[0] has unknown keys: txt"),
        (
            {"turns": [{"steps": [{"calls": [{"nme": ""}]}]}]},
            "turns[0].steps[0].calls[0] has unknown keys: nme",
        ),
        ({"turns": [{"text": "", "steps": []}]}, "turns[0] has unknown keys: text"),
    ],
)
def test_a_script_with_a_mistake_is_refused(openai_server: Play, script: Any, part: str) -> None:
    with pytest.raises(ValueError, match=r"unknown keys|no mapping") as caught:
        openai_server(script)
    assert part in str(caught.value)


def test_it_is_a_process_that_plays_a_file_and_ends_with_its_starter(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps({"turns": [{"text": "Hello"}]}), encoding="utf-8")
    process, server = started(file)
    assert post(server, messages=said("Hi")).message["content"] == "Hello"
    stop(process)
    assert process.returncode == 0
    with pytest.raises(ConnectionError):
        post(server, messages=said("Hi"))
