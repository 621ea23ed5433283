"""``holodeck import``: recorded conversations as a suite that holds them again."""

from __future__ import annotations

import json
import os
import threading
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.recorded import append_case
from holodeck_cli.recorded.read import Conversation, read_conversations
from holodeck_cli.recorded.suite import import_suite
from holodeck_core import ConfigError, TestReport, load_suite, run_suite_sync

Message = dict[str, Any]


class Holodeck(Protocol):
    def __call__(self, *args: str, env: Mapping[str, str] | None = None) -> Any: ...


def user(content: Any) -> Message:
    return {"role": "user", "content": content}


def said(content: Any, *calls: tuple[str, str]) -> Message:
    tool_calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, **({"tool_calls": tool_calls} if tool_calls else {})}


def answered(content: str, call_id: str = "c0") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


TALK = [user("Hi"), said(None, ("find", '{"id": 7}')), answered("a lamp"), said("A lamp.")]


def run(agent: Path) -> TestReport:
    return run_suite_sync(load_suite(agent))


def names(report: TestReport) -> list[str | None]:
    return [result.test_name for result in report.results]


SHAPES = {
    "talk.json: one list of messages": (json.dumps(TALK), ["talk"]),
    "talk.json: one object": (json.dumps({"messages": TALK}, indent=2), ["talk"]),
    "talk.json: a list of objects": (
        json.dumps([{"id": "a", "messages": TALK}, {"messages": TALK}], indent=1),
        ["a", "conversation 2"],
    ),
    "talk.json: a list of lists": (json.dumps([TALK, TALK]), ["conversation 1", "conversation 2"]),
    "talk.json: in truth JSON Lines": (
        f"{json.dumps(TALK)}\n{json.dumps(TALK)}",
        ["conversation 1", "conversation 2"],
    ),
    "talk.jsonl: objects": (
        "\n".join(json.dumps({"task_id": n, "messages": TALK, "more": 1}) for n in range(2)),
        ["0", "1"],
    ),
    "talk.jsonl: a byte-order mark and blank lines": (
        f"\ufeff\n\n{json.dumps(TALK)}\r\n\n",
        ["conversation 3"],
    ),
    "talk.log: JSON Lines by another name": (
        f"{json.dumps(TALK)}\n" * 2,
        ["conversation 1", "conversation 2"],
    ),
    "talk.jsonl: a list of conversations on a line": (
        json.dumps([{"id": "a", "messages": TALK}, {"id": " b ", "messages": TALK}]),
        ["a", "b"],
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_recordings_come_in_several_shapes(name: str, tmp_path: Path) -> None:
    text, cases = SHAPES[name]
    source = tmp_path / name.partition(":")[0]
    source.write_text(text)
    import_suite(source, tmp_path / "suite")
    report = run(tmp_path / "suite" / "agent.yaml")
    assert names(report) == cases
    assert report.summary.passed == len(cases)


@pytest.mark.parametrize("text", [json.dumps(TALK, indent=1), f"{json.dumps(TALK)}\n{json.dumps(TALK)}\n"])
def test_a_pipe_is_read_once(text: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    done = import_suite(pipe, tmp_path / "suite")
    assert (
        run(tmp_path / "suite" / "agent.yaml").summary.passed
        == done.cases
        == (2 if text.endswith("\n") else 1)
    )


def test_a_turn_is_all_up_to_the_next_message_of_the_user(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        said("Welcome!"),
        user([{"type": "text", "text": "What is "}, {"type": "text", "text": "this?"}]),
        said("Let me see.", ("look", "{}"), ("look", '{"a.b": 1, "c": {"fuzzy": "x"}}')),
        answered("1"),
        answered("2", "c1"),
        said("A lamp."),
        user("And that?"),
        {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{oops"}},
        {"role": "function", "name": "old", "content": "3"},
        user("Well?"),
        {"role": "assistant", "content": None, "refusal": "I cannot say."},
    ]
    source = tmp_path / "a.json"
    source.write_text(json.dumps(messages))
    done = import_suite(source, tmp_path / "suite")
    [case] = load_suite(tmp_path / "suite" / "agent.yaml").cases
    assert [(turn.message.text, turn.ground_truth) for turn in case.turns] == [
        ("What is this?", "A lamp."),
        ("And that?", None),
        ("Well?", "I cannot say."),
    ]
    assert [turn.expected_tools for turn in case.turns] == [
        [
            {"name": "look", "match": "exact", "extra_args": "forbid"},
            {"name": "look", "match": "exact", "args": {"c": {"literal": {"fuzzy": "x"}}}},
        ],
        [{"name": "old", "match": "exact"}],
        [],
    ]
    assert [(note.path, note.line) for note in done.notes] == [("[2]", 1), ("[7]", 1)]
    assert run(tmp_path / "suite" / "agent.yaml").summary.passed == 1


MISTAKES = [
    ("{", "not JSON: the text ends where a key in double quotes is expected"),
    (json.dumps({"id": 1}), "has no `messages`"),
    ("7", "a conversation is an object, got 7"),
    (json.dumps({"messages": {}}), "messages: must be a list of chat messages, got {}"),
    (json.dumps({"messages": []}), "messages: there are no messages"),
    (json.dumps({"messages": [{"role": "system", "content": "x"}]}), "no message is of the role `user`"),
    (json.dumps({"messages": [said("x")]}), "no message is of the role `user`"),
    (
        json.dumps({"messages": [{"role": "bot"}, user("x"), {"role": "critic"}]}),
        'messages[0]: unknown role "bot"',
        'messages[2]: unknown role "critic"',
    ),
    (json.dumps({"messages": [user("x"), answered("y")]}), 'messages[1]: the result "c0" belongs to no call'),
    (json.dumps({"messages": [user(" ")]}), "messages[0]: this message of the user has no text"),
    (
        json.dumps({"messages": [user([{"type": "image_url", "image_url": {}}])]}),
        "messages[0]: this message of the user has no text",
    ),
    (json.dumps({"messages": [user(5)]}), "messages[0]: the content must be text"),
    (json.dumps({"id": 1.5, "messages": TALK}), "`id` must be text or a whole number"),
    (json.dumps({"id": "twice", "messages": TALK}),),
    (json.dumps({"id": "twice", "messages": TALK}), 'the id "twice" is that of'),
    ('{"messages": [NaN]}', "a chat message is a mapping, got NaN"),
    ("[" * 100_000, "nested too deeply"),
    (f'{{"messages": [{"9" * 5000}]}}', "an integer is too long"),
]


def test_all_mistakes_are_told_at_once_with_their_lines(holodeck: Holodeck, tmp_path: Path) -> None:
    lines = [line.encode() for line, *_ in MISTAKES]
    (tmp_path / "talks.jsonl").write_bytes(b"\n".join([*lines, b'{"messages": "\xff"}']))
    done = holodeck("import", "talks.jsonl", "-o", "suite")
    assert done.returncode == 2
    heads = [line for line in done.stderr.splitlines() if line.startswith("talks.jsonl:")]
    expected = [(number, what) for number, (_, *told) in enumerate(MISTAKES, start=1) for what in told]
    expected.append((len(MISTAKES) + 1, "is not UTF-8"))
    assert len(heads) == len(expected)
    for head, (number, what) in zip(heads, expected, strict=True):
        assert head.startswith(f"talks.jsonl:{number}:")
        assert what in head
    assert done.stderr.splitlines()[-1] == f"{len(expected)} problems in talks.jsonl"
    assert [path.name for path in tmp_path.iterdir()] == ["talks.jsonl"]


def test_a_mistake_in_json_has_the_line_it_stands_in(tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text(json.dumps([{"messages": [user("x"), {"role": "bot"}]}], indent=1))
    with pytest.raises(ConfigError) as raised:
        import_suite(source, tmp_path / "suite")
    [problem] = raised.value.problems
    assert (problem.line, problem.path) == (8, "[0].messages[1]")


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "not JSON"), ("[]", "holds no conversation"), ("\ufffe", "not JSON"), ("{", "not JSON")],
)
def test_a_file_without_conversations_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ConfigError, match=message):
        import_suite(tmp_path / "a.json", tmp_path / "suite")


def test_of_many_mistakes_a_hundred_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n" * 250)
    with pytest.raises(ConfigError) as raised:
        import_suite(tmp_path / "a.jsonl", tmp_path / "suite")
    assert len(raised.value.problems) == 101
    assert raised.value.problems[-1].message == "and 150 more problems"


def test_files_that_exist_stay_unless_they_are_to_be_replaced(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "notes.txt").write_text("mine")
    assert holodeck("import", "talk.json", "-o", "suite").returncode == 0
    (tmp_path / "suite" / "agent.yaml").write_text("mine")
    done = holodeck("import", "talk.json", "-o", "suite")
    assert (done.returncode, "--force" in done.stderr) == (2, True)
    assert (tmp_path / "suite" / "agent.yaml").read_text() == "mine"
    assert holodeck("import", "talk.json", "-o", "suite", "--force").returncode == 0
    assert run(tmp_path / "suite" / "agent.yaml").summary.passed == 1
    assert (tmp_path / "suite" / "notes.txt").read_text() == "mine"
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("none.json", "suite", "there is no such file"),
        (".", "suite", "this is a folder"),
        ("talk.json", "talk.json/suite", "talk.json is not a folder"),
        ("talk.json", "talk.json", "talk.json is not a folder"),
    ],
)
def test_what_cannot_be_read_or_written_is_told(
    source: str, target: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    with pytest.raises((ConfigError, UsageMistake), match=message):
        import_suite(tmp_path / source, tmp_path / target)
    assert (tmp_path / "talk.json").read_text() == json.dumps(TALK)
    assert [path.name for path in tmp_path.iterdir()] == ["talk.json"]


def test_without_ground_truth_replies_are_free(tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    import_suite(tmp_path / "talk.json", tmp_path / "suite", ground_truth=False)
    recording = tmp_path / "suite" / "conversations.jsonl"
    recording.write_text(recording.read_text().replace("A lamp.", "A desk."))
    suite = load_suite(tmp_path / "suite" / "agent.yaml")
    assert suite.warnings == ()
    assert run_suite_sync(suite).summary.passed == 1


def test_the_suite_of_a_folder_with_a_strange_name_runs(tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    for name in ("${HOME} no: 'x'", "no", os.fsdecode(b"\xff")):
        import_suite(tmp_path / "talk.json", tmp_path / name)
        assert run(tmp_path / name / "agent.yaml").summary.passed == 1


def test_large_recordings_are_read_and_written_line_by_line(tmp_path: Path) -> None:
    source = tmp_path / "large.jsonl"
    with source.open("w") as lines:
        for number in range(600):
            lines.write(
                f"{json.dumps({'id': f'talk {number}', 'messages': [user('x' * 5_000), said('y' * 500)]})}\n"
            )
    tracemalloc.start()
    done = import_suite(source, tmp_path / "suite")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert source.stat().st_size > 3_000_000
    assert peak < 1_500_000
    assert [path.name for path in done.files] == ["agent.yaml", "cases.jsonl", "conversations.jsonl"]
    report = run(tmp_path / "suite" / "agent.yaml")
    assert (report.summary.passed, report.summary.failed) == (600, 0)


ODD = [
    "no",
    "010",
    "1e3",
    "2020-01-01",
    "12:30",
    "null",
    "~",
    "${X}",
    "$${X}",
    " a ",
    "a\n",
    "\n a\n\n",
    "\0",
    "\x1b[0m",
]
TEXTS = st.text(max_size=12) | st.sampled_from(
    [*ODD, "\ud835", "\u2028", "\x85", "\ufeff", "{}", "- x", "a: b", "#"]
)
INPUTS = TEXTS.filter(lambda text: bool(text.strip()))
KEYS = (
    st.sampled_from(["a", "fuzzy", "regex", "Fuzzy", "acme/near", "literal", "a.b", "", "<<", "any_of", "1"])
    | TEXTS
)
NUMBERS = st.integers() | st.just(10**4_200) | st.floats(allow_nan=True)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=3).map(json.dumps) | st.sampled_from(
    ["", "null", "{oops", "[1]", "7"]
)
REPLIES = st.none() | TEXTS
CALLS = st.lists(st.tuples(TEXTS.filter(bool), ARGUMENTS), max_size=3)
TURNS = st.tuples(INPUTS, CALLS, REPLIES)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = []
    for text, calls, reply in draw(st.lists(TURNS, min_size=1, max_size=3)):
        messages.append(user(text))
        if calls:
            messages.append(said(None, *calls))
            messages += [answered(name, f"c{n}") for n, (name, _) in enumerate(calls)]
        if reply is not None:
            messages.append(said(reply))
    return messages


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.none() | TEXTS, conversations()), min_size=1, max_size=4))
def test_whatever_was_recorded_passes(
    tmp_path: Path, recorded: list[tuple[str | None, list[Message]]]
) -> None:
    source = tmp_path / "any.jsonl"
    seen: set[str] = set()
    lines = []
    for identity, messages in recorded:
        known = (identity or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
        lines.append({"messages": messages} if known in seen else {"id": identity, "messages": messages})
        seen.add(known)
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = import_suite(source, tmp_path / "suite", force=True)
    report = run(tmp_path / "suite" / "agent.yaml")
    assert done.cases == report.summary.passed == len(recorded), [result.errors for result in report.results]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(conversations())
def test_whatever_was_recorded_passes_in_an_agent_file_too(tmp_path: Path, messages: list[Message]) -> None:
    (tmp_path / "any.jsonl").write_text(json.dumps({"id": "talk", "messages": messages}))
    agent = tmp_path / "agent.yaml"
    agent.write_text("name: a\nmodel: {provider: replay, file: any.jsonl}\n")
    [found] = read_conversations(tmp_path / "any.jsonl")
    assert isinstance(found, Conversation)
    append_case(agent, found.case)
    report = run(agent)
    assert report.summary.passed == 1, report.results[0].errors
