"""What was said, as messages of Semantic Kernel. Imports it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from semantic_kernel.contents import (
    AuthorRole,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)

from holodeck_core.api.reply import Exchange, ToolCall
from holodeck_core.api.values import to_json, well_formed
from holodeck_core.backends.semantic_kernel.prompts import text_of_value


def said(role: AuthorRole, text: str) -> ChatMessageContent:
    """A message of text alone."""
    return ChatMessageContent(role=role, items=[TextContent(text=well_formed(text))])


def earlier_messages(exchange: Exchange, number: int) -> Iterator[ChatMessageContent]:
    """The messages of one exchange of a conversation that was held earlier; ``number`` tells its calls from those of
    others."""
    yield said(AuthorRole.USER, exchange.message.text)
    calls = [(f"earlier_{number}_{index}", call) for index, call in enumerate(exchange.reply.tool_calls)]
    if calls:
        wanted = [
            FunctionCallContent(id=call_id, name=_name(call), arguments=_arguments(call))
            for call_id, call in calls
        ]
        yield ChatMessageContent(role=AuthorRole.ASSISTANT, items=[*wanted])
    for call_id, call in calls:
        told = text_of_value(to_json(call.result)) if call.error is None else f"Error: {call.error}"
        result = FunctionResultContent(id=call_id, name=_name(call), result=well_formed(told))
        yield ChatMessageContent(role=AuthorRole.TOOL, items=[result])
    if exchange.reply.text:
        yield said(AuthorRole.ASSISTANT, exchange.reply.text)


def _name(call: ToolCall) -> str:
    return well_formed(call.runtime_name or call.name) or "unnamed"


def _arguments(call: ToolCall) -> str:
    return well_formed(call.raw_args) if call.raw_args is not None else json.dumps(to_json(call.args))
