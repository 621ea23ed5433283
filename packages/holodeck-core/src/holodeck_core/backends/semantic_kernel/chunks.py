"""The stream of an answer as servers send it, in the chunks that Semantic Kernel reads. Imports the client."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final

from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk

from holodeck_core.backends.semantic_kernel.answers import instead, refuse_error

_NOTED: Final = 1000


class Chunks(AsyncStream[ChatCompletionChunk]):  # type: ignore[misc]
    """A stream whose chunks all have choices, perhaps none, and which is closed when it fails: its generators, left to
    themselves, would be closed at the end of the program, all at once, and complain."""

    def __init__(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        self.response = stream.response
        self._stream = stream
        stream._decoder = _WithData(stream._decoder)

    @classmethod
    async def begun(cls, stream: AsyncStream[ChatCompletionChunk]) -> Chunks:
        """The stream. Raises NoCompletion where the server answered with JSON instead."""
        if "application/json" not in stream.response.headers.get("content-type", ""):
            return cls(stream)
        data = await stream.response.aread()
        try:
            came = json.loads(data)
        except (ValueError, RecursionError):
            came = data.decode(errors="replace")
        raise instead(came, " and no stream: `stream: false` asks for whole replies")

    async def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        opened: list[AsyncGenerator[bytes, None]] = []
        begin = bytearray()
        read = self.response.aiter_bytes

        async def noting(*args: Any, **kwargs: Any) -> AsyncGenerator[bytes, None]:
            async with aclosing(read(*args, **kwargs)) as pieces:
                async for piece in pieces:
                    begin.extend(piece[: _NOTED - len(begin)])
                    yield piece

        def noted(*args: Any, **kwargs: Any) -> AsyncGenerator[bytes, None]:
            opened.append(noting(*args, **kwargs))
            return opened[-1]

        self.response.aiter_bytes = noted
        came = False
        try:
            async for chunk in self._stream:
                found: Any = chunk
                came = True
                if isinstance(found, ChatCompletionChunk):
                    refuse_error(found)
                    yield found if found.choices else found.model_copy(update={"choices": []})
                elif found is not None:
                    raise instead(found)
        finally:
            for each in opened:
                await each.aclose()
        text = begin.decode(errors="replace").strip()
        if text and not came and not text.startswith("data:"):
            raise instead(text, " and no stream")


class _WithData:
    """Reads the events of a stream as the client does, without those that carry no data: they keep the connection
    alive."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder

    async def aiter_bytes(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        async with aclosing(self._decoder.aiter_bytes(pieces)) as events:
            async for event in events:
                if event.data:
                    yield event
