"""One model, asked for completions through Semantic Kernel. Imports it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from semantic_kernel.connectors.ai.open_ai import OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import (
    AuthorRole,
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    TextContent,
)

from holodeck_core.api.reply import TextDelta
from holodeck_core.api.values import well_formed
from holodeck_core.backends.semantic_kernel.completion import CallPieces, Completion, WantedCall
from holodeck_core.backends.semantic_kernel.connector import Connector
from holodeck_core.backends.semantic_kernel.options import ChatModelOptions, Target
from holodeck_core.backends.semantic_kernel.provider_errors import NoCompletion, told
from holodeck_core.backends.semantic_kernel.usage import read_usage
from holodeck_core.errors import AgentError, TransientError


class ChatModel:
    """A model with its settings and the tools that it may call; it remembers nothing, and all sessions share it."""

    def __init__(
        self,
        connector: Connector,
        target: Target,
        options: ChatModelOptions,
        tools: Sequence[Mapping[str, Any]] = (),
        response_format: Mapping[str, Any] | None = None,
    ) -> None:
        """``tools`` and ``response_format`` are as OpenAI's interface has them."""
        self.target = target
        self._connector = connector
        self._stream = options.stream
        common = {
            "temperature": options.temperature,
            "top_p": options.top_p,
            "max_tokens": options.max_tokens,
            "max_completion_tokens": options.max_completion_tokens,
            "seed": options.seed,
            "response_format": response_format,
            "tools": list(tools) or None,
        }
        given = {key: value for key, value in common.items() if value is not None}
        self._settings = {
            choice: OpenAIChatPromptExecutionSettings(**given, **({"tool_choice": choice} if tools else {}))
            for choice in ("auto", "none")
        }

    async def complete(
        self, messages: Sequence[ChatMessageContent], *, may_call: bool = True
    ) -> AsyncGenerator[TextDelta | Completion, None]:
        """The answer to the messages: its text as it comes, at last the whole. With ``may_call=False`` the model is
        asked to answer without calling a tool.

        Raises TransientError where trying again may help, AgentError for everything else that goes wrong.
        """
        settings = self._settings["auto" if may_call else "none"]
        history = ChatHistory(messages=list(messages))
        pieces = self._streamed(history, settings) if self._stream else self._whole(history, settings)
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        except AgentError:
            raise
        except Exception as error:  # noqa: BLE001 - boundary: the connector and the client raise what they like
            raise told(error, self.target) from None

    async def answer(self, text: str) -> Completion:
        """The answer to one message without a past. Raises as ``complete`` does, and for one that was filtered."""
        message = ChatMessageContent(role=AuthorRole.USER, items=[TextContent(text=well_formed(text))])
        async with aclosing(self.complete([message])) as pieces:
            async for piece in pieces:
                if isinstance(piece, Completion):
                    answer = piece
        if answer.finish == "content_filter":
            raise AgentError("the provider's content filter cut the answer off")
        return answer

    async def _whole(
        self, history: ChatHistory, settings: OpenAIChatPromptExecutionSettings
    ) -> AsyncGenerator[TextDelta | Completion, None]:
        answers = await self._connector.get_chat_message_contents(history, settings)
        if not answers:
            raise TransientError(f"{self.target.shown} answered without a choice")
        answer = answers[0]
        text = answer.content or ""
        if text:
            yield TextDelta(text)
        calls = tuple(
            WantedCall(item.name or "", item.arguments or "", item.id)
            for item in answer.items
            if isinstance(item, FunctionCallContent)
        )
        usage = read_usage(getattr(answer.inner_content, "usage", None))
        finish = self._finished(_finish(answer.inner_content))
        yield Completion(text, calls, usage, finish, _refuses(answer.inner_content))

    async def _streamed(
        self, history: ChatHistory, settings: OpenAIChatPromptExecutionSettings
    ) -> AsyncGenerator[TextDelta | Completion, None]:
        texts: list[str] = []
        calls = CallPieces()
        usage = finish = first = None
        refused = False
        async with aclosing(self._connector.get_streaming_chat_message_contents(history, settings)) as chunks:
            async for choices in chunks:
                for piece in choices:
                    first = first or piece
                    usage = read_usage(getattr(piece.inner_content, "usage", None)) or usage
                    if piece.choice_index != 0:
                        continue
                    finish = _finish(piece.inner_content) or finish
                    refused = refused or _refuses(piece.inner_content)
                    for item in piece.items:
                        if isinstance(item, FunctionCallContent):
                            calls.add(item.index, item.id, item.name, item.arguments)
                    if piece.content:
                        texts.append(piece.content)
                        yield TextDelta(piece.content)
        if first is None:
            raise NoCompletion("the stream holds nothing")
        if finish is None:
            raise TransientError(f"{self.target.shown} ended the stream before the reply was complete")
        yield Completion("".join(texts), calls.whole(), usage, self._finished(finish), refused)

    def _finished(self, finish: str | None) -> str | None:
        """Raise TransientError for an answer that was not brought to its end."""
        if finish == "error":
            raise TransientError(f"{self.target.shown} ended the reply with an error that it does not name")
        return finish


def _finish(response: Any) -> str | None:
    choices = getattr(response, "choices", None)
    return choices[0].finish_reason if choices else None


def _refuses(response: Any) -> bool:
    """Whether a text stands in the place where models refuse to answer."""
    choices = getattr(response, "choices", None)
    said = (getattr(choices[0], "message", None) or getattr(choices[0], "delta", None)) if choices else None
    return bool(getattr(said, "refusal", None)) and not getattr(said, "content", None)
