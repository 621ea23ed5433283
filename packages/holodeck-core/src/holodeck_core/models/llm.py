"""`model`: which agent or language model, and how to reach it."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from pydantic import ConfigDict, Field, SecretStr

from holodeck_core.models.base import Number, StrictModel, Text, Whole


class ProviderSettings(StrictModel):
    """What a provider may be given; one takes what means something to it. Further keys belong to the backend, which
    checks them."""

    model_config = ConfigDict(extra="allow")

    name: Text | None = None
    """The model's name at its provider. Example: `gpt-4o-mini`"""
    temperature: Number | None = Field(default=None, ge=0, le=2)
    """How freely the model picks its words; at 0 it takes the likeliest. Example: `0.2`"""
    top_p: Number | None = Field(default=None, ge=0, le=1)
    """The model picks from the likeliest words that make up this share of the probability. Example: `0.9`"""
    max_tokens: Whole | None = Field(default=None, gt=0)
    """The longest reply, in tokens. Example: `1000`"""
    endpoint: Text | None = None
    """Where the provider is reached, if not at its usual address. Example: `https://models.example.org/v1`"""
    api_key: SecretStr | None = None
    """The key for the provider. It is never shown, stored or logged. Example: `${OPENAI_API_KEY}`"""
    api_version: Text | None = None
    """The version of the provider's interface. Example: `2024-10-21`"""

    @property
    def options(self) -> dict[str, Any]:
        """The keys that belong to the backend, as they were written."""
        return dict(self.__pydantic_extra__ or {})


class LLMProvider(ProviderSettings):
    """An agent or a language model; `provider` names the backend that opens sessions with it."""

    provider: Text
    """Who answers: `openai`, `azure_openai`, `python`, `replay`, `scripted`, another installed backend, or a
    plugin's `plugin/name`.
    Example: `python`
    """


class EmbeddingProvider(ProviderSettings):
    """The model that turns text into vectors; without `provider` it is that of the agent's `model`."""

    provider: Text | None = None
    """Who makes the vectors; left out, the provider of the agent's `model`. Example: `openai`"""


OWN_AGENTS: Final = frozenset({"python", "replay", "scripted"})
"""Providers of agents that bring their own tools, so that ``tools`` need not name them, and that name no model."""

LLMConfig: TypeAlias = LLMProvider
