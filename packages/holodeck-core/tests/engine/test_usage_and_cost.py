"""Token use and what it costs: sums over turns, prices where the model is known, and why where it is not."""

from __future__ import annotations

import builtins
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.engine.cost import estimate_cost
from holodeck_core.engine.usage_count import UsageCount
from holodeck_core.models.cost import Cost, PricedModel
from holodeck_core.models.token_usage import MAX_TOKENS, TokenUsage

DAY = datetime(2026, 11, 1, tzinfo=UTC)


def usage(
    prompt: int, completion: int = 0, *, written: int = 0, read: int = 0, total: int = 0
) -> dict[str, int]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": total or prompt + completion,
        "cache_creation_tokens": written,
        "cache_read_tokens": read,
    }


def counted(*turns: dict[str, Any]) -> UsageCount:
    count = UsageCount()
    for turn in turns:
        count.add(turn)
    return count


def cost(model: PricedModel, *usages: dict[str, int]) -> Cost:
    count = counted(*({"token_usage": each} for each in usages))
    total = count.total()
    assert total is not None
    return estimate_cost(count.groups(), model, DAY, partial=total.partial)


COUNTS = st.integers(0, 2_000_000)


@given(st.lists(st.builds(usage, COUNTS, COUNTS, written=COUNTS, read=COUNTS), min_size=1, max_size=20))
def test_the_total_is_the_sum_of_all_five_counts(usages: list[dict[str, int]]) -> None:
    expected = TokenUsage.zero()
    for each in usages:
        expected = expected + TokenUsage(**each)
    assert counted(*({"token_usage": each} for each in usages)).total() == expected


@pytest.mark.parametrize(
    ("turns", "partial"),
    [
        ([{"token_usage": usage(1)}], False),
        ([{"token_usage": usage(1)}, {"skipped": True}], False),
        ([{"token_usage": usage(1)}, {}], True),
        ([{}, {"token_usage": usage(1)}], True),
        ([{"token_usage": {**usage(1), "partial": True}}], True),
    ],
    ids=["all told", "one skipped", "the last told nothing", "the first told nothing", "told in part"],
)
def test_a_sum_of_which_a_part_is_missing_is_partial(turns: list[dict[str, Any]], partial: bool) -> None:
    total = counted(*turns).total()
    assert total is not None
    assert total.partial is partial


@pytest.mark.parametrize(
    "turns",
    [[], [{}], [{"skipped": True}], [{"token_usage": usage(MAX_TOKENS)}] * 2],
    ids=["no turns", "told nothing", "skipped", "more than there can be"],
)
def test_where_nothing_sound_was_reported_there_is_no_total(turns: list[dict[str, Any]]) -> None:
    assert counted(*turns).total() is None


def test_memory_does_not_grow_with_the_number_of_turns() -> None:
    count = counted(*({"token_usage": usage(number % 50_000, 3)} for number in range(200_000)))
    assert len(list(count.groups())) == 50


GPT = PricedModel(provider="openai", name="gpt-4o-mini")  # $0.15 a million in, $0.075 from cache, $0.60 out


@pytest.mark.parametrize(
    ("usages", "usd"),
    [
        ([usage(1_000_000)], 0.15),
        ([usage(0, 1_000_000)], 0.60),
        ([usage(1_000, 100)] * 10, 0.0021),
        ([usage(1_000_000, read=1_000_000)], 0.075),
        ([usage(1_000_000, read=500_000)], 0.1125),
        ([usage(500_000, read=500_000, total=1_000_000)], 0.1125),
        ([usage(0, read=1_000_000)], 0.075),
    ],
    ids=["input", "output", "turns", "cached", "half cached", "cached beside the prompt", "only cached"],
)
def test_the_cost_is_that_of_every_turn_by_the_table(usages: list[dict[str, int]], usd: float) -> None:
    found = cost(GPT, *usages)
    assert found.usd == pytest.approx(usd)
    assert found.unknown is None
    assert (found.prices or "").startswith("genai-prices ")


def test_many_small_turns_are_not_priced_as_one_large_one() -> None:
    model = PricedModel(provider="anthropic", name="claude-sonnet-4-5")  # dearer above 200,000 tokens in
    small, large = cost(model, *[usage(100_000)] * 3), cost(model, usage(300_000))
    assert small.usd is not None
    assert large.usd == pytest.approx(2 * small.usd)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        (GPT, True),
        (PricedModel(provider="openai", name="gpt-4o-mini", endpoint="https://api.openai.com"), True),
        (PricedModel(provider="azure_openai", name="gpt-4o-mini", endpoint="https://x.example"), True),
        (PricedModel(provider="python", name="gpt-4o-mini"), True),
        (PricedModel(provider="openai", name="gpt-4o-mini", endpoint="http://127.0.0.1"), False),
        (PricedModel(provider="openai", name="no-such-model"), False),
        (PricedModel(provider="azure_openai", name="my-deployment"), False),
        (PricedModel(provider="python", name="my-llama"), False),
        (PricedModel(provider="python"), False),
        (PricedModel(provider="acme/vllm", name="gpt-4o-mini"), False),
    ],
    ids=str,
)
def test_a_price_is_told_where_the_model_is_known_and_else_why_not(model: PricedModel, known: bool) -> None:
    found = cost(model, usage(1_000, 100))
    assert (found.usd is not None) is known
    assert (found.unknown is None) is known


def test_usage_that_makes_no_sense_has_no_price() -> None:
    found = cost(GPT, usage(10, written=MAX_TOKENS, read=MAX_TOKENS))
    assert found.usd is None or found.usd > 0


def test_without_the_extra_the_cost_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("genai_prices"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert cost(GPT, usage(1_000)).unknown == "pip install 'holodeck-core[prices]' to know prices"


def test_prices_are_not_loaded_for_a_model_that_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "genai_prices", raising=False)
    cost(PricedModel(provider="scripted"), usage(1_000))
    assert "genai_prices" not in sys.modules
