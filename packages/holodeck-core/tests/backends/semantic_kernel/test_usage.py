"""Tokens are those that the provider reports, over all completions of a turn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from holodeck_core.backends.semantic_kernel.usage import read_usage
from holodeck_core.models.token_usage import TokenUsage

from .conftest import Play, functions

CALL = {"calls": [{"name": "add", "args": {"a": 1, "b": 1}}]}


def counts(prompt: int, completion: int, cached: int = 0, *, partial: bool = False) -> TokenUsage:
    return TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=prompt + completion,
        cache_read_tokens=cached,
        partial=partial,
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"prompt": 12, "completion": 1}, {"prompt": 30, "completion": 4, "cached": 12}, counts(42, 5, 12)),
        (None, None, None),
        ({"prompt": 12, "completion": 1}, None, counts(12, 1, partial=True)),
        (None, {"prompt": 30, "completion": 4}, counts(30, 4, partial=True)),
        ({"prompt": 0, "completion": 0}, {"prompt": 0, "completion": 0}, counts(0, 0)),
    ],
    ids=["both are reported", "none is", "the last is missing", "the first is missing", "nothing was used"],
)  # fmt: skip
def test_the_completions_of_a_turn_add_up(
    openai_server: Play, say: Any, stream: bool, first: Any, second: Any, expected: TokenUsage | None
) -> None:
    openai_server({"turns": [{"steps": [{**CALL, "usage": first}, {"text": "2", "usage": second}]}]})
    [reply] = say("1 + 1?", model={"stream": stream}, tools=functions("add"))
    assert reply.usage == expected


def test_what_a_prompt_tool_uses_counts_as_well(openai_server: Play, say: Any, stream: bool) -> None:
    openai_server(
        {"turns": [{"user": "Short: long", "text": "s", "usage": {"prompt": 100, "completion": 10}},
                   {"steps": [{"calls": [{"name": "shorten", "args": {"text": "long"}}],
                               "usage": {"prompt": 1, "completion": 1}},
                              {"text": "{{results}}", "usage": {"prompt": 2, "completion": 1}}]}]}
    )  # fmt: skip
    tool = {"type": "prompt", "name": "shorten", "template": "Short: {{$text}}"}
    [reply] = say("go", model={"stream": stream}, tools=[tool])
    assert (reply.text, reply.usage) == ("s", counts(103, 12))


def given(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        (given(), None),
        (given(prompt_tokens=None, completion_tokens=None), None),
        (given(prompt_tokens=3, completion_tokens=2), counts(3, 2)),
        (given(prompt_tokens=3, completion_tokens=2, total_tokens=1), counts(3, 2)),
        (given(prompt_tokens=3, completion_tokens=2, total_tokens=9),
         TokenUsage(prompt_tokens=3, completion_tokens=2, total_tokens=9)),
        (given(prompt_tokens=3, completion_tokens=None), counts(3, 0, partial=True)),
        (given(prompt_tokens=-3, completion_tokens=2), counts(0, 2, partial=True)),
        (given(prompt_tokens="3", completion_tokens=2.5), None),
        (given(prompt_tokens=3, completion_tokens=2, prompt_tokens_details=given(cached_tokens=2)), counts(3, 2, 2)),
        (given(prompt_tokens=3, completion_tokens=2, prompt_tokens_details=None), counts(3, 2)),
        (given(prompt_tokens=3, completion_tokens=2, prompt_tokens_details=given(cached_tokens=True)), counts(3, 2)),
    ],
)  # fmt: skip
def test_odd_reports_are_read_for_what_they_hold(usage: Any, expected: TokenUsage | None) -> None:
    assert read_usage(usage) == expected
