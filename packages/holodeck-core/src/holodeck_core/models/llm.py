"""`model`: which agent or language model, and how to reach it."""

from __future__ import annotations

from typing import Any, TypeAlias

from pydantic import ConfigDict, Field, SecretStr

from holodeck_core.models.base import Number, StrictModel, Text, Whole


class ProviderSettings(StrictModel):
    """What any provider may be given. Further keys belong to the backend, which checks them."""

    model_config = ConfigDict(extra="allow")

    name: Text | None = None
    temperature: Number | None = Field(default=None, ge=0, le=2)
    top_p: Number | None = Field(default=None, ge=0, le=1)
    max_tokens: Whole | None = Field(default=None, gt=0)
    endpoint: Text | None = None
    api_key: SecretStr | None = None
    """Never shown: neither its repr nor a dump nor a validation error holds it."""
    api_version: Text | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The keys that belong to the backend, as they were written."""
        return dict(self.__pydantic_extra__ or {})


class LLMProvider(ProviderSettings):
    """An agent or a language model; `provider` names the backend that opens sessions with it."""

    provider: Text


class EmbeddingProvider(ProviderSettings):
    """The model that turns text into vectors; without `provider` it is that of the agent's `model`."""

    provider: Text | None = None


LLMConfig: TypeAlias = LLMProvider
