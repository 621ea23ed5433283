"""Semantic Kernel's connector to chat models, made to send what was said and to take what comes. Imports it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from urllib.parse import quote

from openai import AsyncAzureOpenAI, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Timeout
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.contents import (
    AuthorRole,
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    TextContent,
)

from holodeck_core.api.faults import describe
from holodeck_core.backends.semantic_kernel.answers import (
    checked_answer,
    plain_choice,
    readable,
    wanted_calls,
)
from holodeck_core.backends.semantic_kernel.chunks import Chunks
from holodeck_core.backends.semantic_kernel.options import AZURE, Target
from holodeck_core.backends.tool_calls import decode_arguments
from holodeck_core.errors import AgentError

CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 600.0
"""The longest silence of a provider; a run sets a shorter limit to a whole turn, ``llm_timeout``."""


class Connector(OpenAIChatCompletion):  # type: ignore[misc]
    """One model at its provider.

    Other than Semantic Kernel's own it sends the text that stands beside a tool call, sends arguments that are no JSON
    in a form that every server can read, takes answers as servers of all kinds write them, says what came in the place
    of one, and counts no tokens.
    """

    async def _send_request(self, settings: Any) -> Any:
        response = await super()._send_request(settings)
        if isinstance(response, AsyncStream):
            return await Chunks.begun(response)
        return checked_answer(response)

    def _prepare_chat_history_for_request(
        self, chat_history: ChatHistory, role_key: str = "role", content_key: str = "content"
    ) -> list[dict[str, Any]]:
        return [wire_message(message) for message in chat_history.messages]

    def _create_chat_message_content(self, response: Any, choice: Any, response_metadata: Any) -> Any:
        with readable(response):
            return super()._create_chat_message_content(response, plain_choice(choice), response_metadata)

    def _create_streaming_chat_message_content(
        self, chunk: Any, choice: Any, chunk_metadata: Any, function_invoke_attempt: int
    ) -> Any:
        with readable(chunk):
            return super()._create_streaming_chat_message_content(
                chunk, plain_choice(choice), chunk_metadata, function_invoke_attempt
            )

    def _get_tool_calls_from_chat_choice(self, choice: Any) -> list[FunctionCallContent]:
        return wanted_calls(choice)

    def _get_metadata_from_chat_response(self, response: Any) -> dict[str, Any]:
        return {"id": response.id}

    def _get_metadata_from_streaming_chat_response(self, response: Any) -> dict[str, Any]:
        return {"id": response.id}

    def store_usage(self, response: Any) -> None:
        """Tokens are read from each completion: what counts is the turn, not all sessions together."""


def http_client() -> Any:
    """The connections that all sessions of a backend share: as many as there are requests at once."""
    # The client of OpenAI is built on httpx or on its successor, which it does not say in public.
    base = next(kind for kind in DefaultAsyncHttpxClient.__mro__ if kind.__name__ == "AsyncClient")
    limits = import_module(base.__module__.partition(".")[0]).Limits
    try:
        return DefaultAsyncHttpxClient(limits=limits(max_connections=None, max_keepalive_connections=None))
    except (ImportError, ValueError) as error:  # it reads the environment
        raise AgentError(
            f"the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: {describe(error)}"
        ) from None


def connector(target: Target, http: Any) -> Connector:
    """The connector to a model. Nothing is read from a ``.env`` file, and no request is sent twice."""
    common: Mapping[str, Any] = {
        "api_key": target.key,
        "max_retries": 0,
        "timeout": Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
        "http_client": http,
    }
    if target.provider == AZURE:
        client = AsyncAzureOpenAI(
            azure_endpoint=target.endpoint,
            azure_deployment=quote(target.model, safe=""),
            api_version=target.api_version,
            **common,
        )
    else:
        client = AsyncOpenAI(base_url=target.endpoint, **common)
    return Connector(ai_model_id=target.model, async_client=client, env_file_path=os.devnull)


def wire_message(message: ChatMessageContent) -> dict[str, Any]:
    """A message of the history as it is sent.

    Arguments of a call that are no JSON object are sent as ``{}``, for some servers read them and fail; the model is
    told its own words in the result of the call.
    """
    wire: dict[str, Any] = message.to_dict()
    text = "".join(item.text for item in message.items if isinstance(item, TextContent))
    calls = wire.get("tool_calls")
    if calls is None:
        if message.role != AuthorRole.TOOL and all(isinstance(item, TextContent) for item in message.items):
            wire["content"] = text
        return wire
    for item, call in zip(_calls(message), calls, strict=True):
        if not item.arguments or decode_arguments(item.arguments)[1] is not None:
            call["function"]["arguments"] = "{}"
    return {**wire, "content": text} if text else wire


def _calls(message: ChatMessageContent) -> list[FunctionCallContent]:
    return [item for item in message.items if isinstance(item, FunctionCallContent)]
