"""A step of a script as a chat completion, whole or as the chunks of a stream."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

_WORDS = re.compile(r"\s*\S+\s*$|\s*\S+")
_ARGUMENT_PIECE = 5


def pieces_of(step: Mapping[str, Any]) -> list[str]:
    """The text of a step as it is streamed: as it is cut, or word by word."""
    pieces: list[str] | None = step.get("pieces")
    return _WORDS.findall(step.get("text") or "") if pieces is None else pieces


class Completion:
    """The answer to one request: the ``number``-th of this server, for a ``model``, of so many ``messages``."""

    def __init__(self, step: Mapping[str, Any], number: int, model: str, messages: int) -> None:
        self.pieces = pieces_of(step)
        self._calls = [
            {
                "id": call.get("id", f"call_{number}_{index}"),
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": call["raw"] if "raw" in call else json.dumps(call.get("args", {})),
                },
            }
            for index, call in enumerate(step.get("calls", ()))
        ]
        self._finish = step.get("finish", "tool_calls" if self._calls else "stop")
        self._usage = self._counts(step.get("usage", {}), messages)
        self._head = {"id": f"chatcmpl-{number}", "created": int(time.time()), "model": model}

    def whole(self) -> dict[str, Any]:
        """The answer to a request without ``stream``."""
        text = "".join(self.pieces)
        message: dict[str, Any] = {
            "role": "assistant",
            "content": text if text or not self._calls else None,
            "refusal": None,
        }
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish}
        body = {**self._head, "object": "chat.completion", "choices": [choice]}
        return body if self._usage is None else {**body, "usage": self._usage}

    def text_chunks(self) -> Iterator[dict[str, Any]]:
        """The first chunks of a stream: one that names the role, and one for each piece of the text."""
        yield self._chunk({"role": "assistant", "content": "" if self.pieces or not self._calls else None})
        for piece in self.pieces:
            yield self._chunk({"content": piece})

    def last_chunks(self, include_usage: bool) -> Iterator[dict[str, Any]]:
        """The chunks behind the text: calls with their arguments in pieces, the finish reason, the usage if asked."""
        for index, call in enumerate(self._calls):
            function: Any = call["function"]
            named = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
            yield self._chunk({"tool_calls": [named]})
            arguments = function["arguments"]
            for start in range(0, len(arguments), _ARGUMENT_PIECE):
                piece = {"arguments": arguments[start : start + _ARGUMENT_PIECE]}
                yield self._chunk({"tool_calls": [{"index": index, "function": piece}]})
        yield self._chunk({}, self._finish)
        if include_usage and self._usage is not None:
            yield {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": self._usage}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head, "object": "chat.completion.chunk", "choices": [choice]}

    def _counts(self, usage: Mapping[str, int] | None, messages: int) -> dict[str, Any] | None:
        if usage is None:
            return None
        prompt = usage.get("prompt", 10 * messages)
        completion = usage.get("completion", len(self.pieces) + 10 * len(self._calls))
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": usage.get("cached", 0), "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }
