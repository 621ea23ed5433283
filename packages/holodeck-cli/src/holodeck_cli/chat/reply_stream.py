"""One attempt at a reply: its events as they come, within the time that it may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from holodeck_cli.chat.events import as_received
from holodeck_core import ReplyEvent, Session, UserMessage


async def reply_stream(session: Session, text: str, timeout_s: float) -> AsyncGenerator[ReplyEvent, None]:
    """The events of the reply, copied. Raises TimeoutError, and whatever the session raises.

    Only the time that the session takes counts, not that of whoever takes the events.
    """
    stream = session.stream(UserMessage(text))
    clock = asyncio.get_running_loop().time
    left = timeout_s
    try:
        while True:
            asked = clock()
            try:
                async with asyncio.timeout(left) as timer:
                    event = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                if timer.expired():
                    raise TimeoutError(f"no whole reply within {timeout_s:g} s (llm_timeout)") from None
                raise
            left -= clock() - asked
            yield as_received(event)
    finally:
        close = getattr(stream, "aclose", None)  # an iterator that is no generator has none
        if close is not None:
            await close()
