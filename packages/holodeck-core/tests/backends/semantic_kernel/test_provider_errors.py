"""What a provider refuses is told apart, in its own words, with what to do; no message holds the key."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from holodeck_core import AgentError, RateLimited, Session, TransientError, UserMessage

from .conftest import Load, Play, Talk, functions

KEY = "sk-very-secret-0123456789"

# fault; the class; what OpenAI's message must hold; what Azure's must hold
FAULTS: list[tuple[str, type[Exception], list[str], list[str]]] = [
    ("unauthorized", AgentError,
     ["the provider refused the key (401): Incorrect API key provided", "`api_key` or OPENAI_API_KEY"],
     ["the provider refused the key (401): Access denied", "`api_key` or AZURE_OPENAI_API_KEY"]),
    ("model_not_found", AgentError,
     ["no such model (404): The model does not exist", "check `name` ('small')"],
     ["no such deployment (404): The API deployment for this resource does not exist", "check `name` ('small')",
      "and `api_version` (2024-10-21)"]),
    ("context_length_exceeded", AgentError,
     ["too long for the model 'small': This model's maximum context length is 8192 tokens"], []),
    ("content_filter", AgentError,
     ["content filter: Invalid prompt"], ["content filter: The response was filtered"]),
    ("invalid_request", AgentError, ["the provider refused the request (400): Invalid value"], []),
    ("insufficient_quota", AgentError, ["quota of the account is used up: You exceeded"], []),
    ("rate_limit", RateLimited, ["rate limit (429): Rate limit reached"], ["rate limit (429): Requests have exceeded"]),
    ("server_error", TransientError, ["the provider failed (500): The server had an error"], []),
    ("bad_gateway", TransientError, ["the provider failed (502): "], []),
    ("overloaded", TransientError, ["the provider failed (503): The engine is currently overloaded"], []),
    ("not_json", AgentError, ['gave no chat completion: it answered "<html>', "does `endpoint` lead to a server"], []),
    ("drop", TransientError, ["the connection to http://127.0.0.1:"], []),
]  # fmt: skip


def provider(kind: str, server: Any) -> dict[str, Any]:
    if kind == "openai":
        return {"provider": "openai", "endpoint": server.endpoint, "api_key": KEY}
    return {"provider": "azure_openai", "endpoint": server.azure, "api_key": KEY}


def failure(talk: Talk, model: dict[str, Any], **agent: Any) -> Exception:
    async def hold(session: Session) -> None:
        await session.send(UserMessage("Hi"))

    with pytest.raises(Exception) as failed:  # noqa: PT011 - each is looked at
        talk(hold, model, **agent)
    assert KEY not in str(failed.value)
    assert failed.value.__cause__ is None
    assert KEY not in repr(failed.value.__context__)
    return failed.value


@pytest.mark.parametrize("kind", ["openai", "azure_openai"])
@pytest.mark.parametrize(("fault", "expected", "openai", "azure"), FAULTS, ids=[row[0] for row in FAULTS])
def test_what_goes_wrong_is_told_apart(
    openai_server: Play,
    talk: Talk,
    stream: bool,
    kind: str,
    fault: str,
    expected: type[Exception],
    openai: list[str],
    azure: list[str],
) -> None:
    server = openai_server({"turns": [{"fault": fault}]})
    error = failure(talk, {**provider(kind, server), "stream": stream})
    assert type(error) is expected, error
    for part in (azure if kind == "azure_openai" else None) or openai:
        assert part in str(error)
    assert len(server.requests()) == 1  # the engine tries again, nobody else


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [({"retry_after": 7}, 7, 7), ({"retry_after_ms": 250}, 0.25, 0.25), ({"retry_after_date": 30}, 25, 31),
     ({}, None, None)],
    ids=["seconds", "milliseconds", "a date", "nothing"],
)  # fmt: skip
@pytest.mark.parametrize("fault", ["rate_limit", "overloaded"])
def test_how_long_to_wait_is_taken_from_the_answer(
    openai_server: Play,
    talk: Talk,
    fault: str,
    headers: dict[str, Any],
    low: float | None,
    high: float | None,
) -> None:
    server = openai_server({"turns": [{"fault": fault, **headers}]})
    error = failure(talk, provider("openai", server))
    assert isinstance(error, TransientError)
    if low is None or high is None:
        assert error.retry_after is None
    else:
        assert error.retry_after is not None
        assert low <= error.retry_after <= high


def test_an_error_in_mid_stream_is_transient(openai_server: Play, talk: Talk) -> None:
    server = openai_server({"turns": [{"fault": "stream_error", "text": "one two"}]})
    error = failure(talk, {**provider("openai", server), "stream": True})
    assert type(error) is TransientError
    assert "The server had an error" in str(error)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["rate_limit", "server_error", "drop"])
def test_behind_a_tool_nothing_is_transient(
    openai_server: Play, talk: Talk, fault: str, stream: bool
) -> None:
    server = openai_server(
        {"turns": [{"steps": [{"calls": [{"name": "add", "args": {"a": 1, "b": 1}}]}, {"fault": fault}]}]}
    )
    error = failure(talk, {**provider("openai", server), "stream": stream}, tools=functions("add"))
    assert type(error) is AgentError
    assert "not tried again: a tool had already been called" in str(error)


def test_a_server_that_is_not_there_is_told_with_its_address(talk: Talk) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = failure(talk, {"endpoint": f"http://user:hidden@127.0.0.1:{port}/v1"})
    assert type(error) is TransientError
    assert str(error).startswith(f"no connection to http://127.0.0.1:{port}/v1: ")
    assert "is the server running, and `endpoint` right?" in str(error)
    assert "hidden" not in str(error)


HTTP_OK = 200
# the status; the body of an answer; the class; what the message must hold, in the server's own words
BODIES: list[tuple[int, Any, type[Exception], str]] = [
    (HTTP_OK, {"error": {"message": "No credits left.", "code": 402}}, AgentError, "(402): No credits left"),
    (HTTP_OK, {"error": {"message": "Slow down", "code": "429"}}, RateLimited, "rate limit (429): Slow down"),
    (HTTP_OK, {"error": "model overloaded"}, AgentError, "the provider refused the request: model overloaded"),
    (HTTP_OK, [], AgentError, "gave no chat completion: it answered []"),
    (HTTP_OK, "hi", AgentError, 'it answered "hi"'),
    (HTTP_OK, {}, AgentError, "it answered {}"),
    (HTTP_OK, {"choices": None}, AgentError, '"choices": null'),
    (HTTP_OK, {"choices": [{"index": 0, "message": None}]}, AgentError, '"message": null'),
    (HTTP_OK, {"choices": [{"message": "hi"}]}, AgentError, 'it answered {"choices": [{"message": "hi"}]}'),
    (HTTP_OK, {"choices": [{"message": {"tool_calls": "x"}}]}, AgentError, '"tool_calls": "x"'),
    (HTTP_OK, {"object": "error", "message": "Slow down", "code": 429}, RateLimited, "rate limit (429): Slow down"),
    (403, {"error": {"message": "Country not supported"}}, AgentError, "denied access (403): Country not supported"),
    (400, [{"error": {"message": "API key expired", "status": "INVALID"}}], AgentError, "(400): API key expired"),
    (400, {"error": {"message": "prompt is too long: 9001 tokens > 8192 maximum"}}, AgentError,
     "too long for the model"),
    (400, {"error": {"message": "The decoder prompt (length 9001) is longer than the maximum model length of 8192"}},
     AgentError, "too long for the model"),
    (400, {"error": {"message": "The input token count (9001) exceeds the maximum number of tokens allowed."}},
     AgentError, "too long for the model"),
    (400, {"detail": "tools are not supported"}, AgentError, "(400): tools are not supported"),
    (422, {"detail": [{"loc": ["tools"], "msg": "bad"}]}, AgentError, '(422): {"detail": [{"loc": ["tools"]'),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "expected", "part"), BODIES)
def test_errors_that_others_write_are_told_in_their_words(
    openai_server: Play,
    talk: Talk,
    stream: bool,
    status: int,
    body: Any,
    expected: type[Exception],
    part: str,
) -> None:
    openai_server({"turns": [{"body": body, "status": status}]})
    error = failure(talk, {"stream": stream, "api_key": KEY})
    assert type(error) is expected, error
    assert part in str(error) or (stream and body == {"choices": None})  # shown as it came
    assert "Traceback" not in str(error)
    assert "Error:" not in str(error)


@pytest.mark.parametrize(
    ("choice", "part"),
    [({"error": {"message": "Broken", "code": 502}}, "the provider failed (502): Broken"),
     ({"finish_reason": "error"}, "ended the reply with an error that it does not name")],
)  # fmt: skip
def test_an_answer_that_broke_off_is_no_reply(
    openai_server: Play, talk: Talk, choice: dict[str, Any], part: str
) -> None:
    openai_server({"turns": [{"body": {"choices": [{"message": {"content": "The"}, **choice}]}}]})
    error = failure(talk, {})
    assert type(error) is TransientError
    assert part in str(error)


@pytest.mark.parametrize("status", [301, 308])
def test_where_a_request_was_redirected_to_is_told(
    openai_server: Play, talk: Talk, stream: bool, status: int
) -> None:
    server = openai_server({"turns": [{"body": {}, "status": status, "location": "/other/v1"}]})
    error = failure(talk, {"stream": stream})
    assert type(error) is AgentError
    address = server.endpoint.removesuffix("/v1")
    assert f"; the request was redirected to {address}/other/v1, so `endpoint` should lead there" in str(
        error
    )


@pytest.mark.parametrize("location", ["/v1/chat/completions", "ftp://lamps.example.org/v1"])
def test_a_redirection_that_leads_nowhere_is_not_tried_again(
    openai_server: Play, talk: Talk, location: str
) -> None:
    openai_server({"turns": [{"body": {}, "status": 307, "location": location}]})
    error = failure(talk, {})
    assert type(error) is AgentError
    assert "leads to no answer: " in str(error)


def test_a_path_without_its_version_is_told(openai_server: Play, talk: Talk) -> None:
    address = openai_server({}).endpoint.removesuffix("/v1")
    error = failure(talk, {"endpoint": address})
    assert f"check `name` ('small'), `endpoint` ({address}, which mostly ends in /v1)" in str(error)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "gopher://user:hidden@127.0.0.1:1"])
def test_a_proxy_that_cannot_be_used_is_told(talk: Talk, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    error = failure(talk, {})
    assert type(error) is AgentError
    assert str(error).startswith("the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: ")
    assert "hidden" not in str(error)


def test_a_whole_answer_in_place_of_a_stream_says_what_to_do(openai_server: Play, talk: Talk) -> None:
    openai_server({"turns": [{"body": {"choices": [{"message": {"content": "Hello"}}]}}]})
    error = failure(talk, {"stream": True})
    assert "and no stream: `stream: false` asks for whole replies" in str(error)


@pytest.mark.parametrize(
    ("last", "expected", "part"),
    [("{not json", AgentError, "gave no chat completion: JSONDecodeError"),
     ('"text"', AgentError, 'it answered "text"'),
     ({"error": {"message": "Slow down", "code": 429}}, RateLimited, "rate limit (429): Slow down"),
     ({"error": {"message": "Key revoked", "code": 401}}, AgentError, "refused the key (401): Key revoked"),
     ({"object": "error", "message": "No memory", "code": 503}, TransientError, "the provider failed (503): No memory"),
     ("event: error\ndata: {\"message\": \"Broken\"}\n\n", AgentError, 'it answered {"message": "Broken"}'),
     ({"choices": [{"index": 0, "message": {"content": "b"}}]}, AgentError, 'it answered {"choices": [{'),
     ({"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}, TransientError, "ended the reply with an"),
     ("", TransientError, "ended the stream before the reply was complete")],
    ids=["no JSON", "no chunk", "a rate limit", "a key", "another error", "an event of its own", "another shape",
         "an error without a name", "nothing more"],
)  # fmt: skip
def test_a_stream_that_fails_is_closed_at_once(
    openai_server: Play,
    talk: Talk,
    caplog: pytest.LogCaptureFixture,
    last: Any,
    expected: type[Exception],
    part: str,
) -> None:
    begun = {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}]}
    openai_server({"turns": [{"events": [begun, last]}]})
    error = failure(talk, {"stream": True})
    assert type(error) is expected, error
    assert part in str(error)
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


def test_silence_is_transient() -> None:
    from openai import APITimeoutError

    from holodeck_core.backends.semantic_kernel.options import Target
    from holodeck_core.backends.semantic_kernel.provider_errors import told

    where = Target("openai", "https://user:hidden@models.example.org/v1", "small", KEY, "OPENAI_API_KEY")
    error = told(APITimeoutError(request=None), where)  # type: ignore[arg-type]
    assert (type(error), str(error)) == (
        TransientError,
        "https://models.example.org/v1 did not answer in time",
    )


def test_a_key_that_the_server_repeats_is_left_out() -> None:
    from holodeck_core.backends.semantic_kernel.options import Target
    from holodeck_core.backends.semantic_kernel.provider_errors import told

    where = Target("openai", "https://models.example.org/v1", "small", KEY, "OPENAI_API_KEY")

    class Refused(Exception):
        status_code = 401
        body = {"message": f"Incorrect API key provided: {KEY}."}  # noqa: RUF012

    assert "Incorrect API key provided: [key];" in str(told(Refused(), where))
    assert KEY not in repr(where)


def test_a_rate_limit_is_waited_for_and_counted(openai_server: Play, load: Load) -> None:
    from holodeck_core import run_suite_sync

    faults = [{"fault": fault, "retry_after_ms": 50} for fault in ("rate_limit", "overloaded")]
    openai_server({"turns": [{"first": faults, "text": "Hello"}]})
    suite = load(test_cases=[{"name": "t", "turns": [{"input": "Hi", "expected_tools": []}]}])
    [case] = run_suite_sync(suite).results
    assert case.turns is not None
    assert (case.status, case.turns[0].retry_count, case.turns[0].response) == ("passed", 2, "Hello")


def test_a_timeout_of_the_run_ends_the_request(openai_server: Play, load: Load) -> None:
    from holodeck_core import run_suite_sync

    server = openai_server({"turns": [{"fault": "hang"}]})
    suite = load(
        execution={"llm_timeout": 1},
        test_cases=[{"name": "t", "turns": [{"input": "Hi", "expected_tools": []}]}],
    )
    [case] = run_suite_sync(suite).results
    assert case.turns is not None
    [error] = case.turns[0].errors
    assert error.startswith("no reply within 1 s (llm_timeout)")
    end = time.monotonic() + 10
    while (outcome := server.requests()[0]["outcome"]) == "open" and time.monotonic() < end:
        time.sleep(0.01)
    assert (outcome, len(server.requests())) == ("gone", 1)
