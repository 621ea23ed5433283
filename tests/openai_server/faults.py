"""How a provider says no: the answers of OpenAI and of Azure to requests that fail.

As ``fault`` of a step: a name of ``STATUS`` is an answer with that status, with ``retry_after`` (seconds),
``retry_after_ms`` or ``retry_after_date`` (an HTTP date in so many seconds) as headers where the step has them. The
others are no answers: ``hang`` (never answers), ``drop`` (ends the connection; behind so many pieces of the text with
``after_pieces``), ``stream_error`` (an error event behind the pieces of a streamed text, else status 500) and
``not_json`` (status 200 and a page of HTML).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import formatdate
from typing import Any

STATUS = {
    "unauthorized": 401,
    "forbidden": 403,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "invalid_request": 400,
    "rate_limit": 429,
    "insufficient_quota": 429,
    "server_error": 500,
    "bad_gateway": 502,
    "overloaded": 503,
}
SILENT = frozenset({"hang", "drop", "stream_error", "not_json"})
HTML = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

_CONTEXT = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. "
    "Please reduce the length of the messages."
)
_OPENAI: dict[str, tuple[str, str | None, str | None]] = {
    # name: message, type, code
    "unauthorized": ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    "forbidden": (
        "Your project does not have access to this model.",
        "invalid_request_error",
        "model_not_found",
    ),
    "model_not_found": (
        "The model does not exist or you do not have access to it.",
        "invalid_request_error",
        "model_not_found",
    ),
    "context_length_exceeded": (_CONTEXT, "invalid_request_error", "context_length_exceeded"),
    "content_filter": (
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        "invalid_request_error",
        "invalid_prompt",
    ),
    "invalid_request": ("Invalid value.", "invalid_request_error", None),
    "rate_limit": ("Rate limit reached for requests.", "requests", "rate_limit_exceeded"),
    "insufficient_quota": (
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
    ),
    "server_error": ("The server had an error while processing your request.", "server_error", None),
    "overloaded": ("The engine is currently overloaded, please try again later.", "server_error", None),
}
_AZURE: dict[str, tuple[str, str]] = {
    # name: message, code
    "unauthorized": (
        "Access denied due to invalid subscription key or wrong API endpoint.",
        "401",
    ),
    "model_not_found": (
        "The API deployment for this resource does not exist.",
        "DeploymentNotFound",
    ),
    "rate_limit": ("Requests have exceeded the rate limit of your current pricing tier.", "429"),
}
_AZURE_FILTER = {
    "message": "The response was filtered due to the prompt triggering the content management policy.",
    "type": None,
    "param": "prompt",
    "code": "content_filter",
    "status": 400,
    "innererror": {
        "code": "ResponsibleAIPolicyViolation",
        "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
    },
}


def error_body(name: str, azure: bool, message: str | None = None) -> dict[str, Any]:
    """The JSON body of a refusal, with the provider's message or another one."""
    if azure and name == "content_filter":
        return {"error": _AZURE_FILTER}
    if azure and name in _AZURE and message is None:
        text, azure_code = _AZURE[name]
        return {"error": {"code": azure_code, "message": text}}
    text, kind, code = _OPENAI[name]
    return {"error": {"message": message or text, "type": kind, "param": None, "code": code}}


def fault_headers(step: Mapping[str, Any]) -> dict[str, str]:
    """The headers that say how long to wait, or where to go instead."""
    headers = {}
    if "location" in step:
        headers["location"] = step["location"]
    if "retry_after" in step:
        headers["retry-after"] = str(step["retry_after"])
    if "retry_after_date" in step:
        headers["retry-after"] = formatdate(time.time() + step["retry_after_date"], usegmt=True)
    if "retry_after_ms" in step:
        headers["retry-after-ms"] = str(step["retry_after_ms"])
    return headers
