"""The backend `replay`: which recording a case takes, and how it is played."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pydantic import ValidationError

from holodeck_core.api.backend import CaseRef, Session
from holodeck_core.api.reply import (
    Reply,
    ReplyDone,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from holodeck_core.backends.replay import ReplayBackend
from holodeck_core.errors import AgentError, ConfigError
from holodeck_core.models.agent import Agent

Build: TypeAlias = Callable[..., ReplayBackend]


def talk(*texts: str) -> list[dict[str, Any]]:
    """Messages of the user and the assistant in turn."""
    return [
        {"role": "assistant" if index % 2 else "user", "content": text} for index, text in enumerate(texts)
    ]


@pytest.fixture
def replay(tmp_path: Path) -> Build:
    """A backend for the file that holds these records (or lines, as they stand)."""

    def build(*records: Any) -> ReplayBackend:
        lines = [
            record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n" for record in records
        ]
        (tmp_path / "talks.jsonl").write_bytes(b"".join(lines))
        return ReplayBackend(ReplayBackend.Options(file="talks.jsonl"), tmp_path)

    return build


async def opened(backend: ReplayBackend, agent: Agent, conversation: str) -> Session:
    return await backend.open(agent, CaseRef(0, "any", conversation))


@pytest.mark.parametrize(
    ("record", "conversation"),
    [
        pytest.param({"id": "a-1", "task_id": "b"}, "a-1", id="id"),
        pytest.param({"id": 7}, "7", id="a number"),
        pytest.param({"id": 0}, "0", id="zero"),
        pytest.param({"id": None, "task_id": 3}, "3", id="task_id"),
        pytest.param({}, "3", id="the number of the line"),
    ],
)
async def test_the_id_is_id_else_task_id_else_the_line_number(
    replay: Build, agent: Agent, record: dict[str, Any], conversation: str
) -> None:
    backend = replay({"id": "first", "messages": []}, b"\n", {**record, "messages": talk("hi", "ho")})
    session = await opened(backend, agent, conversation)
    assert await session.send(UserMessage("hi")) == Reply("ho")


@pytest.mark.parametrize(
    ("case", "reply"),
    [
        pytest.param(CaseRef(0, "by name"), "named", id="its name"),
        pytest.param(CaseRef(0, "by name", "other"), "other", id="its conversation goes before its name"),
        pytest.param(CaseRef(0, None, "other"), "other", id="its conversation, without a name"),
    ],
)
async def test_a_case_takes_its_conversation_else_the_one_of_its_name(
    replay: Build, agent: Agent, case: CaseRef, reply: str
) -> None:
    backend = replay(
        {"id": "by name", "messages": talk("hi", "named")}, {"id": "other", "messages": talk("hi", "other")}
    )
    assert backend.check_case(case) is None
    session = await backend.open(agent, case)
    assert (await session.send(UserMessage("hi"))).text == reply


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (CaseRef(0), "needs `conversation` or a `name`: the id of a recorded conversation"),
        (
            CaseRef(0, "book-flights"),
            'talks.jsonl has no conversation "book-flights"; did you mean "book-flight"?',
        ),
        (CaseRef(0, "book-flight", "zzz"), 'talks.jsonl has no conversation "zzz"'),
    ],
)
async def test_a_case_without_a_recording_is_found_before_anything_runs(
    replay: Build, agent: Agent, case: CaseRef, problem: str
) -> None:
    backend = replay({"id": "book-flight", "messages": []})
    assert backend.check_case(case) == problem
    with pytest.raises(AgentError) as raised:
        await backend.open(agent, case)
    assert str(raised.value) == problem


async def test_a_chat_replays_the_only_recording(replay: Build, agent: Agent) -> None:
    session = await replay({"messages": talk("hi", "ho")}).open(agent)
    assert (await session.send(UserMessage("hi"))).text == "ho"
    backend = replay({"messages": []}, {"messages": []})
    with pytest.raises(AgentError, match="which of the 2 recorded conversations"):
        await backend.open(agent)


async def test_a_turn_has_the_recorded_calls_and_reply(replay: Build, agent: Agent) -> None:
    messages = [
        {"role": "user", "content": "add"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [{"id": "1", "function": {"name": "sum", "arguments": '{"a": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "2"},
        {"role": "assistant", "content": "It is 2."},
    ]
    backend = replay({"id": "x", "messages": messages})
    session = await opened(backend, agent, "x")
    assert await session.send(UserMessage("add")) == Reply("It is 2.", (ToolCall("sum", {"a": 1}, "2"),))
    session = await opened(backend, agent, "x")
    events = [event async for event in session.stream(UserMessage("add"))]
    assert events == [
        ToolStarted("call_0", "sum", {"a": 1}),
        ToolFinished("call_0", "2"),
        TextDelta("It is 2."),
        ReplyDone(),
    ]


async def test_messages_are_compared_trimmed(replay: Build, agent: Agent) -> None:
    session = await opened(replay({"id": "x", "messages": talk("  hi\n", "ho")}), agent, "x")
    assert (await session.send(UserMessage("hi "))).text == "ho"


async def test_another_message_is_an_error_that_names_both(replay: Build, agent: Agent) -> None:
    session = await opened(replay({"id": "x", "messages": talk("hi there", "ho")}), agent, "x")
    with pytest.raises(AgentError) as raised:
        await session.send(UserMessage("hi you"))
    assert str(raised.value) == (
        'user message 1 of the recording "x" is another one: sent "hi you", recorded "hi there"'
    )


async def test_long_messages_are_shown_where_they_differ(replay: Build, agent: Agent) -> None:
    common = "word " * 200
    session = await opened(replay({"id": "x", "messages": talk(f"{common}left{common}", "ho")}), agent, "x")
    with pytest.raises(AgentError) as raised:
        await session.send(UserMessage(f"{common}right{common}"))
    text = str(raised.value)
    assert "word right" in text
    assert "word left" in text
    assert len(text) < 300


async def test_more_messages_than_recorded_are_an_error(replay: Build, agent: Agent) -> None:
    session = await opened(replay({"id": "x", "messages": talk("hi", "ho")}), agent, "x")
    await session.send(UserMessage("hi"))
    with pytest.raises(AgentError, match='has 1 user message, and no answer to "hi"'):
        await session.send(UserMessage("hi"))


@pytest.mark.parametrize(
    ("sent", "replies"),
    [
        pytest.param(["wrong", "b", "c"], [None, "B", "C"], id="the turns behind it"),
        pytest.param(["wrong", "a", "b"], [None, "A", "B"], id="or the same again"),
        pytest.param(["wrong", "wrong", "c"], [None, None, "C"], id="after two"),
        pytest.param(["a", "wrong", "a"], ["A", None, None], id="nothing that was played already"),
        pytest.param(["wrong"] * 5 + ["a"], [None] * 5 + ["A"], id="after more than there are turns"),
    ],
)
async def test_a_failed_turn_costs_only_itself(
    replay: Build, agent: Agent, sent: list[str], replies: list[str | None]
) -> None:
    session = await opened(replay({"id": "x", "messages": talk("a", "A", "b", "B", "c", "C")}), agent, "x")
    got: list[str | None] = []
    for text in sent:
        try:
            got.append((await session.send(UserMessage(text))).text)
        except AgentError:
            got.append(None)
    assert got == replies


async def test_sessions_do_not_share_their_place(replay: Build, agent: Agent) -> None:
    backend = replay({"id": "x", "messages": talk("a", "A", "b", "B")})
    first, second = await opened(backend, agent, "x"), await opened(backend, agent, "x")
    await first.send(UserMessage("a"))
    assert (await second.send(UserMessage("a"))).text == "A"
    assert (await first.send(UserMessage("b"))).text == "B"


async def test_a_byte_order_mark_and_other_line_breaks_are_no_part_of_the_text(
    replay: Build, agent: Agent
) -> None:
    line = json.dumps({"id": "x", "messages": talk("a\u2028b", "A")}, ensure_ascii=False)
    backend = replay(b"\xef\xbb\xbf" + line.encode() + b"\r\n", {"id": "y", "messages": talk("c", "C")})
    session = await opened(backend, agent, "x")
    assert (await session.send(UserMessage("a\u2028b"))).text == "A"
    session = await opened(backend, agent, "y")
    assert (await session.send(UserMessage("c"))).text == "C"


def test_every_malformed_line_is_named(replay: Build) -> None:
    with pytest.raises(ConfigError, match="talks") as raised:
        replay(
            {"id": "x", "messages": []},
            b"{not json\n",
            b"[1]\n",
            b"\xff\n",
            b"[" * 100_000 + b"\n",
            b'{"n": ' + b"9" * 5_000 + b"}\n",
            {"id": "y"},
            {"id": "x", "messages": []},
            {"id": True, "messages": []},
            {"id": 1.5, "messages": []},
            {"messages": [{"role": "bot"}]},
        )
    problems = str(raised.value).splitlines()
    starts = [
        "talks.jsonl:2: not JSON: ",
        'talks.jsonl:3: a line is an object {"id": ..., "messages": [...]}, got [1]',
        "talks.jsonl:4: not UTF-8: ",
        "talks.jsonl:5: nested too deeply",
        "talks.jsonl:6: ",
        "talks.jsonl:7: `messages` is missing",
        'talks.jsonl:8: the id "x" is that of line 1 already',
        "talks.jsonl:9: `id` must be text or a whole number, got true",
        "talks.jsonl:10: `id` must be text or a whole number, got 1.5",
        'talks.jsonl:11: messages[0]: unknown role "bot"',
    ]
    assert [problem[: len(start)] for problem, start in zip(problems, starts, strict=True)] == starts


def test_after_a_hundred_malformed_lines_the_rest_is_counted(replay: Build) -> None:
    with pytest.raises(ConfigError, match="talks") as raised:
        replay(*[b"{\n"] * 103)
    problems = str(raised.value).splitlines()
    assert len(problems) == 101
    assert problems[-1] == "talks.jsonl: and 3 more problems"


def test_a_line_number_can_be_taken_as_well(replay: Build) -> None:
    with pytest.raises(ConfigError, match=r'talks.jsonl:2: the id "2" is that of line 1 already'):
        replay({"id": 2, "messages": []}, {"messages": []})


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_a_conversation_is_refused(replay: Build, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"talks.jsonl: holds no conversation"):
        replay(content)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, problem in [
        ("none.jsonl", "there is no such file"),
        (".", "is not a file"),
        ("pipe", "is not a file"),
    ]:
        with pytest.raises(ValueError, match=f"{name}: {problem}"):
            ReplayBackend(ReplayBackend.Options(file=name), tmp_path)


async def test_a_file_that_has_changed_is_not_replayed(replay: Build, agent: Agent, tmp_path: Path) -> None:
    backend = replay({"id": "x", "messages": talk("a", "A")})
    (tmp_path / "talks.jsonl").write_text("{}\n")
    with pytest.raises(ValueError, match=r"talks.jsonl has changed since it was loaded"):
        await opened(backend, agent, "x")


@pytest.mark.parametrize("options", [{}, {"file": " "}, {"file": "a", "fle": "b"}])
def test_file_is_the_only_option(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ReplayBackend.Options.model_validate(options)


def corpora() -> Path:
    return Path(os.environ.get("HOLODECK_CORPORA", Path(__file__).parents[4] / "../shared/corpora"))


async def test_recorded_dialogues_of_an_airline_agent_replay_whole(agent: Agent) -> None:
    file = corpora() / "airline-transcripts" / "transcripts.jsonl"
    if not file.is_file():
        pytest.skip("the corpora are not at hand")
    backend = ReplayBackend(ReplayBackend.Options(file=file.name), file.parent)
    calls = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        session = await backend.open(agent, CaseRef(0, str(record["task_id"])))
        replies = [
            await session.send(UserMessage(message["content"]))
            for message in record["messages"]
            if message["role"] == "user"
        ]
        wanted = [
            entry["function"]["name"]
            for message in record["messages"]
            for entry in message.get("tool_calls") or ()
        ]
        made = [call for reply in replies for call in reply.tool_calls]
        assert [call.name for call in made] == wanted
        calls += len(made)
    assert calls > 100
