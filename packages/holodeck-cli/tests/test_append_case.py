"""Conversations at the end of files of test cases."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holodeck_cli.recorded import RecordedCase, RecordedTurn, append_case
from holodeck_core import ConfigError, ToolCall, load_suite, run_suite_sync

CASE = RecordedCase(
    "new",
    (
        RecordedTurn("Hi", "Hello: ${NAME}", (ToolCall("find", {"id": "17", "how": {"fuzzy": "x"}}),)),
        RecordedTurn("Bye", None),
    ),
)
NEW_BLOCK = """\
- name: new
  evaluations:
    - type: standard
      metric: equality
  turns:
    - input: Hi
      ground_truth: "Hello: {dollar}{{NAME}}"
      expected_tools:
        - name: find
          match: exact
          args:
            id: "17"
            how:
              literal: {{fuzzy: x}}
          extra_args: forbid
      tool_order: exact
    - input: Bye
      expected_tools: []
"""
MODEL = "model: {provider: scripted, replies: [{reply: x}]}\n"


def new_block(indent: int, dollar: str = "$$") -> str:
    lines = NEW_BLOCK.format(dollar=dollar).splitlines()
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


NEW_FLOW = (
    "{name: new, evaluations: [{type: standard, metric: equality}], turns: [{input: Hi, "
    'ground_truth: "Hello: $${NAME}", expected_tools: [{name: find, match: exact, args: {id: "17", '
    "how: {literal: {fuzzy: x}}}, extra_args: forbid}], tool_order: exact}, {input: Bye, expected_tools: []}]}"
)

AGENT_FILES = {
    "a list in the file's own indent, comments kept": (
        "name: a  # mine\ntest_cases:\n# first\n- {input: q, expected_tools: []} # why\n# last\n\n" + MODEL,
        "name: a  # mine\ntest_cases:\n# first\n- {input: q, expected_tools: []} # why\n"
        + new_block(0)
        + "# last\n\n"
        + MODEL,
    ),
    "a list that ends the file, without a line break": (
        f"name: a\n{MODEL}test_cases:\n    - input: q\n      expected_tools: []",
        f"name: a\n{MODEL}test_cases:\n    - input: q\n      expected_tools: []\n" + new_block(4),
    ),
    "a list whose last text is a block that keeps its line breaks": (
        f"name: a\ntest_cases:\n  - expected_tools: []\n    input: |+\n      q\n\n{MODEL}",
        f"name: a\ntest_cases:\n  - expected_tools: []\n    input: |+\n      q\n\n{new_block(2)}{MODEL}",
    ),
    "a list that has an anchor": (
        f"name: a\ntest_cases: &all\n  - input: q\n    expected_tools: []\n{MODEL}",
        f"name: a\ntest_cases: &all\n  - input: q\n    expected_tools: []\n{new_block(2)}{MODEL}",
    ),
    "a list of aliases": (
        f"name: a\nx-c: &c {{input: q, expected_tools: []}}\ntest_cases:\n  - *c\n{MODEL}",
        f"name: a\nx-c: &c {{input: q, expected_tools: []}}\ntest_cases:\n  - *c\n{new_block(2)}{MODEL}",
    ),
    "a list in brackets": (
        f"name: a\ntest_cases: [{{input: q, expected_tools: []}}, # one\n  ]\n{MODEL}",
        f"name: a\ntest_cases: [{{input: q, expected_tools: []}}, {NEW_FLOW}, # one\n  ]\n{MODEL}",
    ),
    "an empty list": (
        f"name: a\ntest_cases: []  # soon\n{MODEL}",
        f"name: a\ntest_cases:  # soon\n{new_block(2)}{MODEL}",
    ),
    "nothing under the key": (
        f"name: a\n{MODEL}test_cases:\n",
        f"name: a\n{MODEL}test_cases:\n{new_block(2)}",
    ),
    "no key": (
        f"name: a\n{MODEL}\n# the end\n...\n",
        f"name: a\n{MODEL}\ntest_cases:\n{new_block(2)}\n# the end\n...\n",
    ),
    "all of it in braces": (
        "{name: a, model: {provider: scripted, replies: [{reply: x}]}}\n",
        f"{{name: a, model: {{provider: scripted, replies: [{{reply: x}}]}}, test_cases: [{NEW_FLOW}]}}\n",
    ),
    "lines that end as on Windows": (
        f"name: a\n{MODEL}test_cases:\n- input: q\n  expected_tools: []\n".replace("\n", "\r\n"),
        f"name: a\n{MODEL}test_cases:\n- input: q\n  expected_tools: []\n{new_block(0)}".replace(
            "\n", "\r\n"
        ),
    ),
    "characters of several bytes before it": (
        f"# 😀 é 名\nname: 😀é\n{MODEL}test_cases:\n  - {{input: 名😀, expected_tools: []}}  # 😀\n# é\n",
        f"# 😀 é 名\nname: 😀é\n{MODEL}test_cases:\n  - {{input: 名😀, expected_tools: []}}  # 😀\n{new_block(2)}# é\n",
    ),
    "no cases yet, behind a text that keeps its line breaks": (
        f"name: a\n{MODEL}description: |+\n  long\n\n",
        f"name: a\n{MODEL}description: |+\n  long\n\ntest_cases:\n{new_block(2)}",
    ),
    "a byte-order mark": (
        f"\ufeffname: a\n{MODEL}test_cases:\n",
        f"\ufeffname: a\n{MODEL}test_cases:\n{new_block(2)}",
    ),
}


@pytest.mark.parametrize(("before", "after"), AGENT_FILES.values(), ids=AGENT_FILES)
def test_an_agent_file_gets_one_case_and_keeps_the_rest(before: str, after: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    path.write_bytes(before.encode())
    appended = append_case(path, CASE)
    assert path.read_bytes().decode() == after
    assert (appended.file, appended.agent, appended.name) == (path, path, "new")
    assert list(tmp_path.iterdir()) == [path]
    [*_, case] = load_suite(path, environ={}).cases
    assert case.turns[0].ground_truth == "Hello: ${NAME}"


NEW_JSON = (
    '{"name": "new", "evaluations": [{"type": "standard", "metric": "equality"}], "turns": [{"input": "Hi", '
    '"ground_truth": "Hello: ${NAME}", "expected_tools": [{"name": "find", "match": "exact", "args": {"id": "17", '
    '"how": {"literal": {"fuzzy": "x"}}}, "extra_args": "forbid"}], "tool_order": "exact"}, '
    '{"input": "Bye", "expected_tools": []}]}'
)
OLD_JSON = '{"input": 1.50, "expected_tools": []}'

CASE_FILES = {
    "cases.yaml, a list": ("- input: q\n", "- input: q\n" + new_block(0, "$")),
    "cases.yml, a mapping": (
        "x-a: 1\ntest_cases:\n- input: q\n",
        "x-a: 1\ntest_cases:\n- input: q\n" + new_block(0, "$"),
    ),
    "cases.json, a list on lines": (f"[\n  {OLD_JSON}\n]\n", f"[\n  {OLD_JSON},\n  {NEW_JSON}\n]\n"),
    "cases.json, a list on one line": (f"[{OLD_JSON}]", f"[{OLD_JSON}, {NEW_JSON}]"),
    "cases.json, an empty list": ("[ ]", f"[{NEW_JSON} ]"),
    "cases.json, a mapping": (
        f'{{"test_cases": [{OLD_JSON}]}}',
        f'{{"test_cases": [{OLD_JSON}, {NEW_JSON}]}}',
    ),
    "cases.jsonl, a last line that is not ended": (OLD_JSON, f"{OLD_JSON}\n{NEW_JSON}\n"),
    "cases.ndjson, an empty file": ("", f"{NEW_JSON}\n"),
    "cases.yaml, an empty file": ("", new_block(0, "$")),
    "cases.json, an empty file": ("", f"[\n  {NEW_JSON}\n]\n"),
}


@pytest.mark.parametrize("name", CASE_FILES)
def test_a_file_of_cases_gets_one_case_and_keeps_the_rest(name: str, tmp_path: Path) -> None:
    before, after = CASE_FILES[name]
    path = tmp_path / name.partition(",")[0]
    path.write_text(before)
    appended = append_case(path, CASE)
    assert path.read_text() == after
    assert appended.agent is None
    assert "test_cases_file" in appended.notes[-1]


def test_an_agent_file_that_names_a_file_of_cases_gets_the_case_there(tmp_path: Path) -> None:
    agent, cases = tmp_path / "agent.yaml", tmp_path / "more" / "cases.jsonl"
    agent.write_text(f"name: a\n{MODEL}test_cases_file: more/cases.jsonl\n")
    cases.parent.mkdir()
    appended = append_case(agent, CASE)
    assert (appended.file, appended.agent, appended.notes) == (cases, agent, ())
    assert cases.read_text() == f"{NEW_JSON}\n"


def test_a_json_agent_file_gets_the_case(tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    path.write_text('{"name": "a", "model": {"provider": "scripted", "replies": [{"reply": "x"}]}}')
    append_case(path, CASE)
    append_case(path, CASE)
    assert [case.name for case in load_suite(path).cases] == ["new", "new (2)"]


def test_a_new_file_beside_the_agent_becomes_an_agent_file(tmp_path: Path) -> None:
    agent, new = tmp_path / "agent.yaml", tmp_path / "regression.yaml"
    agent.write_text(
        "# An agent.\nname: a\n# The cases.\ntest_cases:\n  - input: q\n    expected_tools: []\n"
        f"\n# The model.\n{MODEL}"
    )
    appended = append_case(new, CASE, agent_file=agent)
    assert new.read_text() == f"# An agent.\nname: a\n\n# The model.\n{MODEL}\ntest_cases:\n{new_block(2)}"
    assert (appended.agent, appended.notes) == (new, ())
    append_case(new, CASE, agent_file=agent)
    assert [case.name for case in load_suite(new).cases] == ["new", "new (2)"]


@pytest.mark.parametrize(
    ("agent", "name", "why"),
    [
        (f"name: a\n{MODEL}", "elsewhere/new.yaml", "in another folder"),
        ("name: a\nmodel: {provider: x, api_key: sk-123456}\n", "new.yaml", "holds a secret"),
        ("{name: a, model: {provider: x}}", "new.yaml", "could not be carried over"),
        (f"name: a\ntest_cases: &c []\nx-c: *c\n{MODEL}", "new.yaml", "could not be carried over"),
        (f"name: a\n{MODEL}? test_cases\n: []\n", "new.yaml", "could not be carried over"),
        (f"name: a\n{MODEL}", "new.jsonl", "test_cases_file: new.jsonl"),
    ],
)
def test_a_new_file_that_cannot_be_an_agent_file_is_one_of_cases_and_says_why(
    agent: str, name: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "agent.yaml").write_text(agent)
    appended = append_case(tmp_path / name, CASE, agent_file=tmp_path / "agent.yaml")
    assert appended.agent is None
    assert why in "\n".join(appended.notes)
    assert "sk-123456" not in (tmp_path / name).read_text()


REFUSED = {
    "agent.yaml: not YAML": ("name: [", "agent.yaml:1"),
    "agent.yaml: mistakes": (f"name: a\nmodle: 1\n{MODEL}", "did you mean"),
    "agent.yaml: a list by alias": (
        f"name: a\nx-c: &c [{{input: q, expected_tools: []}}]\ntest_cases: *c\n{MODEL}",
        "written out here",
    ),
    "agent.yaml: a list that stands elsewhere too": (
        f"name: a\ntest_cases: &c\n  - {{input: q, expected_tools: []}}\nx-c: *c\n{MODEL}",
        "a list of its own",
    ),
    "agent.yaml: no list": (f"name: a\ntest_cases: 5\n{MODEL}", "written out here"),
    "cases.jsonl: a broken line": ("{}\n{", "cases.jsonl:2"),
    "cases.txt: another kind of file": ("", ".yaml, .yml, .json, .jsonl"),
    "cases.json: not JSON": ("[1,]", "no comma"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_hold_the_case_stays_as_it_is(name: str, tmp_path: Path) -> None:
    text, message = REFUSED[name]
    path = tmp_path / name.partition(":")[0]
    path.write_text(text)
    with pytest.raises(ConfigError, match=message.replace(".", r"\.")) as raised:
        append_case(path, CASE)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]
    assert all(problem.file == str(path) for problem in raised.value.problems)


def test_a_file_that_is_not_to_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text("- {input: q, expected_tools: []}\n")
    path.chmod(0o444)
    with pytest.raises(ConfigError, match="the file is read-only"):
        append_case(path, CASE)
    assert path.read_text() == "- {input: q, expected_tools: []}\n"


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cases.yaml")
    with pytest.raises(ConfigError, match="not a regular file"):
        append_case(tmp_path / "cases.yaml", CASE)


@pytest.mark.parametrize("name", ["nowhere/cases.yaml", "link.yaml"])
def test_a_folder_that_is_missing_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nowhere" / "cases.yaml")
    with pytest.raises(FileNotFoundError, match=f"{name}: there is no folder {tmp_path / 'nowhere'}"):
        append_case(tmp_path / name, CASE)


def test_what_a_case_cannot_assert_is_told(tmp_path: Path) -> None:
    calls = (ToolCall("f", {"a.b": 1, "c": 2}), ToolCall("g", raw_args="{oops"))
    appended = append_case(tmp_path / "c.jsonl", RecordedCase("n", (RecordedTurn("q", "r", calls),)))
    assert [note.partition(":")[0] for note in appended.notes[:2]] == ["turns[0]", "turns[0]"]
    [tools] = [turn["expected_tools"] for turn in json.loads((tmp_path / "c.jsonl").read_text())["turns"]]
    assert tools == [
        {"name": "f", "match": "exact", "args": {"c": 2}},
        {"name": "g", "match": "exact"},
    ]


def test_without_ground_truth_replies_are_free(tmp_path: Path) -> None:
    append_case(tmp_path / "c.jsonl", CASE, ground_truth=False)
    case: dict[str, Any] = json.loads((tmp_path / "c.jsonl").read_text())
    assert "evaluations" not in case
    assert "ground_truth" not in case["turns"][0]


def test_a_chat_with_the_helpdesk_passes_as_it_was_held(tmp_path: Path) -> None:
    import asyncio
    import shutil

    from holodeck_core import CaseRef, Suite, UserMessage

    examples = Path(__file__).parents[3] / "examples" / "helpdesk"
    shutil.copytree(examples, tmp_path / "helpdesk")
    agent = tmp_path / "helpdesk" / "agent.yaml"
    messages = [
        "Hello! Where is my order LM-1002?",
        "And what did it cost?",
        "Just the total as a number, please.",
        "LM-1001 please",
        "Please refund it, the wick burned",
        "When do you open?",
        "I want to talk to a person",
        "Where is LM-9999?",
        "Thanks a lot!",
        "Bye",
    ]

    async def hold(suite: Suite) -> RecordedCase:
        session = await suite.backend.open(suite.agent, CaseRef(0, "chat", None))
        turns = []
        for message in messages:
            reply = await session.send(UserMessage(message))
            turns.append(RecordedTurn(message, reply.text, tuple(reply.tool_calls)))
        await session.close()
        return RecordedCase("chat", tuple(turns))

    case = asyncio.run(hold(load_suite(agent)))
    assert sum(len(turn.calls) for turn in case.turns) > 2
    for file in ("regression.yaml", "agent.yaml"):
        append_case(agent.parent / file, case, agent_file=agent)
        report = run_suite_sync(load_suite(agent.parent / file))
        assert report.summary.failed == 0, [result.errors for result in report.results]
        assert report.results[-1].test_name == "chat"
        assert len(report.results[-1].turns or ()) == 10
