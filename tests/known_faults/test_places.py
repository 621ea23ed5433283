"""Mistakes that were told, but not where they stand or what was meant."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core import ConfigError, load_suite, run_suite_sync

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

SCRIPTED = "{provider: scripted, replies: [{reply: hi}]}"

# (the agent file, what is written where the caret stands, what is told)
PLACED = [
    (
        f"name: a\nmodel: {SCRIPTED}\ntools:\n  - {{name: t, type: functon, file: x.py, function: f}}\n",
        "functon",
        ('tools[0] "t".type: a tool needs a `type`, one of function, mcp, prompt, vectorstore; not \'functon\'; '
        'did you mean "function"?'),
    ),
    (
        f"name: a\nmodel: {SCRIPTED}\nplugins: {{aliases: {{ok: acme/x, near: acme}}}}\n",
        "acme}",
        "plugins.aliases.near: the alias 'near' must stand for plugin/name, not for 'acme'",
    ),
    (
        "name: a\nmodel: {provider: python, agent: 'placed_desk:make', colour: red}\n",
        "red",
        ("model.colour: placed_desk:make cannot be called as a factory, once a session, to make an agent: it takes no "
        "`colour`"),
    ),
    (
        (f"name: a\nmodel: {SCRIPTED}\n"
         "evaluations: {metrics: [{type: standard, metric: equality, response_path: a..b}]}\n"),
        "a..b",
        "evaluations.metrics[0].response_path: `response_path` is written like `a.b[0]`, not \"a..b\"",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "told"), PLACED, ids=["tool", "alias", "factory", "response_path"])
def test_a_mistake_is_told_where_it_stands(tmp_path: Path, text: str, at: str, told: str) -> None:
    (tmp_path / "placed_desk.py").write_text("def make():\n    pass\n")
    path = tmp_path / "agent.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_suite(path)
    [problem] = raised.value.problems
    assert f"{problem.path}: {problem.message}" == told
    assert problem.source is not None
    assert problem.column is not None
    assert problem.source[problem.column - 1 :].startswith(at)


def test_mistakes_in_a_recording_are_told_one_by_one_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "said.jsonl").write_text(
        '{"id": "a", "messages": [{"role": "usr", "content": "x"}]}\n{"id": "b", "messages": []}\nno json\n'
    )
    path = tmp_path / "agent.yaml"
    path.write_text("name: a\nmodel: {provider: replay, file: said.jsonl}\n")
    with pytest.raises(ConfigError) as raised:
        load_suite(path)
    assert [str(problem) for problem in raised.value.problems] == [
        'said.jsonl:1: messages[0]: unknown role "usr"',
        "said.jsonl:3: not JSON: Expecting value (column 1)",
    ]


@pytest.fixture
def desk(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [
        {"name": "late refund", "input": "x", "expected_tools": [], "tags": ["smoke", "slow"]},
        {"name": "order", "input": "x", "expected_tools": []},
    ]
    agent = {
        "name": "a",
        "model": {"provider": "scripted", "replies": [{"reply": "hi"}]},
        "test_cases": cases,
    }
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "agent.yaml").write_text(json.dumps(agent))


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            ["--tag", "smok"],
            "--tag 'smok' selects none of 2: there is no tag 'smok'; did you mean \"smoke\"?",
        ),
        (["--tag", "zzzz"], "--tag 'zzzz' selects none of 2: the tags are smoke, slow"),
        (["-k", "late refnd"], "-k 'late refnd' selects none of 2; did you mean \"late refund\"?"),
        (["-k", "zzzz"], "-k 'zzzz' selects none of 2"),
        (["-k", "order", "--tag", "slow"], "-k 'order' --tag 'slow' selects none of 2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_selection_of_nothing_says_what_there_is(
    holodeck: Holodeck, desk: None, args: list[str], told: str
) -> None:
    done = holodeck("test", "desk", *args)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"no test cases: {told}\n")


@pytest.mark.parametrize("command", ["test", "validate"])
def test_the_folder_of_an_agent_file_stands_for_it(
    holodeck: Holodeck, desk: None, tmp_path: Path, command: str
) -> None:
    assert holodeck(command, "desk").returncode == 0
    (tmp_path / "empty").mkdir()
    done = holodeck(command, "empty")
    assert done.returncode == 2
    assert done.stderr.startswith("empty/agent.yaml: there is no such file")


@pytest.mark.parametrize("folder", ["holodeck_client", "my-site-packages", "desk"])
def test_an_error_has_its_place_whatever_the_folder_of_the_project_is_called(
    tmp_path: Path, folder: str
) -> None:
    module = f"owner_{folder.replace('-', '_')}"
    place = tmp_path / folder
    place.mkdir()
    (place / f"{module}.py").write_text(
        "def make():\n    def answer(text):\n        raise OSError('no')\n    return answer\n"
    )
    (place / "agent.yaml").write_text(
        f"name: a\nmodel: {{provider: python, agent: '{module}:make'}}\ntest_cases: [{{input: hi}}]\n"
    )
    [case] = run_suite_sync(load_suite(place / "agent.yaml")).results
    assert case.errors == [f"OSError: no ({module}.py:3 in answer)"]
