"""Recorded conversations in OpenAI's chat format, as the turns they consist of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from holodeck_core.api.reply import Reply, ToolCall
from holodeck_core.api.values import well_formed
from holodeck_core.backends.tool_calls import tool_call
from holodeck_core.text import show_value

_UNSENT_ROLES = ("system", "developer")
_SHOWN = 60


@attrs.frozen
class RecordedTurn:
    """One user message, and what the recording holds up to the next one.

    ``reply.text`` is the text after the last tool call, ``""`` where there is none; several messages of the assistant
    are joined by line breaks.
    """

    message: str
    reply: Reply


class MessageMistakes(ValueError):
    """Messages of a conversation that cannot be read: ``mistakes`` has the index of each, and what is wrong with it.

    The index is None where the messages are no list.
    """

    def __init__(self, mistakes: list[tuple[int | None, str]]) -> None:
        super().__init__("; ".join(_placed(index, what) for index, what in mistakes))
        self.mistakes = mistakes


def _placed(index: int | None, what: str) -> str:
    return f"messages: {what}" if index is None else f"messages[{index}]: {what}"


def read_turns(messages: object) -> tuple[RecordedTurn, ...]:
    """The turns of a conversation; what stands before the first user message belongs to none.

    Understood are the roles ``system``, ``developer``, ``user``, ``assistant`` (``tool_calls``, or ``function_call``),
    ``tool`` and ``function``. Raises MessageMistakes that names all messages that are none of these.
    """
    if not isinstance(messages, list):
        raise MessageMistakes(
            [(None, f"must be a list of chat messages, got {show_value(messages, _SHOWN)}")]
        )
    turns: list[_OpenTurn] = []
    mistakes: list[tuple[int | None, str]] = []
    for index, message in enumerate(messages):
        try:
            _read(message, turns)
        except (ValueError, TypeError) as error:
            mistakes.append((index, str(error)))
            if isinstance(message, Mapping) and message.get("role") == "user":
                turns.append(_OpenTurn(""))
            if turns:
                turns[-1].doubtful = True
    if mistakes:
        raise MessageMistakes(mistakes)
    return tuple(turn.finished() for turn in turns)


def _read(message: object, turns: list[_OpenTurn]) -> None:
    if not isinstance(message, Mapping):
        raise ValueError(f"a chat message is a mapping, got {show_value(message, _SHOWN)}")
    role = message.get("role")
    content = _text(message.get("content"))
    match role:
        case "user":
            turns.append(_OpenTurn(content or ""))
        case "assistant":
            calls = _calls(message)
            if turns:
                turns[-1].say(content or _refusal(message), calls)
        case "tool" | "function":
            if turns:
                turns[-1].answer(message.get("tool_call_id"), message.get("name"), content)
        case _ if role not in _UNSENT_ROLES:
            raise ValueError(f"unknown role {show_value(role, _SHOWN)}")


def _text(content: object) -> str | None:
    """The text of a message: of all its parts, where it consists of parts; images and the like have none."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ValueError(
            f"the content must be text, a list of parts or null, got {show_value(content, _SHOWN)}"
        )
    return "".join(map(_part_text, content))


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise ValueError(f"a part of the content is a mapping, got {show_value(part, _SHOWN)}")
    text = part.get("text", part.get("refusal"))
    return text if isinstance(text, str) else ""


def _refusal(message: Mapping[Any, Any]) -> str:
    refusal = message.get("refusal")
    return refusal if isinstance(refusal, str) else ""


def _calls(message: Mapping[Any, Any]) -> list[_OpenCall]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ValueError(f"tool_calls: must be a list, got {show_value(calls, _SHOWN)}")
    found = [_OpenCall(tool_call(call), call.get("id")) for call in calls]
    legacy = message.get("function_call")
    return found if legacy is None else [*found, _OpenCall(tool_call(legacy), None)]


@attrs.define
class _OpenCall:
    call: ToolCall
    call_id: object


class _OpenTurn:
    """A turn while it is being read. One that is ``doubtful`` lacks a message that could not be read."""

    def __init__(self, message: str) -> None:
        self.doubtful = False
        # What is sent to an agent is text that can be encoded, and so is what it is compared with.
        self._message = well_formed(message)
        self._pieces: list[str] = []
        self._calls: list[_OpenCall] = []
        self._waiting: list[_OpenCall] = []

    def say(self, text: str, calls: list[_OpenCall]) -> None:
        if calls:
            self._pieces.clear()  # what was said before a call, or beside it, is not the reply
            self._calls += calls
            self._waiting += calls
        elif text:
            self._pieces.append(text)

    def answer(self, call_id: object, name: object, result: str | None) -> None:
        """Join a result to the first call without one that has its id, else to one that has no id."""
        matches = (call for call in self._waiting if _fits(call, call_id, name))
        call = next(matches, None)
        if call is None:
            if self.doubtful:
                return
            label = show_value(name if call_id is None else call_id, _SHOWN)
            raise ValueError(f"the result {label} belongs to no call of its turn that still waits for one")
        self._waiting.remove(call)
        call.call = attrs.evolve(call.call, result=result)

    def finished(self) -> RecordedTurn:
        calls = tuple(open_call.call for open_call in self._calls)
        return RecordedTurn(self._message, Reply("\n".join(self._pieces), calls))


def _fits(call: _OpenCall, call_id: object, name: object) -> bool:
    if call_id is not None and call.call_id is not None:
        return call.call_id == call_id
    return name is None or call.call.name == name
