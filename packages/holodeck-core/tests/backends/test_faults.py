"""Which failures are transient, and how long to wait, told from the exception alone."""

from __future__ import annotations

import socket
import urllib.error
from email.message import Message
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.backends.faults import after_tools, classify, http_status, retry_after
from holodeck_core.errors import AgentError, RateLimited, SessionLost, TransientError

NOW = 1_700_000_000.0


class Failure(Exception):
    """A client's exception, with whatever attributes it gives to it."""

    def __init__(self, message: str = "", **attributes: Any) -> None:
        super().__init__(message)
        vars(self).update(attributes)


def kind_named(name: str, base: type[Exception] = Exception) -> Exception:
    """An exception of a client that is not installed here."""
    error: Exception = type(name, (base,), {})("went away")
    return error


def http_error(code: int) -> urllib.error.HTTPError:
    headers = Message()
    headers["Retry-After"] = "3"
    return urllib.error.HTTPError("http://host", code, "said no", headers, None)


TRANSIENT = [
    pytest.param(ConnectionResetError(104, "reset"), id="ConnectionResetError"),
    pytest.param(ConnectionError(), id="ConnectionError"),
    pytest.param(BrokenPipeError(), id="BrokenPipeError"),
    pytest.param(TimeoutError(), id="TimeoutError"),
    pytest.param(socket.timeout("timed out"), id="socket.timeout"),  # noqa: UP041 - the name that agents use
    pytest.param(kind_named("ReadTimeout"), id="ReadTimeout"),
    pytest.param(
        kind_named("ConnectTimeout", type("TimeoutException", (Exception,), {})), id="a TimeoutException"
    ),
    pytest.param(kind_named("ReadError", type("NetworkError", (Exception,), {})), id="a NetworkError"),
    pytest.param(
        kind_named("APITimeoutError", type("APIConnectionError", (Exception,), {})), id="APITimeoutError"
    ),
    pytest.param(
        urllib.error.URLError(ConnectionRefusedError(111, "refused")), id="URLError for a connection"
    ),
    pytest.param(Failure(status_code=408), id="408"),
    pytest.param(Failure(status_code=500), id="500"),
    pytest.param(Failure(status=502), id="status"),
    pytest.param(Failure(code=503), id="code"),
    pytest.param(Failure(status_code=529), id="529"),
    pytest.param(Failure(status_code=HTTPStatus.BAD_GATEWAY), id="HTTPStatus"),
    pytest.param(Failure(response=SimpleNamespace(status_code=504)), id="response.status_code"),
    pytest.param(http_error(503), id="HTTPError 503"),
]


@pytest.mark.parametrize("error", TRANSIENT)
def test_lost_connections_time_outs_and_server_errors_are_transient(error: Exception) -> None:
    fault = classify(error)
    assert type(fault) is TransientError
    assert type(error).__name__ in str(fault)


@pytest.mark.parametrize(
    "error",
    [
        Failure(status_code=429),
        Failure(status=429),
        Failure(response=SimpleNamespace(status=429)),
        http_error(429),
    ],
)
def test_status_429_asks_to_slow_down(error: Exception) -> None:
    assert type(classify(error)) is RateLimited


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(ValueError("bad"), id="ValueError"),
        pytest.param(OSError(2, "no such file"), id="OSError"),
        pytest.param(Failure(status_code=400), id="400"),
        pytest.param(Failure(status_code=401), id="401"),
        pytest.param(Failure(status_code=404), id="404"),
        pytest.param(Failure(status_code=True), id="a status that is a bool"),
        pytest.param(Failure(status_code="500"), id="a status that is text"),
        pytest.param(Failure(code=5), id="a code that is no HTTP status"),
        pytest.param(Failure(reason="reset"), id="a reason that is text"),
        pytest.param(urllib.error.URLError("unknown url type"), id="URLError for a bad address"),
        pytest.param(AgentError("no"), id="AgentError"),
        pytest.param(TransientError("later", 2), id="TransientError"),
        pytest.param(RateLimited("later"), id="RateLimited"),
        pytest.param(SessionLost("gone"), id="SessionLost"),
    ],
)
def test_everything_else_stays_as_it_is(error: Exception) -> None:
    assert classify(error) is error


def test_a_refused_request_is_not_transient_though_it_is_a_connection_error() -> None:
    class Refused(ConnectionError):
        status_code = 403

    error = Refused()
    assert classify(error) is error


