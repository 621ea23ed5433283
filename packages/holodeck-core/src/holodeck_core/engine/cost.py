"""What the tokens of a run cost at list prices, by the tables of ``genai-prices``. Nothing is asked over a network."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from holodeck_core.models.cost import Cost, PricedModel
from holodeck_core.models.llm import OWN_AGENTS
from holodeck_core.models.token_usage import COUNTS, TokenUsage
from holodeck_core.plugins.wording import pip_install

_PRICED_BY: Final = {"openai": "openai", "azure_openai": "azure", "anthropic": "anthropic"}
"""The names that the tables have for providers whose ``endpoint`` says nothing else."""

_NOT_INSTALLED: Final = f"{pip_install('holodeck-core[prices]')} to know prices"


def estimate_cost(
    groups: Iterable[tuple[int, list[int]]], model: PricedModel, at: datetime, *, partial: bool
) -> Cost:
    """The cost of groups of turns, as ``UsageCount.groups`` gives them, at the prices of that time.

    An estimate: a turn of several completions is priced as one request, and discounts are not known. Where there is no
    price, ``unknown`` says why.
    """
    if model.name is None:
        return Cost(unknown="`model` has no `name`")
    where = _where(model)
    if where is None:
        return Cost(unknown=f"no prices are known for the provider {model.provider}")
    try:
        # Here, since it takes a fifth of a second and 20 MB, which runs without token usage do not need.
        from genai_prices import Usage, __version__, calc_price
    except ImportError:
        return Cost(unknown=_NOT_INSTALLED)
    total = Decimal(0)
    try:
        for number, sums in groups:
            each = Usage(**{name: count / number for name, count in _request(sums).items()})
            price = calc_price(each, model.name, genai_request_timestamp=at, **where)
            total += number * price.total_price
    except LookupError:
        return Cost(unknown=f"no price is known for the model {model.name}")
    except (ValueError, ArithmeticError) as error:
        return Cost(unknown=f"the usage that was reported has no price: {error}")
    return Cost(usd=round(float(total), 10), partial=partial, prices=f"genai-prices {__version__}")


def _where(model: PricedModel) -> dict[str, Any] | None:
    """Who is paid, in the words of ``calc_price``; None for nobody that it could know."""
    if model.provider in OWN_AGENTS:  # the model's name, where the file gives one, says who made it
        return {}
    if model.provider == "openai" and model.endpoint is not None:  # another who speaks as OpenAI does
        return {"provider_api_url": model.endpoint}
    provider = _PRICED_BY.get(model.provider)
    return None if provider is None else {"provider_id": provider}


def _request(sums: list[int]) -> dict[str, int]:
    """The sums in the words of ``genai-prices``, whose input has all that was sent, cached or not."""
    counts: dict[str, Any] = dict(zip(COUNTS, sums, strict=True))
    usage = TokenUsage.model_construct(**counts)
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.completion_tokens,
        "cache_write_tokens": usage.cache_creation_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
    }
