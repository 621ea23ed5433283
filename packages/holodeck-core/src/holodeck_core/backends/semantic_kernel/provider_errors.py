"""What a provider's refusal means, and what to do about it. Pure: told from the exception alone.

The client's exceptions are known by what they carry (a status, a code, a body), so that nothing has to be imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from holodeck_core.api.faults import describe
from holodeck_core.api.retry_after import attribute_or_none
from holodeck_core.backends.faults import http_status, retry_after
from holodeck_core.backends.semantic_kernel.options import AZURE, Target, plain_address
from holodeck_core.errors import AgentError, RateLimited, TransientError
from holodeck_core.text import shorten, show_value

_LONGEST: Final = 500
_SHOWN: Final = 200
_MAX_DEPTH: Final = 8
_TOO_LONG: Final = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many tokens|(?:prompt|input) is too long"
    r"|maximum model length|exceeds the maximum number of tokens",
    re.IGNORECASE,
)
_BROKEN: Final = re.compile(r"^(?:RemoteProtocolError|ReadError|WriteError|DecodingError|error)\b")
_MISLED: Final = re.compile(r"^(?:TooManyRedirects|UnsupportedProtocol)\b")
_FILTERED: Final = frozenset({"content_filter", "invalid_prompt", "content_policy_violation"})
_SPENT: Final = "insufficient_quota"


class NoCompletion(ValueError):
    """The provider gave no completion; the text says what instead. ``body`` is its answer where that tells of an
    error."""

    def __init__(self, text: str, came: object = None) -> None:
        super().__init__(text)
        tells = isinstance(came, Mapping) and (came.get("error") or came.get("object") == "error")
        self.body = came if tells else None


def told(error: BaseException, target: Target) -> Exception:
    """The exception that says what happened to the turn: TransientError and RateLimited where trying again may help,
    else AgentError. No message holds the key."""
    cause = _origin(error)
    status, code = _status(cause), _code(cause)
    message = without_key(_message(cause), target)
    wait = retry_after(getattr(getattr(cause, "response", None), "headers", None))
    moved = _moved(cause)
    names = {base.__name__ for base in type(cause).__mro__}
    if "APITimeoutError" in names:
        return TransientError(f"{target.shown} did not answer in time")
    if names & {"APIConnectionError", "TransportError"}:
        why = without_key(_innermost(cause), target)
        if _MISLED.search(why):
            return AgentError(f"{target.shown} leads to no answer: {why}; is `endpoint` right?")
        if _BROKEN.search(why):
            return TransientError(f"the connection to {target.shown} broke off: {why}")
        return TransientError(
            f"no connection to {target.shown}: {why}; is the server running, and `endpoint` right?"
        )
    if code == _SPENT:
        return AgentError(f"the quota of the account is used up: {message}; look at its plan and billing")
    if status == 429 or (status is None and code == "rate_limit_exceeded"):
        return RateLimited(f"rate limit (429): {message}", wait)
    if status == 408 or (status is not None and status >= 500):
        return TransientError(f"the provider failed ({status}): {message}", wait)
    if code in _FILTERED:
        return AgentError(
            f"refused by the provider's content filter: {message}; change the message or the filter"
        )
    if code == "context_length_exceeded" or (status in (400, 413) and _TOO_LONG.search(message)):
        return AgentError(
            f"the conversation is too long for the model {target.model!r}: {message}; use fewer or shorter turns, or "
            "a model with a larger context"
        )
    if status == 403 and code != "model_not_found":
        return AgentError(
            f"the provider denied access (403): {message}; check what the key (`api_key` or {target.key_variable}) may "
            f"do at {target.shown}, and from where"
        )
    if status == 401:
        return AgentError(
            f"the provider refused the key ({status}): {message}; check `api_key` or {target.key_variable}, and that "
            f"the key is for {target.shown}"
        )
    if status == 404 or code == "model_not_found":
        if target.provider == AZURE:
            what, where = "deployment", f"({target.shown}) and `api_version` ({target.api_version})"
        else:
            usual = "" if "/v" in target.shown else ", which mostly ends in /v1"
            what, where = "model", f"({target.shown}{usual})"
        return AgentError(
            f"no such {what} ({status}): {message}; check `name` ({target.model!r}), `endpoint` {where}{moved}"
        )
    if status is not None:
        return AgentError(f"the provider refused the request ({status}): {message}{moved}")
    if "APIError" in names:  # an error in the middle of a stream
        return TransientError(f"the provider failed: {message}")
    if getattr(cause, "body", None):
        return AgentError(f"the provider refused the request: {message}")
    return AgentError(
        f"{target.shown} gave no chat completion: {message}; does `endpoint` lead to a server that speaks as OpenAI "
        f"does?{moved}"
    )


def without_key(text: str, target: Target) -> str:
    """The text without the key, which a server may have repeated."""
    return text.replace(target.key, "[key]") if len(target.key) > len("none") else text


def _origin(error: BaseException) -> BaseException:
    """The client's own exception below those that Semantic Kernel wraps around it."""
    current: BaseException = error
    for _ in range(_MAX_DEPTH):
        if type(current).__module__.split(".")[0] == "openai" or current.__cause__ is None:
            return current
        if not type(current).__module__.startswith("semantic_kernel"):
            return current
        current = current.__cause__
    return current


def _innermost(error: BaseException) -> str:
    """What the network said, below the client's words for it."""
    current = error
    for _ in range(_MAX_DEPTH):
        below = current.__cause__ or current.__context__
        if below is None or below is current:
            break
        current = below
    return _short(describe(current))


def _moved(error: BaseException) -> str:
    """Where the request was redirected to: on the way it may have become another one."""
    response = attribute_or_none(error, "response")
    if not attribute_or_none(response, "history"):
        return ""
    return (
        f"; the request was redirected to {plain_address(str(response.url))}, so `endpoint` should lead there"
    )


def _body(error: BaseException) -> Mapping[str, Any]:
    body = getattr(error, "body", None)
    if isinstance(body, list) and body:  # as Google writes it
        body = body[0]
    if not isinstance(body, Mapping):
        return {}
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def _code(error: BaseException) -> str | None:
    """The provider's own code for what is wrong."""
    body = _body(error)
    for value in (getattr(error, "code", None), body.get("code"), body.get("type")):
        if isinstance(value, str) and value and not value.isdigit():
            return value
    return None


def _status(error: BaseException) -> int | None:
    """The HTTP status; in a stream, or in an answer with status 200, the number that stands in its place."""
    status = http_status(error)
    if status is not None:
        return status
    for value in (_body(error).get("code"), _body(error).get("status")):
        number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) == 3 else value
        if isinstance(number, int) and 400 <= number <= 599:
            return number
    return None


def _message(error: BaseException) -> str:
    """The provider's own words; without any, the whole of what it says."""
    body = getattr(error, "body", None)
    said = _body(error)
    for value in (said.get("message"), said.get("error"), said.get("detail"), body):
        if isinstance(value, str) and value.strip():
            return _short(value.strip().rstrip("."))
    if body:
        return _short(json.dumps(body, ensure_ascii=False, default=str))
    if isinstance(error, json.JSONDecodeError):
        return _short(f"{describe(error)} in {show_value(error.doc, _SHOWN)}")
    return _short(str(error) if isinstance(error, NoCompletion) else describe(error))


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), _LONGEST)
