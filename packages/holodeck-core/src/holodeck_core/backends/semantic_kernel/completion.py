"""What a model answers to one request. Pure: put together from the pieces in which it comes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from holodeck_core.backends.tool_calls import decode_arguments
from holodeck_core.models.token_usage import TokenUsage


@attrs.frozen
class WantedCall:
    """A tool call as the model wants it: the name it gives, and the text of the arguments."""

    name: str
    arguments: str = ""
    id: str | None = None


@attrs.frozen
class Completion:
    """The whole answer. ``finish`` is the provider's reason to end it, None where it gave none; ``refused`` says that
    the text is the model's refusal to answer."""

    text: str = ""
    calls: Sequence[WantedCall] = ()
    usage: TokenUsage | None = None
    finish: str | None = None
    refused: bool = False


@attrs.define
class _OpenCall:
    index: int | None
    id: str | None
    name: str
    arguments: list[str]

    def is_whole(self) -> bool:
        """Whether the arguments are there to the end."""
        text = "".join(self.arguments)
        return bool(text.strip()) and decode_arguments(text)[1] is None


class CallPieces:
    """Calls that come in pieces: a piece belongs to the call of its index, else to that of its id, else to the last."""

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []

    def add(self, index: int | None, call_id: str | None, name: str | None, arguments: Any) -> None:
        """Take a piece; a second id at one index begins another call, for some servers number all with 0, and so does
        a name behind a call that is whole, for some give no ids either. A name comes in pieces before any arguments;
        some servers repeat it."""
        text = arguments if isinstance(arguments, str) else ""
        call = self._open(index, call_id or None)
        if call is not None and name and call.id is None and call.is_whole():
            call = None
        if call is None:
            self._calls.append(_OpenCall(index, call_id or None, name or "", [text]))
            return
        call.id = call.id or call_id or None
        if name and name != call.name and not "".join(call.arguments):
            call.name += name
        call.arguments.append(text)

    def whole(self) -> tuple[WantedCall, ...]:
        """The calls, in the order in which they began."""
        return tuple(WantedCall(call.name, "".join(call.arguments), call.id) for call in self._calls)

    def _open(self, index: int | None, call_id: str | None) -> _OpenCall | None:
        """The call that a piece goes on with; None where it begins one."""
        if index is None:
            same = (call for call in reversed(self._calls) if call_id in (None, call.id))
            unnamed = (call for call in self._calls[-1:] if call.id is None)
            return next(same, None) or next(unnamed, None)
        for call in reversed(self._calls):
            if call.index == index and (call_id is None or call.id is None or call.id == call_id):
                return call
        return None
