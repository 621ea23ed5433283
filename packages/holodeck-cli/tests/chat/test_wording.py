"""How the tokens of a turn are told in a conversation."""

from __future__ import annotations

import pytest

from holodeck_cli.chat.wording import tokens_text
from holodeck_core import TokenUsage


@pytest.mark.parametrize(
    ("prompt", "total", "read", "text"),
    [
        (120, 150, 0, "120 + 30 tokens"),
        (900, 930, 800, "900 + 30 tokens, 800 from the cache"),
        (100, 930, 800, "900 + 30 tokens, 800 from the cache"),
    ],
    ids=["nothing cached", "part of the prompt", "beside the prompt"],
)
def test_what_was_cached_is_part_of_what_went_in(prompt: int, total: int, read: int, text: str) -> None:
    usage = TokenUsage(prompt_tokens=prompt, completion_tokens=30, total_tokens=total, cache_read_tokens=read)
    assert tokens_text(usage, None) == text
