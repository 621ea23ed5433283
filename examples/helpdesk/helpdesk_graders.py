"""Checks of our own: plain functions that look at one turn.

A grader gets a GraderContext and returns a GraderResult, a bool, or a number from 0 to 1; it may be async.
"""

from __future__ import annotations

import re

from holodeck_core import GraderContext, GraderResult

STOCK_CODE = re.compile(r"\b[A-Z]{3,}-[A-Z]{3,}\b")
ORDER_NUMBER = re.compile(r"\bLM-\d{4}\b")


def plain_language(turn: GraderContext) -> GraderResult:
    """A customer reads a short answer without stock codes. ``turn_config.max_words`` is 30 if not set."""
    words = len(turn.agent_response.split())
    most = turn.turn_config.get("max_words", 30)
    if not 1 <= words <= most:
        return GraderResult(score=0, reason=f"{words} words, expected 1 to {most}")
    if code := STOCK_CODE.search(turn.agent_response):
        return GraderResult(score=0, reason=f"the stock code {code[0]} means nothing to a customer")
    return GraderResult(score=1, reason="short and plain")


def mentions(turn: GraderContext) -> GraderResult:
    """The share of the texts in ``turn_config.mentions`` that the answer holds, whatever their case."""
    wanted = turn.turn_config["mentions"]
    missing = [text for text in wanted if text.casefold() not in turn.agent_response.casefold()]
    return GraderResult(
        score=1 - len(missing) / len(wanted),
        reason=f"does not mention {', '.join(missing)}" if missing else "mentions all",
        details={"missing": missing},
    )


async def no_invented_orders(turn: GraderContext) -> bool:
    """Every order in the answer is one that the customer, or a tool, has spoken of in this conversation."""
    told = " ".join(f"{known.turn_input} {known.tool_invocations}" for known in (*turn.previous_turns, turn))
    return set(ORDER_NUMBER.findall(turn.agent_response)) <= set(ORDER_NUMBER.findall(told))
