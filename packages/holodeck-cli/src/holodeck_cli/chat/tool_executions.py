"""Tool calls as the messages of a chat hold them. Pure."""

from __future__ import annotations

from holodeck_cli.chat.events import ChatTurn
from holodeck_cli.json_text import json_text
from holodeck_core import Agent, ChatHistory, MCPTool, ToolCall
from holodeck_core.api.values import thaw
from holodeck_core.models.llm import OWN_AGENTS


class KnownTools:
    """The tools of an agent, where its file names them all."""

    def __init__(self, agent: Agent) -> None:
        tools = agent.tools
        known = tools is not None and not any(isinstance(tool, MCPTool) for tool in tools)
        self._names = (
            {tool.name for tool in tools or ()} if known and agent.model.provider not in OWN_AGENTS else None
        )

    def error_of(self, call: ToolCall) -> str | None:
        """What the call failed with; an unknown tool is a failure."""
        if call.error is not None:
            return call.error.strip() or "the tool gave no reason"
        if self._names is None or call.name in self._names:
            return None
        return "the agent file has no tool of this name"


def add_turn(history: ChatHistory, turn: ChatTurn, known: KnownTools) -> None:
    """Add what was said in a turn; a blank reply is no message."""
    history.add_user_message(turn.message)
    if not turn.reply.text.strip():
        return
    for call in turn.reply.tool_calls:
        history.add_tool_message(
            None if call.result is None else result_text(call.result),
            function_name=call.name if call.name.strip() else "\ufffd",
            arguments=thaw(call.args),
            error=known.error_of(call),
            seconds=None if call.duration_ms is None else call.duration_ms / 1000,
        )
    history.add_assistant_message(turn.reply.text, tokens_used=turn.usage)


def result_text(result: object) -> str:
    """The result of a tool as text: strings as they are, everything else as JSON."""
    return result if isinstance(result, str) else json_text(result)
