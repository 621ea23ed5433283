"""Which failures of an agent are worth another attempt, told from the exception alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holodeck_core.api.faults import describe
from holodeck_core.api.retry_after import attribute_or_none, number_in, seconds_to_wait
from holodeck_core.api.values import text_of
from holodeck_core.errors import AgentError, RateLimited, TransientError

# Base classes that the HTTP clients raise for a lost connection or a read that took too long, and that do not derive
# from ConnectionError or TimeoutError. They are known by name, so that no client has to be installed.
_TRANSIENT_NAMES = frozenset(
    {
        "APIConnectionError",
        "ClientConnectionError",
        "ConnectError",
        "ConnectTimeout",
        "ConnectTimeoutError",
        "ConnectionError",
        "NetworkError",
        "ReadTimeout",
        "ReadTimeoutError",
        "RemoteProtocolError",
        "TimeoutException",
    }
)


def classify(error: BaseException, now: float | None = None) -> Exception:
    """The exception that says whether trying again may help.

    HTTP status 429 becomes RateLimited; 408, 5xx, a ConnectionError and a read time-out become TransientError. Both
    carry the seconds to wait that the response asks for. SystemExit becomes an AgentError. Everything else, what an
    agent raised on purpose included, comes back as it is. ``now`` is the time in seconds since the epoch.
    """
    if isinstance(error, AgentError):
        return error
    if not isinstance(error, Exception):
        return AgentError(describe(error))
    status = http_status(error)
    if status is not None:
        if status == 429:
            return RateLimited(describe(error), _wait(error, now))
        if status == 408 or 500 <= status <= 599:
            return TransientError(describe(error), _wait(error, now))
        return error
    if _is_connection_fault(error) or _is_connection_fault(
        attribute_or_none(error, "reason")
    ):  # URLError has a reason
        return TransientError(describe(error), _wait(error, now))
    return error


def after_tools(error: Exception) -> Exception:
    """The same failure in a turn in which a tool was called: trying again would call it twice."""
    if not isinstance(error, TransientError):
        return error
    return AgentError(f"{text_of(error)} (not tried again: a tool had already been called in this turn)")


def http_status(error: BaseException) -> int | None:
    """The HTTP status that an exception stands for, None where it stands for none."""
    response = attribute_or_none(error, "response")
    for holder in (error, response):
        for name in ("status_code", "status", "code"):
            status = attribute_or_none(holder, name)
            if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599:
                return int(status)
    return None


def retry_after(headers: object, now: float | None = None) -> float | None:
    """The seconds to wait that ``retry-after-ms`` or ``Retry-After`` (seconds or HTTP-date) ask for.

    A date in the past is 0. None where neither header is there, and where what it says makes no sense.
    """
    values = _header_values(headers)
    milliseconds = number_in(values.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    return seconds_to_wait(values.get("retry-after"), now)


def _wait(error: Exception, now: float | None) -> float | None:
    for holder in (attribute_or_none(error, "response"), error):
        seconds = retry_after(attribute_or_none(holder, "headers"), now)
        if seconds is not None:
            return seconds
    return seconds_to_wait(attribute_or_none(error, "retry_after"), now)


def _is_connection_fault(error: object) -> bool:
    if not isinstance(error, Exception):
        return False
    named = any(base.__name__ in _TRANSIENT_NAMES for base in type(error).__mro__)
    return named or isinstance(error, ConnectionError | TimeoutError)


def _header_values(headers: object) -> dict[str, str]:
    """The two headers of interest by their lower-case names."""
    try:
        items: Iterable[Any] = headers.items() if hasattr(headers, "items") else headers  # type: ignore[assignment]
        pairs = [(_text(name).lower(), _text(value)) for name, value in items]
    except Exception:  # noqa: BLE001 - boundary: whatever a client calls its headers
        return {}
    return {name: value.strip() for name, value in pairs if name.startswith("retry-after")}


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