def test_system_exit_is_an_error_of_the_agent() -> None:
    fault = classify(SystemExit(3))
    assert type(fault) is AgentError
    assert str(fault) == "SystemExit: 3"


def test_an_exception_whose_attributes_raise_stays_as_it_is() -> None:
    class Hostile(Exception):
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

        def __str__(self) -> str:
            raise RuntimeError

    error = Hostile()
    assert classify(error) is error
    assert http_status(error) is None


@pytest.mark.parametrize(
    ("attributes", "seconds"),
    [
        pytest.param({"response": SimpleNamespace(headers={"Retry-After": "2"})}, 2.0, id="response"),
        pytest.param({"headers": {"Retry-After": "2"}}, 2.0, id="own headers"),
        pytest.param({"retry_after": 4}, 4.0, id="own attribute"),
        pytest.param({"retry_after": -4}, None, id="own attribute below zero"),
        pytest.param({"retry_after": float("nan")}, None, id="own attribute not a number"),
        pytest.param({}, None, id="nothing said"),
    ],
)
def test_the_time_to_wait_is_found_where_clients_keep_it(
    attributes: dict[str, Any], seconds: float | None
) -> None:
    fault = classify(Failure(status_code=429, **attributes), NOW)
    assert isinstance(fault, RateLimited)
    assert fault.retry_after == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({"Retry-After": "2"}, 2.0, id="seconds"),
        pytest.param({"retry-after": " 2.5 "}, 2.5, id="a fraction"),
        pytest.param({"RETRY-AFTER": "0"}, 0.0, id="zero"),
        pytest.param({"Retry-After": "86400"}, 86_400.0, id="a day"),
        pytest.param({"Retry-After": 7}, 7.0, id="a number"),
        pytest.param({b"retry-after": b"7"}, 7.0, id="bytes"),
        pytest.param([("Retry-After", "7")], 7.0, id="pairs"),
        pytest.param({"retry-after-ms": "1500"}, 1.5, id="milliseconds"),
        pytest.param({"Retry-After": "9", "retry-after-ms": "1500"}, 1.5, id="milliseconds are finer"),
        pytest.param({"Retry-After": "9", "retry-after-ms": "soon"}, 9.0, id="milliseconds make no sense"),
        pytest.param({"Retry-After": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10.0, id="HTTP-date"),
        pytest.param({"Retry-After": "Tue, 14 Nov 2023 22:13:30"}, 10.0, id="HTTP-date without a zone"),
        pytest.param({"Retry-After": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0, id="HTTP-date in the past"),
        pytest.param({"Retry-After": "-1"}, None, id="below zero"),
        pytest.param({"Retry-After": "nan"}, None, id="nan"),
        pytest.param({"Retry-After": "1e9"}, None, id="exponent"),
        pytest.param({"Retry-After": "1_0"}, None, id="underscore"),
        pytest.param({"Retry-After": "٣"}, None, id="other digits"),
        pytest.param({"Retry-After": ""}, None, id="empty"),
        pytest.param({"Retry-After": "soon"}, None, id="a word"),
        pytest.param({"Content-Type": "x"}, None, id="absent"),
        pytest.param(None, None, id="no headers"),
        pytest.param(7, None, id="no mapping"),
    ],
)
def test_retry_after_is_seconds_milliseconds_or_a_date(headers: object, seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(
    st.text()
    | st.from_regex(r"[A-Z][a-z]{2}, [0-9]{1,3} [A-Z][a-z]{2} [0-9]{1,6} [0-9:]{0,9} ?[-+A-Z0-9]{0,6}")
)
def test_no_header_breaks_the_reading(text: str) -> None:
    seconds = retry_after({"Retry-After": text}, NOW)
    assert seconds is None or 0 <= seconds < float("inf")


def test_after_a_tool_was_called_nothing_is_transient() -> None:
    fault = after_tools(RateLimited("slow down", 2))
    assert type(fault) is AgentError
    assert str(fault) == "slow down (not tried again: a tool had already been called in this turn)"


@pytest.mark.parametrize("error", [ValueError("bad"), SessionLost("gone"), AgentError("no")])
def test_after_a_tool_was_called_other_failures_stay(error: Exception) -> None:
    assert after_tools(error) is error
