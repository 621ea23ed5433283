"""What counts as a reply, and that a reply and its events say the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.api.reply import Reply, ReplyEvent, TextDelta, ToolCall, ToolStarted, collect
from holodeck_core.backends.replies import as_event, as_reply, as_usage, reply_events
from holodeck_core.models.token_usage import TokenUsage

careless: Any = Reply
"""Reply, as code calls it that nobody has type-checked."""

USAGE = TokenUsage(prompt_tokens=3, completion_tokens=4, total_tokens=7)


class Text(str):
    """An agent's own kind of text."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        pytest.param("hi", Reply("hi"), id="text"),
        pytest.param("", Reply(""), id="empty text"),
        pytest.param(Text("hi"), Reply("hi"), id="a subclass of str"),
        pytest.param(Reply("hi"), Reply("hi"), id="Reply"),
        pytest.param(Reply("", [ToolCall("f")]), Reply("", (ToolCall("f"),)), id="calls in a list"),
        pytest.param(
            careless("", [{"function": {"name": "f", "arguments": ""}}]),
            Reply("", (ToolCall("f"),)),
            id="calls as mappings",
        ),
        pytest.param(Reply("x", usage=USAGE), Reply("x", (), USAGE), id="usage"),
        pytest.param(
            Reply("x", usage={"prompt_tokens": 3, "completion_tokens": 4}),
            Reply("x", (), USAGE),
            id="usage as a mapping, without its total",
        ),
    ],
)
def test_a_reply_is_text_or_a_reply(said: object, reply: Reply) -> None:
    assert as_reply(said) == reply


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(7, "replies with str or holodeck_core.Reply, got int", id="number"),
        pytest.param(None, "got NoneType", id="None"),
        pytest.param(b"hi", "got bytes", id="bytes"),
        pytest.param({"text": "hi"}, "got dict", id="mapping"),
        pytest.param(Reply, "got type", id="the class itself"),
        pytest.param(careless(None), "text of a Reply is a str, got NoneType", id="text is None"),
        pytest.param(
            careless("", {"name": "f"}), "list of holodeck_core.ToolCall, got dict", id="calls: one mapping"
        ),
        pytest.param(careless("", "f"), "list of holodeck_core.ToolCall, got str", id="calls: a text"),
        pytest.param(careless("", 3), "list of holodeck_core.ToolCall, got int", id="calls: a number"),
        pytest.param(careless("", ["f"]), "or a mapping, got str", id="a call is a text"),
        pytest.param(
            careless("", usage=12), "usage of a reply is a TokenUsage or a mapping, got int", id="usage"
        ),
    ],
)
def test_what_is_no_reply_is_named(said: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        as_reply(said)


@pytest.mark.parametrize(
    "usage",
    [
        {"input_tokens": 3},
        {"prompt_tokens": "3", "completion_tokens": None},
        {"prompt_tokens": -1, "completion_tokens": 1},
    ],
)
def test_token_counts_that_make_no_sense_are_refused(usage: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the usage of a reply cannot be read"):
        as_usage(usage)


def test_further_keys_of_a_provider_are_left_out() -> None:
    reported = {
        "prompt_tokens": 3,
        "completion_tokens": 4,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached": 1},
    }
    assert as_usage(reported) == USAGE


def test_what_is_no_event_is_named() -> None:
    with pytest.raises(TypeError, match=r"yields reply events .* got str"):
        as_event("text")


@pytest.mark.parametrize(
    ("arguments", "args", "raw_args"),
    [({"a": 1}, {"a": 1}, None), ('{"a": 1}', {"a": 1}, None), ("", {}, None), ("{", {}, "{")],
)
def test_arguments_of_a_started_tool_are_decoded(
    arguments: Any, args: dict[str, Any], raw_args: str | None
) -> None:
    assert as_event(ToolStarted("c", "f", arguments)) == ToolStarted("c", "f", args, raw_args)


calls = st.builds(
    ToolCall,
    st.text(min_size=1, max_size=5),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.none() | st.integers() | st.text(max_size=5),
    st.none() | st.text(max_size=5),
    st.none() | st.floats(0, 1000),
    st.none() | st.text(max_size=5),
    st.none() | st.text(max_size=5),
)
replies = st.builds(
    Reply, st.text(max_size=10), st.lists(calls, max_size=4).map(tuple), st.none() | st.just(USAGE)
)


@given(replies)
async def test_the_events_of_a_reply_collect_to_it(reply: Reply) -> None:
    async def events() -> AsyncIterator[ReplyEvent]:
        for event in reply_events(reply):
            yield event

    assert await collect(events()) == reply


def test_calls_come_before_the_text_of_a_reply() -> None:
    kinds = [type(event) for event in reply_events(Reply("done", (ToolCall("f"),), USAGE))]
    assert kinds.index(ToolStarted) < kinds.index(TextDelta)
