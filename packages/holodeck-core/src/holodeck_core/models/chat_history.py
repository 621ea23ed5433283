"""The messages of a conversation, for agents that do not keep them in Semantic Kernel's ``ChatHistory``."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from holodeck_core.models.chat import Message, MessageRole
from holodeck_core.models.token_usage import TokenUsage
from holodeck_core.models.tool_execution import ToolExecution, ToolStatus

_SEMANTIC_KERNEL = "semantic_kernel.contents"
_ERROR, _SECONDS = (
    "holodeck.error",
    "holodeck.seconds",
)  # keys of metadata that Semantic Kernel has no field for


class ChatHistory:
    """A light history with the methods of Semantic Kernel's, convertible both ways.

    ``messages`` hold what was said. Calls of tools are part of the assistant message that follows them. Messages are
    validated as ``Message`` is: ValueError for one that is blank or too long.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.messages: list[Message] = list(messages)
        self._calls: list[ToolExecution] = []

    def __len__(self) -> int:
        return len(self.messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __getitem__(self, index: int) -> Message:
        return self.messages[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChatHistory) and self.messages == other.messages

    __hash__ = None  # type: ignore[assignment] # it changes

    def add_message(self, message: Message) -> None:
        """Add a message as it is."""
        self._calls.clear()
        self.messages.append(message)

    def add_system_message(self, content: str) -> None:
        """Add a system prompt."""
        self.add_message(Message(role=MessageRole.SYSTEM, content=content))

    def add_user_message(self, content: str) -> None:
        """Add what the user said."""
        self.add_message(Message(role=MessageRole.USER, content=content))

    def add_tool_message(
        self,
        content: str | None,
        *,
        function_name: str,
        arguments: Mapping[str, Any] | None = None,
        error: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """Add the outcome of a call: ``content`` is its result, ``error`` what it failed with."""
        call = ToolExecution(
            tool_name=function_name,
            parameters=dict(arguments or {}),
            result=content,
            status=ToolStatus.SUCCESS if error is None else ToolStatus.FAILED,
            execution_time=seconds,
            error_message=error,
        )
        self._calls.append(call)

    def add_assistant_message(self, content: str, *, tokens_used: TokenUsage | None = None) -> None:
        """Add what the agent said, with the calls that were added since the last message."""
        calls = list(self._calls)
        message = Message(
            role=MessageRole.ASSISTANT, content=content, tool_calls=calls, tokens_used=tokens_used
        )
        self.add_message(message)

    def clear(self) -> None:
        """Forget everything."""
        self.messages.clear()
        self._calls.clear()

    def to_semantic_kernel(self) -> Any:
        """The same conversation as Semantic Kernel's ``ChatHistory``, which is imported now."""
        sk = importlib.import_module(_SEMANTIC_KERNEL)
        history = sk.ChatHistory()
        for position, message in enumerate(self.messages):
            if message.role is MessageRole.SYSTEM:
                history.add_system_message(message.content)
            elif message.role is MessageRole.USER:
                history.add_user_message(message.content)
            else:
                _add_calls(sk, history, message.tool_calls, position)
                history.add_assistant_message(message.content)
        return history

    @classmethod
    def from_semantic_kernel(cls, history: Any) -> ChatHistory:
        """The texts and the calls of a Semantic Kernel ``ChatHistory``. Text beside calls is no message: what the
        agent replied stands behind them."""
        light = cls()
        open_calls: dict[str, Any] = {}
        for message in history.messages:
            role, text = str(getattr(message.role, "value", message.role)), (message.content or "").strip()
            calls = [item for item in message.items if hasattr(item, "arguments")]
            open_calls |= {call.id: call for call in calls}
            if role == "tool":
                for item in message.items:
                    _take_result(light, open_calls.pop(getattr(item, "id", ""), None), item)
            elif text and role == "user":
                light.add_user_message(text)
            elif text and role in ("system", "developer"):
                light.add_system_message(text)
            elif text and not calls:
                light.add_assistant_message(text)
        return light


def _add_calls(sk: Any, history: Any, calls: list[ToolExecution], position: int) -> None:
    if not calls:
        return
    ids = [f"call_{position}_{index}" for index in range(len(calls))]
    history.add_assistant_message(
        [
            sk.FunctionCallContent(
                id=call_id,
                name=call.tool_name,
                function_name=call.tool_name,
                arguments=json.dumps(call.parameters, ensure_ascii=False, default=str),
            )
            for call_id, call in zip(ids, calls, strict=True)
        ]
    )
    for call_id, call in zip(ids, calls, strict=True):
        outcome = sk.FunctionResultContent(
            id=call_id,
            name=call.tool_name,
            function_name=call.tool_name,
            result=call.result if call.result is not None else call.error_message or "",
            metadata={_ERROR: call.error_message, _SECONDS: call.execution_time},
        )
        history.add_tool_message([outcome])


def _take_result(light: ChatHistory, call: Any, outcome: Any) -> None:
    if call is None:
        return
    metadata = outcome.metadata or {}
    error = metadata.get(_ERROR)
    result = None if outcome.result is None else str(outcome.result)
    light.add_tool_message(
        None if error is not None and result == error else result,
        function_name=call.function_name or call.name,
        arguments=_arguments(call.arguments),
        error=error,
        seconds=metadata.get(_SECONDS),
    )


def _arguments(arguments: Any) -> dict[str, Any]:
    """The arguments of a call, which Semantic Kernel keeps as a mapping or as text; none where the text is broken."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return cast("dict[str, Any]", dict(arguments)) if isinstance(arguments, Mapping) else {}
