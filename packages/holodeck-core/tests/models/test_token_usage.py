from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from holodeck_core.models.token_usage import TokenUsage

Places = Callable[[Any, Any], list[str]]
COUNTS = (
    "prompt_tokens", "completion_tokens", "total_tokens", "cache_creation_tokens", "cache_read_tokens"
)  # fmt: skip

counts = st.integers(0, 10**9)
usages = st.builds(
    lambda prompt, completion, more, created, read, partial: TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=prompt + completion + more,
        cache_creation_tokens=created,
        cache_read_tokens=read,
        partial=partial,
    ),
    counts, counts, counts, counts, counts, st.booleans(),
)  # fmt: skip


def test_the_cache_fields_are_optional() -> None:
    usage = TokenUsage.model_validate({"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5})
    assert (usage.cache_creation_tokens, usage.cache_read_tokens, usage.partial) == (0, 0, False)


@pytest.mark.parametrize("field", COUNTS)
def test_no_count_is_negative(places: Places, field: str) -> None:
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0, field: -1}
    assert places(TokenUsage, usage) == [field]


@pytest.mark.parametrize("field", COUNTS[:3])
def test_the_three_main_counts_are_required(places: Places, field: str) -> None:
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    del usage[field]
    assert places(TokenUsage, usage) == [field]


@pytest.mark.parametrize(("total", "accepted"), [(4, False), (5, True), (6, True)])
def test_the_total_is_at_least_its_parts(total: int, accepted: bool) -> None:
    usage = {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": total}
    if accepted:
        assert TokenUsage.model_validate(usage).total_tokens == total
    else:
        with pytest.raises(ValidationError, match="`total_tokens` \\(4\\) is less than"):
            TokenUsage.model_validate(usage)


@given(usages, usages)
def test_a_sum_adds_all_five_fields_and_is_partial_if_either_is(left: TokenUsage, right: TokenUsage) -> None:
    total = left + right
    for field in COUNTS:
        assert getattr(total, field) == getattr(left, field) + getattr(right, field)
    assert total.partial is (left.partial or right.partial)


@given(usages)
def test_zero_starts_a_sum(usage: TokenUsage) -> None:
    assert TokenUsage.zero() + usage == usage
    assert sum([usage, usage], start=TokenUsage.zero()) == usage + usage


def test_adds_only_to_another() -> None:
    with pytest.raises(TypeError):
        TokenUsage.zero() + 1  # type: ignore[operator]


def test_is_frozen() -> None:
    with pytest.raises(ValidationError):
        TokenUsage.zero().prompt_tokens = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("prompt", "total", "written", "read", "sent"),
    [
        (1_000, 1_010, 0, 0, 1_000),
        (1_000, 1_010, 100, 800, 1_000),
        (100, 1_010, 100, 800, 1_000),
        (100, 110, 100, 800, 1_000),
    ],
    ids=["nothing cached", "part of the prompt", "beside it, as the total says", "more than the prompt"],
)
def test_what_was_cached_is_part_of_what_was_sent(
    prompt: int, total: int, written: int, read: int, sent: int
) -> None:
    usage = TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=10,
        total_tokens=total,
        cache_creation_tokens=written,
        cache_read_tokens=read,
    )
    assert usage.input_tokens == sent
