"""What servers answer, in the one shape that Semantic Kernel reads. Imports it.

Servers that speak as OpenAI does have dialects: arguments of a call as an object, content as a list of parts, another
role, a reason to finish of their own, an error with status 200.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from openai.types.chat import ChatCompletion
from pydantic import BaseModel
from semantic_kernel.contents import FinishReason, FunctionCallContent

from holodeck_core.backends.semantic_kernel.provider_errors import NoCompletion
from holodeck_core.text import show_value

_FINISH_REASONS: Final = frozenset(reason.value for reason in FinishReason)
_SHOWN: Final = 200


def checked_answer(response: Any) -> Any:
    """The completion that came. Raises NoCompletion."""
    choices = response.choices if isinstance(response, ChatCompletion) else None
    if isinstance(choices, list) and all(getattr(choice, "message", None) is not None for choice in choices):
        refuse_error(response)
        return response
    raise instead(_dumped(response))


@contextmanager
def readable(response: BaseModel) -> Iterator[None]:
    """While Semantic Kernel reads the response. Raises NoCompletion that shows it where it is of no shape that can be
    read."""
    try:
        yield
    except (AttributeError, TypeError, ValueError) as error:
        raise instead(_dumped(response)) from error


def plain_choice(choice: Any) -> Any:
    """The choice with a text, or none, as its content, of the role that answers have, without a reason to finish that
    Semantic Kernel refuses; a refusal in a stream is its text."""
    changed: dict[str, Any] = {}
    if not isinstance(choice.finish_reason, str) or choice.finish_reason not in _FINISH_REASONS:
        changed["finish_reason"] = None
    if not isinstance(getattr(choice, "index", None), int):
        changed["index"] = 0
    for part in ("message", "delta"):
        said = getattr(choice, part, None)
        if said is not None:
            text = _text(said.content)
            if part == "delta" and text is None:
                text = getattr(said, "refusal", None) or None
            changed[part] = said.model_copy(update={"content": text, "role": "assistant"})
    return choice.model_copy(update=changed)


def wanted_calls(choice: Any) -> list[FunctionCallContent]:
    """The calls of a choice, or the pieces of them; arguments that are no text become JSON. One that names no function
    is a call without a name: it is told, not lost."""
    said = getattr(choice, "message", None) or getattr(choice, "delta", None)
    return [
        FunctionCallContent(
            id=None if call.id is None else str(call.id),
            index=getattr(call, "index", None),
            name=_text(getattr(getattr(call, "function", None), "name", None)),
            arguments=_json_text(getattr(getattr(call, "function", None), "arguments", None)),
        )
        for call in getattr(said, "tool_calls", None) or ()
        if call is not None
    ]


def refuse_error(response: Any) -> None:
    """Raise NoCompletion for an error that is told in a completion, or in the place of its choices."""
    told = getattr(response, "error", None)
    for choice in response.choices or ():
        told = told or getattr(choice, "error", None)
    if told:
        raise instead({"error": told})
    instead_of_choices = response.object == "error" or getattr(response, "message", None)
    if instead_of_choices and "choices" not in response.model_fields_set:
        raise instead(_dumped(response))


def instead(came: object, hint: str = "") -> NoCompletion:
    """The exception that shows what came instead of an answer."""
    return NoCompletion(f"it answered {show_value(came, _SHOWN)}{hint}", came)


def _text(content: Any) -> str | None:
    """The text of a content: a text, or the texts of its parts; anything else as JSON."""
    if isinstance(content, list):
        parts = [_dumped(part) for part in content]
        return "".join(
            part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        )
    return _json_text(content)


def _json_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(_dumped(value), ensure_ascii=False)


def _dumped(value: Any) -> Any:
    return value.model_dump(exclude_unset=True, warnings=False) if isinstance(value, BaseModel) else value
