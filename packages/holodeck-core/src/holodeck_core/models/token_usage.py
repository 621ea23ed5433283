"""Tokens used by language models."""

from __future__ import annotations

from typing import Final, Self

from pydantic import ConfigDict, Field, model_validator

from holodeck_core.models.base import StrictModel, rule

MAX_TOKENS: Final = 2**53
"""What every reader of JSON can hold exactly; nobody uses more."""

COUNTS: Final = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "cache_creation_tokens",
    "cache_read_tokens",
)
"""The fields of ``TokenUsage`` that are counts."""


class TokenUsage(StrictModel):
    """Token counts of one or several completions; `+` sums all five.

    ``total_tokens`` may exceed prompt plus completion: providers count cache reads differently.
    ``partial`` marks a total of which a part is missing, since the provider reported nothing for it.
    """

    model_config = ConfigDict(frozen=True)

    prompt_tokens: int = Field(ge=0, le=MAX_TOKENS)
    """Tokens that were sent. Example: `120`"""
    completion_tokens: int = Field(ge=0, le=MAX_TOKENS)
    """Tokens of the reply. Example: `30`"""
    total_tokens: int = Field(ge=0, le=MAX_TOKENS)
    """All tokens; at least the sum of the two. Example: `150`"""
    cache_creation_tokens: int = Field(default=0, ge=0, le=MAX_TOKENS)
    """Tokens that were written to the provider's cache. Example: `100`"""
    cache_read_tokens: int = Field(default=0, ge=0, le=MAX_TOKENS)
    """Tokens that were read from the provider's cache. Example: `100`"""
    partial: bool = False
    """Whether some of the usage is unknown."""

    @model_validator(mode="after")
    def _total_covers_its_parts(self) -> Self:
        if self.total_tokens < self.prompt_tokens + self.completion_tokens:
            raise rule(
                f"`total_tokens` ({self.total_tokens}) is less than `prompt_tokens` ({self.prompt_tokens}) "
                f"+ `completion_tokens` ({self.completion_tokens})"
            )
        return self

    @property
    def input_tokens(self) -> int:
        """All that was sent, cached or not.

        Some providers count what is cached as part of the prompt, and others beside it: then their total says so, or
        there is more of it than of the prompt.
        """
        cached = self.cache_creation_tokens + self.cache_read_tokens
        parts = self.prompt_tokens + self.completion_tokens
        beside = cached > self.prompt_tokens or (cached > 0 and self.total_tokens >= parts + cached)
        return self.prompt_tokens + cached if beside else self.prompt_tokens

    @classmethod
    def zero(cls) -> TokenUsage:
        """No tokens at all: the start of a sum."""
        return cls(prompt_tokens=0, completion_tokens=0, total_tokens=0)

    def __add__(self, other: TokenUsage) -> TokenUsage:
        if not isinstance(other, TokenUsage):
            return NotImplemented
        return TokenUsage.model_construct(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            total_tokens=self.total_tokens + other.total_tokens,
            cache_creation_tokens=self.cache_creation_tokens + other.cache_creation_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            partial=self.partial or other.partial,
        )
