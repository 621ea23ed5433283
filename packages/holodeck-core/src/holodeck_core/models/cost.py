"""What a run cost, and of whom."""

from __future__ import annotations

from pydantic import Field

from holodeck_core.models.base import StrictModel


class PricedModel(StrictModel):
    """Whose tokens a run used: the model of the agent. ``endpoint`` is the host of another address than the usual."""

    provider: str
    name: str | None = None
    endpoint: str | None = None


class Cost(StrictModel):
    """An estimate of what tokens cost at the list ``prices`` of the day of the run, in US dollars.

    ``usd`` is None where it is ``unknown``, which then says why. ``partial`` marks one of which a part is missing,
    since the usage of some turns is not known.
    """

    usd: float | None = Field(default=None, ge=0)
    partial: bool = False
    prices: str | None = None
    unknown: str | None = None
