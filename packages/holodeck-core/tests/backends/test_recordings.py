"""How a recorded conversation is cut into turns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.api.reply import Reply, ToolCall
from holodeck_core.backends.recordings import RecordedTurn, read_turns


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def says(content: Any, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def call(name: str, call_id: str | None = None, arguments: Any = "{}") -> dict[str, Any]:
    entry = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return entry if call_id is None else {"id": call_id, **entry}


def result(content: Any, call_id: str | None = None, **more: Any) -> dict[str, Any]:
    joined = {} if call_id is None else {"tool_call_id": call_id}
    return {"role": "tool", "content": content, **joined, **more}


@pytest.mark.parametrize(
    ("messages", "replies"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([{"role": "system", "content": "Be kind."}, says("Welcome!")], [], id="no user message"),
        pytest.param([user("a"), says("A"), user("b"), says("B")], [Reply("A"), Reply("B")], id="two turns"),
        pytest.param(
            [says("Welcome!", call("greet", "0")), result("ok", "0"), user("a"), says("A")],
            [Reply("A")],
            id="what comes before the first user message is left out",
        ),
        pytest.param([user("a")], [Reply("")], id="no answer"),
        pytest.param(
            [user("a"), user("b"), says("B")], [Reply(""), Reply("B")], id="two user messages in a row"
        ),
        pytest.param([user("a"), says("A"), says("more")], [Reply("A\nmore")], id="two answers in a row"),
        pytest.param(
            [user("a"), {"role": "developer", "content": "x"}, says("A"), {"role": "system", "content": "y"}],
            [Reply("A")],
            id="system messages say nothing",
        ),
        pytest.param(
            [user("a"), says("Let me see.", call("f", "1")), result("r", "1"), says("Done.")],
            [Reply("Done.", (ToolCall("f", result="r"),))],
            id="text beside a call is not the reply",
        ),
        pytest.param(
            [user("a"), says("Let me see."), says(None, call("f", "1")), result("r", "1")],
            [Reply("", (ToolCall("f", result="r"),))],
            id="no text after the last call",
        ),
        pytest.param(
            [user("a"), says(None, call("f", "1"))],
            [Reply("", (ToolCall("f"),))],
            id="a call without a result",
        ),
        pytest.param(
            [
                user("a"),
                says(None, call("f", "1"), call("g", "2")),
                result("G", "2"),
                result("F", "1"),
                says("ok"),
            ],
            [Reply("ok", (ToolCall("f", result="F"), ToolCall("g", result="G")))],
            id="results are joined by id, calls keep their order",
        ),
        pytest.param(
            [
                user("a"),
                says(None, call("f", "0")),
                result("one", "0"),
                says(None, call("f", "0")),
                result("two", "0"),
            ],
            [Reply("", (ToolCall("f", result="one"), ToolCall("f", result="two")))],
            id="an id that is used again",
        ),
        pytest.param(
            [user("a"), says(None, call("f"), call("g")), result("F"), result("G")],
            [Reply("", (ToolCall("f", result="F"), ToolCall("g", result="G")))],
            id="without ids, in order",
        ),
        pytest.param(
            [
                user("a"),
                says(None, call("f", "1"), call("g", "2")),
                result("G", name="g"),
                result("F", name="f"),
            ],
            [Reply("", (ToolCall("f", result="F"), ToolCall("g", result="G")))],
            id="without ids, by name",
        ),
        pytest.param(
            [
                user("a"),
                {
                    "role": "assistant",
                    "content": None,
                    "function_call": {"name": "f", "arguments": '{"x": 1}'},
                },
                {"role": "function", "name": "f", "content": "F"},
                {"role": "assistant", "content": "ok"},
            ],
            [Reply("ok", (ToolCall("f", {"x": 1}, "F"),))],
            id="function_call",
        ),
        pytest.param(
            [user("a"), says(None, call("f", "1", '{"x": '))],
            [Reply("", (ToolCall("f", raw_args='{"x": '),))],
            id="arguments that are no JSON",
        ),
        pytest.param(
            [user("a"), says(None, {"id": "1", "name": "f", "args": {"x": 1}}), result("F", "1")],
            [Reply("", (ToolCall("f", {"x": 1}, "F"),))],
            id="flat calls",
        ),
        pytest.param(
            [
                user("a"),
                says(None, {"id": "1", "type": "custom", "custom": {"name": "f", "input": "free"}}),
                result("F", "1"),
            ],
            [Reply("", (ToolCall("f", result="F", raw_args="free"),))],
            id="calls of custom tools",
        ),
        pytest.param(
            [user("a"), {"role": "assistant", "content": "A", "tool_calls": None, "function_call": None}],
            [Reply("A")],
            id="null for no calls",
        ),
        pytest.param(
            [user("a"), {"role": "assistant", "content": None, "refusal": "I can't."}],
            [Reply("I can't.")],
            id="refusal",
        ),
        pytest.param(
            [
                user([{"type": "text", "text": "What is "}, {"type": "image_url", "image_url": {}}, "this?"]),
                says([{"type": "text", "text": "A "}, {"type": "refusal", "refusal": "secret."}]),
            ],
            [Reply("A secret.")],
            id="content in parts",
        ),
    ],
)
def test_a_turn_is_what_stands_up_to_the_next_user_message(
    messages: list[dict[str, Any]], replies: list[Reply]
) -> None:
    assert [turn.reply for turn in read_turns(messages)] == replies


def test_parts_of_a_user_message_are_joined() -> None:
    content = [{"type": "text", "text": "What is "}, {"type": "image_url", "image_url": {}}, "this?"]
    assert read_turns([user(content)]) == (RecordedTurn("What is this?", Reply()),)


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        pytest.param(None, "messages: must be a list of chat messages, got null", id="null"),
        pytest.param({"role": "user"}, "messages: must be a list", id="a mapping"),
        pytest.param(["hi"], r'messages\[0\]: a chat message is a mapping, got "hi"', id="a text"),
        pytest.param([user("a"), {"content": "x"}], r"messages\[1\]: unknown role null", id="no role"),
        pytest.param(
            [{"role": "bot", "content": "x"}], r'messages\[0\]: unknown role "bot"', id="unknown role"
        ),
        pytest.param([{"role": ["user"]}], r"messages\[0\]: unknown role \[", id="a role that is a list"),
        pytest.param([user(7)], r"messages\[0\]: the content must be text", id="content is a number"),
        pytest.param(
            [user([7])], r"messages\[0\]: a part of the content is a mapping", id="a part is a number"
        ),
        pytest.param(
            [user("a"), {"role": "assistant", "tool_calls": {"name": "f"}}],
            r"messages\[1\]: tool_calls: must be a list",
            id="calls are a mapping",
        ),
        pytest.param(
            [user("a"), says(None, {"type": "custom"})],
            r"messages\[1\]: a tool call has a name",
            id="nameless call",
        ),
        pytest.param([user("a"), says(None, "f")], r"messages\[1\]: a tool call is", id="a call is a text"),  # type: ignore[arg-type]
        pytest.param(
            [user("a"), says(None, call("f", "1")), result("x", "2")],
            r'messages\[2\]: the result "2" belongs to no call',
            id="a result of another call",
        ),
        pytest.param(
            [user("a"), says(None, call("f", "1")), user("b"), result("x", "1")],
            r'messages\[3\]: the result "1" belongs to no call of its turn',
            id="a result behind the next user message",
        ),
        pytest.param(
            [user("a"), says(None, call("f", "1")), result("x", "1"), result("x", "1")],
            r'messages\[3\]: the result "1" belongs to no call',
            id="a second result",
        ),
    ],
)
def test_a_malformed_message_is_named(messages: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_turns(messages)


def test_all_malformed_messages_are_named_and_not_what_only_follows_from_them() -> None:
    nameless = says(None, {"type": "custom", "id": "1"})
    with pytest.raises(ValueError, match="messages") as raised:
        read_turns(
            [
                "hi",
                user("a"),
                nameless,
                result("x", "1"),
                user(7),
                result("y", "2"),
                user("b"),
                result("z", "3"),
            ]
        )
    assert [part.partition(":")[0] for part in str(raised.value).split("; ")] == [
        "messages[0]",
        "messages[2]",
        "messages[4]",
        "messages[7]",
    ]


def test_half_a_character_in_a_message_is_what_can_be_sent_in_its_place() -> None:
    assert read_turns([user("a\ud835"), says("b\ud835")])[0].message == "a\ufffd"


names = st.sampled_from(["add", "lookup", "book flight", "é"])
arguments = st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=4) | st.none(), max_size=3)
recorded_calls = st.builds(ToolCall, names, arguments, st.text(max_size=6))
rounds = st.lists(
    st.tuples(st.text(max_size=5), st.lists(recorded_calls, min_size=1, max_size=3)), max_size=3
)
turns = st.lists(st.tuples(st.text(max_size=8), rounds, st.text(max_size=8)), max_size=4)


@given(turns, st.randoms(use_true_random=False))
def test_a_recording_gives_back_its_calls_in_order(
    conversation: list[tuple[str, list[tuple[str, list[ToolCall]]], str]], random: Any
) -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be kind."}]
    for message, rounds_of_turn, reply in conversation:
        messages.append(user(message))
        for aside, made in rounds_of_turn:
            ids = [str(index) for index in range(len(made))]
            entries = [call(c.name, i, json.dumps(c.args)) for c, i in zip(made, ids, strict=True)]
            messages.append(says(aside, *entries))
            results = [result(c.result, i) for c, i in zip(made, ids, strict=True)]
            random.shuffle(results)
            messages += results
        messages.append(says(reply))
    assert read_turns(messages) == tuple(
        RecordedTurn(message, Reply(reply, tuple(c for _, made in rounds_of_turn for c in made)))
        for message, rounds_of_turn, reply in conversation
    )
