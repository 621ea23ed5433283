"""Files that tools of this kind have misread in silence, and what is told about them, or how they run.

The table `files.yaml` holds them. A row is one agent file::

    fault: what went wrong elsewhere, in one sentence
    file: the agent file; where it does not begin with `name:`, a name and a model stand before it (two lines)
    problems: what is told about it, a text for each mistake, which has to be part of it
    warnings: the same for warnings
    verdicts: how its cases end, where it runs; it may be given beside warnings
    why: where a rule of this project decides, which one

A row has problems, warnings or verdicts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from holodeck_core import ConfigError, Problem, Suite, load_suite, run_suite_sync

ROWS: Final = yaml.safe_load((Path(__file__).parent / "files.yaml").read_text(encoding="utf-8"))
HEAD: Final = "name: desk\nmodel: {provider: scripted, replies: [{reply: hello}]}\n"


def _headlines(problems: tuple[Problem, ...], folder: Path) -> list[str]:
    return [problem.headline().replace(f"{folder}/", "") for problem in problems]


def _assert_told(expected: list[str], told: list[str]) -> None:
    assert len(told) == len(expected), "\n".join(told)
    for part, whole in zip(expected, told, strict=True):
        assert part in whole


@pytest.mark.parametrize("row", [pytest.param(row, id=row["fault"]) for row in ROWS])
def test_what_a_file_says_is_not_misread(
    row: dict[str, Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    text = row["file"]
    agent = write(text if text.startswith("name:") else HEAD + text)
    if "problems" in row:
        with pytest.raises(ConfigError) as caught:
            load_suite(agent)
        _assert_told(row["problems"], _headlines(caught.value.problems, tmp_path))
        return
    suite = load_suite(agent)
    if "warnings" in row:
        _assert_told(row["warnings"], _headlines(suite.warnings, tmp_path))
    if "verdicts" in row:
        report = run_suite_sync(suite)
        assert [result.status for result in report.results] == row["verdicts"], [
            result.errors or result.arg_match_details for result in report.results
        ]


def test_aliases_that_multiply_are_refused_at_once(write: Callable[..., Path]) -> None:
    levels = "".join(
        f"x-{name}: &{name} [{','.join([f'*{below}'] * 9)}]\n"
        for below, name in zip("abcdefghijklmno", "bcdefghijklmnop", strict=True)
    )
    case = "{input: hi, expected_tools: [], turn_config: {v: *p}}"
    agent = write(
        f'{HEAD}x-a: &a ["x", "x", "x", "x", "x", "x", "x", "x", "x"]\n{levels}test_cases: [{case}]\n'
    )
    started = time.process_time()
    with pytest.raises(ConfigError, match="too many aliases"):
        load_suite(agent)
    assert time.process_time() - started < 1


BOM: Final = b"\xef\xbb\xbf"
CASE: Final = '{"name": "first", "input": "hello", "expected_tools": []}'

# (which file begins with a byte order mark, its name, what is in it, what the agent file says of it)
MARKED: Final = [
    ("the agent file", "agent.yaml", "", ""),
    ("cases in YAML", "cases.yaml", f"- {CASE}\n", "test_cases_file: cases.yaml"),
    ("cases in JSON", "cases.json", f"[{CASE}]", "test_cases_file: cases.json"),
    ("cases in lines of JSON", "cases.jsonl", f"{CASE}\n", "test_cases_file: cases.jsonl"),
    ("the project file", "holodeck.yaml", "execution: {llm_timeout: 7}\n", ""),
    ("the instructions", "told.md", "Be brief.\n", "instructions: {file: told.md}"),
    ("the instructions with front matter", "told.md", "---\nby: me\n---\nBe brief.\n", "instructions: {file: told.md}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "line"), [row[1:] for row in MARKED], ids=[row[0] for row in MARKED]
)
def test_a_byte_order_mark_is_part_of_nothing_in_any_file(
    write: Callable[..., Path], tmp_path: Path, name: str, content: str, line: str
) -> None:
    cases = "" if "test_cases_file" in line else f"test_cases: [{CASE}]\n"
    agent = write(f"{HEAD}{line}\n{cases}")
    (tmp_path / name).write_bytes(BOM + (content.encode() if content else agent.read_bytes()))
    suite = load_suite(agent)
    assert [case.name for case in suite.cases] == ["first"]
    assert suite.llm_timeout == (7 if name == "holodeck.yaml" else 60)
    if "instructions" in line:
        assert suite.agent.instructions is not None
        assert str(suite.agent.instructions.inline).strip() == "Be brief."
    assert run_suite_sync(suite).summary.passed == 1


def test_a_byte_order_mark_is_part_of_nothing_in_a_recording_and_in_a_file_of_variables(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    recording = json.dumps({"id": "first", "messages": messages}) + "\n"
    (tmp_path / "talk.jsonl").write_bytes(BOM + recording.encode())
    (tmp_path / "variables").write_bytes(BOM + b"HD_BOM_NAME=first\n")
    agent = write(
        "name: desk\nmodel: {provider: replay, file: talk.jsonl}\n"
        'test_cases: [{name: "${HD_BOM_NAME}", input: hello, expected_tools: []}]\n'
    )
    suite = load_suite(agent, env_file=tmp_path / "variables")
    assert run_suite_sync(suite).summary.passed == 1


MATCHERS: Final[list[Any]] = [
    "x",
    7,
    None,
    {"fuzzy": "x"},
    {"regex": "x+"},
    {"any_of": ["a", {"fuzzy": "b"}, {"absent": True}]},
    {"approx": 1.5, "tolerance": 0.1},
    {"literal": {"fuzzy": "x", "extra": 1}},
    {"literal": {"regex": "x"}},
    {"literal": {"literal": 1}},
    {"a": [{"b": {"unordered": [1, {"type": "string"}]}}]},
    {"fuzzier": "x"},
    {"absent": False},
]


@pytest.mark.parametrize("value", MATCHERS, ids=str)
def test_a_matcher_that_is_written_out_reads_back_as_the_same_matcher(
    write: Callable[..., Path], value: Any
) -> None:
    def load(expected: Any) -> Suite:
        case = {"input": "hi", "expected_tools": [expected]}
        return load_suite(write({"model": {"provider": "scripted", "replies": []}, "test_cases": [case]}))

    def tool(suite: Suite) -> Any:
        [case] = suite.agent.test_cases or []
        [found] = case.expected_tools or []
        return found

    first = tool(load({"name": "f", "args": {"v": value}, "result": value}))
    dumped = first.model_dump(mode="json", exclude_unset=True)
    assert dumped["args"] == {"v": value}
    second = tool(load(dumped))
    assert (second.args, second.result) == (first.args, first.result)
