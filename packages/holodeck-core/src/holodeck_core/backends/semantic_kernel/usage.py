"""Tokens as a provider counts them. Pure."""

from __future__ import annotations

from typing import Any

from holodeck_core.models.token_usage import MAX_TOKENS, TokenUsage

MISSING = TokenUsage(prompt_tokens=0, completion_tokens=0, total_tokens=0, partial=True)
"""What a completion adds to the sum of a turn for which the provider reported nothing."""


def read_usage(usage: Any) -> TokenUsage | None:
    """The ``usage`` of a chat completion; None where the provider reported none.

    What of it is missing or makes no sense counts as 0, and marks the whole as partial. Cache reads are part of the
    prompt tokens.
    """
    if usage is None:
        return None
    prompt = _count(getattr(usage, "prompt_tokens", None))
    completion = _count(getattr(usage, "completion_tokens", None))
    if prompt is None and completion is None:
        return None
    total = _count(getattr(usage, "total_tokens", None)) or 0
    cached = _count(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None))
    parts = (prompt or 0) + (completion or 0)
    return TokenUsage(
        prompt_tokens=prompt or 0,
        completion_tokens=completion or 0,
        total_tokens=max(total, parts),
        cache_read_tokens=cached or 0,
        partial=prompt is None or completion is None,
    )


class TurnUsage:
    """Gathers the usage of a turn: knows whether the provider reported some of its completions and left out others."""

    def __init__(self) -> None:
        self._reported = False
        self._missing = False

    def add(self, usage: TokenUsage | None) -> None:
        """Note what one completion reported."""
        self._reported = self._reported or usage is not None
        self._missing = self._missing or usage is None

    @property
    def lacks_a_part(self) -> bool:
        """Whether the sum of what was reported is not the whole."""
        return self._reported and self._missing


def _count(value: Any) -> int | None:
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS
    return value if sound else None
