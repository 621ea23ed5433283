"""Tokens and what they cost, in words. Pure; every text is one safe line."""

from __future__ import annotations

from collections.abc import Iterator

from holodeck_core.models.cost import Cost
from holodeck_core.models.test_result import ReportSummary
from holodeck_core.models.token_usage import TokenUsage
from holodeck_core.text import one_line


def usage_texts(summary: ReportSummary) -> Iterator[str]:
    """``tokens: 1,200 in (800 read from cache), 300 out``, and ``cost: $0.0123 at list prices``. Nothing where no turn
    reported usage; no cost where that is not asked for."""
    if summary.token_usage is not None:
        yield f"tokens: {tokens(summary.token_usage)}"
        if summary.cost is not None:
            yield f"cost: {_cost(summary.cost)}"


def tokens(usage: TokenUsage) -> str:
    """``at least 1,200 in (800 read from cache, 100 written to it), 300 out``; "at least" where a part is missing. What
    was cached is part of what went in, however the provider counts it."""
    read, written = usage.cache_read_tokens, usage.cache_creation_tokens
    cached = [f"{read:,} read from cache"] if read else []
    cached += [f"{written:,} written to {'it' if read else 'cache'}"] if written else []
    of_which = f" ({', '.join(cached)})" if cached else ""
    text = f"{_at_least(usage.partial)}{usage.input_tokens:,} in{of_which}, {usage.completion_tokens:,} out"
    others = usage.total_tokens - usage.input_tokens - usage.completion_tokens
    return f"{text}, {usage.total_tokens:,} in all" if others > 0 else text


def _cost(cost: Cost) -> str:
    if cost.usd is None:
        return f"unknown ({one_line(cost.unknown, 200)})" if cost.unknown else "unknown"
    return f"{_at_least(cost.partial)}{dollars(cost.usd)} at list prices"


def _at_least(partial: bool) -> str:
    return "at least " if partial else ""


def dollars(usd: float) -> str:
    """Whole cents from ten dollars on, else three figures that matter: ``$12.35``, ``$0.0123``."""
    if usd >= 10:
        return f"${usd:,.2f}"
    return f"${usd:.3g}" if usd >= 1e-4 or usd == 0 else f"${usd:.10f}".rstrip("0")
