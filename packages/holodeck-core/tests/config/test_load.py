"""From files to a bound suite: what is checked, where mistakes are, what a suite then holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holodeck_core import ConfigError, RunError, Suite, load_suite, run_suite_sync

Load = Callable[..., Suite]

HEAD = """\
name: agent
model:
  provider: scripted
  replies: []
"""


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Writes the files and loads the agent."""
    before = set(sys.modules)

    def load(agent: str, settings: Any = None, **files: str) -> Suite:
        (tmp_path / "agent.yaml").write_text(agent, encoding="utf-8")
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text, encoding="utf-8")
        return load_suite(tmp_path / "agent.yaml", settings=settings)

    yield load
    for module in set(sys.modules) - before:
        if str(getattr(sys.modules[module], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[module]


def problems(load: Load, agent: str, **files: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(agent, **files)
    return [
        problem.headline().replace(f"{Path(problem.file).parent}/", "", 1)
        if problem.file
        else problem.headline()
        for problem in caught.value.problems
    ]


MISTAKES = [
    ("nothing asked", "test_cases: [{name: x}]", "agent.yaml:5:14: test_cases[0] \"x\": needs `input`"),
    ("both shapes", "test_cases: [{input: a, turns: [{input: b}]}]", "`turns` and `input` exclude each other"),
    ("empty turns", "test_cases: [{turns: []}]", "test_cases[0].turns: must have at least 1 item"),
    ("blank input", "test_cases: [{input: '  '}]", "test_cases[0].input: must not be empty"),
    ("unknown key", "test_cases: [{input: a, inptu: b}]", "agent.yaml:5:25: test_cases[0].inptu: unknown key `inptu`"),
    ("count 0", "test_cases: [{input: a, expected_tools: [{name: f, count: 0}]}]",
     'test_cases[0].expected_tools[0] "f".count: must be at least 1'),
    ("a key beside a matcher", "test_cases: [{input: a, expected_tools: [{name: f, args: {x: {fuzzy: 1, y: a}}}]}]",
     '.args.x.fuzzy: `fuzzy` makes this a matcher'),
    ("regexp", "test_cases: [{input: a, expected_tools: [{name: f, args: {x: {regexp: a}}}]}]",
     "did you mean `regex`"),
    ("bad regex", "test_cases: [{input: a, expected_tools: [{name: f, args: {x: {regex: 'ORD-(d'}}}]}]",
     'test_cases[0].expected_tools[0] "f".args.x.regex: '),
    ("bad regex, deep", "test_cases: [{input: a, expected_tools: [{name: f, args: {x: [1, {y: {regex: '('}}]}}]}]",
     'expected_tools[0] "f".args.x[1].y.regex: '),
    ("bad name regex", "test_cases: [{input: a, expected_tools: [{name: '(', match: regex}]}]",
     "not a regular expression"),
    ("matcher of a missing plugin", "test_cases: [{input: a, expected_tools: [{name: f, args: {x: {acme/near: 1}}}]}]",
     '.args.x.acme/near: '),
    ("negative tolerance",
     "evaluations: {metrics: [{type: standard, metric: numeric, absolute_tolerance: -1}]}",
     "evaluations.metrics[0].absolute_tolerance: must be at least 0"),
    ("unknown metric", "evaluations: {metrics: [{type: standard, metric: numerik}]}",
     "evaluations.metrics[0].metric: "),
    ("unknown metric type", "evaluations: {metrics: [{type: acme/pii}]}", "evaluations.metrics[0].type: "),
    ("grader without module", "evaluations: {metrics: [{type: code, grader: 'no_such_module_x:f'}]}",
     "evaluations.metrics[0].grader: no module named 'no_such_module_x'"),
    ("grader with a syntax error", "evaluations: {metrics: [{type: code, grader: 'broken_graders:f'}]}",
     "evaluations.metrics[0].grader: importing 'broken_graders' failed: SyntaxError"),
    ("grader that is not there", "evaluations: {metrics: [{type: code, grader: 'good_graders:nothing'}]}",
     "has no 'nothing'"),
    ("grader that cannot be called", "evaluations: {metrics: [{type: code, grader: 'good_graders:number'}]}",
     "is of type int, which cannot be called"),
    ("grader that takes no turn", "evaluations: {metrics: [{type: code, grader: 'good_graders:nobody'}]}",
     "'good_graders:nobody' cannot be called with one argument, the turn: too many positional arguments"),
    ("grader that needs more than a turn", "evaluations: {metrics: [{type: code, grader: 'good_graders:pair'}]}",
     "cannot be called with one argument, the turn: missing a required argument: 'other'"),
    ("grader named by its file", "evaluations: {metrics: [{type: code, grader: 'good_graders.py:number'}]}",
     "a module is named without its `.py`, 'good_graders'"),
    ("grader in a module like one that is there",
     "evaluations: {metrics: [{type: code, grader: 'god_graders:number'}]}", 'did you mean "good_graders"?'),
    ("metrics of the agent without their key", "evaluations: [{type: standard, metric: equality}]",
     "expected a mapping, got a list: for the agent, write {metrics: […]}"),
    ("metrics of a case below a key",
     "test_cases: [{input: a, evaluations: {metrics: [{type: standard, metric: equality}]}}]",
     "expected a list, got a mapping: for a case or a turn, write the list of its metrics alone"),
    ("instructions as a text", "instructions: Be kind.", "write {inline: …} or {file: …}"),
    ("grader hiding the standard library", "evaluations: {metrics: [{type: code, grader: 'fractions:f'}]}",
     "has the name of the standard library's module 'fractions'"),
    ("case file that is not there", "test_cases_file: nothing.jsonl", "nothing.jsonl: there is no such file"),
    ("both lists", "test_cases: []\ntest_cases_file: a.yaml", "exclude each other"),
    ("parallel 0", "execution: {parallel_test_cases: 0}", "execution.parallel_test_cases: must be at least 1"),
    ("required plugin", "plugins: {required: ['acme>=1']}", "plugins.required[0]: "),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_told_with_its_place(load: Load, text: str, message: str) -> None:
    found = problems(
        load,
        HEAD + text,
        broken_graders__py="def f(:\n",
        good_graders__py="number = 5\ndef nobody(): ...\ndef pair(turn, other): ...\n",
        fractions__py="def f(c): return True\n",
    )
    assert len(found) == 1
    assert message in found[0]


def test_a_provider_that_nothing_contributes(load: Load) -> None:
    [found] = problems(load, "name: a\nmodel: {provider: scriptd, replies: []}\n")
    assert "agent.yaml:2:19: model.provider: " in found
    assert "scripted" in found


def test_a_model_is_more_than_its_name(load: Load) -> None:
    [found] = problems(load, "name: a\nmodel: gpt-4o\n")
    assert found == (
        'agent.yaml:2:8: model: expected a mapping, got the text "gpt-4o": '
        "write {provider: …}, with the keys of that provider"
    )


def test_options_of_a_backend_are_checked_by_its_own_model(load: Load) -> None:
    found = problems(load, "name: a\nmodel: {provider: scripted, replies: [], replys: []}\n")
    assert found == ['agent.yaml:2:42: model.replys: unknown key `replys`; did you mean "replies"?']


def test_every_mistake_is_reported_at_once_in_file_order(load: Load) -> None:
    agent = (
        HEAD
        + """\
evaluations:
  metrics: [{type: standard, metric: nothing}]
test_cases:
  - {input: a, expected_tools: [{name: f, args: {x: {regex: '('}}}]}
  - {input: b, count: 3}
  - {turns: [{input: c}, {inptu: d}]}
  - {input: e, input: f}
"""
    )
    found = problems(load, agent)
    assert [line.split(":")[1] for line in found] == ["6", "8", "9", "10", "11"]


def test_mistakes_of_json_lines_have_their_line_and_at_most_a_hundred_are_kept(load: Load) -> None:
    lines = [json.dumps({"input": "a"}), '{"input": ""}', '{"input": "b", "input": "c"}', "{nonsense"]
    lines += [json.dumps({"inputs": "a"})] * 200
    found = problems(load, HEAD + "test_cases_file: cases.jsonl\n", cases__jsonl="\n".join(lines))
    assert [line.split(":")[:2] for line in found[:3]] == [
        ["cases.jsonl", number] for number in ("2", "3", "4")
    ]
    assert len(found) == 101
    assert found[-1] == "cases.jsonl: and 103 more problems"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases__yaml", "- {input: 5}\n- {name: x, turns: [{input: b}]}\n"),
        ("cases__yaml", "test_cases:\n- {input: 5}\n- {name: x, turns: [{input: b}]}\n"),
        ("cases__json", '[{"input": 5}, {"name": "x", "turns": [{"input": "b"}]}]'),
        ("cases__jsonl", '{"input": 5}\n\n{"name": "x", "turns": [{"input": "b"}]}\n'),
    ],
)
def test_cases_may_stand_in_a_file_of_their_own(load: Load, name: str, text: str) -> None:
    suite = load(HEAD + f"test_cases_file: {name.replace('__', '.')}\n", **{name: text})
    cases = list(suite.cases)
    assert len(suite.cases) == 2
    assert [case.label for case in cases] == ["case 1", "x"]
    assert [case.turns[0].message.text for case in cases] == ["5", "b"]
    assert [case.multi_turn for case in cases] == [False, True]
    assert [case.turns[0].message.text for case in suite.cases] == ["5", "b"], "cases can be read again"


def test_a_json_lines_file_must_not_change_between_check_and_run(load: Load, tmp_path: Path) -> None:
    suite = load(HEAD + "test_cases_file: cases.jsonl\n", cases__jsonl='{"input": "a"}\n')
    (tmp_path / "cases.jsonl").write_text('{"input": "a"}\n{"input": "b"}\n')
    with pytest.raises(RunError, match="has changed since it was checked"):
        run_suite_sync(suite)


LEVELS = (
    HEAD
    + """\
evaluations:
  metrics: [{type: standard, metric: equality, name: of the agent}]
test_cases:
  - input: a
  - evaluations: [{type: standard, metric: equality, name: of the case}]
    turns:
      - input: b
      - input: c
        evaluations: [{type: standard, metric: numeric, name: of the turn}]
      - input: d
        evaluations: []
      - input: e
        evaluations: [{type: standard, metric: numeric, enabled: false}]
"""
)


def test_the_nearest_level_of_metrics_replaces_the_others(load: Load) -> None:
    suite = load(LEVELS)
    names = [[metric.name for metric in turn.metrics] for case in suite.cases for turn in case.turns]
    assert names == [["of the agent"], ["of the case"], ["of the turn"], [], []]


@pytest.mark.parametrize(
    ("settings", "file", "parallel", "timeout"),
    [
        (None, "", 1, 60),
        (None, "execution: {parallel_test_cases: 3, llm_timeout: 5}", 3, 5),
        ({"parallel_test_cases": 7}, "execution: {parallel_test_cases: 3, llm_timeout: 5}", 7, 5),
        ({"llm_timeout": 0.5}, "", 1, 0.5),
    ],
)
def test_settings_of_the_caller_go_before_those_of_the_file_field_by_field(
    load: Load, settings: Any, file: str, parallel: int, timeout: float
) -> None:
    suite = load(HEAD + file, settings=settings)
    assert (suite.parallel, suite.llm_timeout) == (parallel, timeout)


def test_settings_of_the_caller_are_checked(load: Load) -> None:
    with pytest.raises(ConfigError, match="parallel_test_cases"):
        load(HEAD, settings={"parallel_test_cases": 0})


@pytest.mark.parametrize(
    ("turn", "asserts"),
    [
        ("{input: a}", None),
        ("{input: a, expected_tools: []}", (0, False)),
        ("{input: a, expected_tools: [f]}", (1, True)),
        ("{input: a, expected_tools: [f], extra_calls: allow}", (1, False)),
        ("{input: a, forbidden_tools: [f]}", (None, False)),
        ("{input: a, extra_calls: forbid}", (None, True)),
    ],
)
def test_what_a_turn_asserts_about_tools(
    load: Load, turn: str, asserts: tuple[int | None, bool] | None
) -> None:
    execution = "execution: {extra_calls: forbid, tool_order: in_order}"
    suite = load(HEAD + f"{execution}\ntest_cases: [{{turns: [{turn}]}}]\n")
    [case] = suite.cases
    tools = case.turns[0].tools
    if asserts is None:
        assert tools is None
        return
    assert tools is not None
    count, extra = asserts
    assert (None if tools.expectations is None else len(tools.expectations)) == count
    if count != 0:
        assert tools.forbid_extra_calls is extra
    assert tools.order == "in_order"


def test_a_case_knows_where_it_stands(load: Load) -> None:
    suite = load(HEAD + "test_cases:\n  - input: a\n\n  - name: b\n    input: b\n")
    assert [str(case.source).rpartition(":")[2] for case in suite.cases] == ["6", "8"]


def test_the_suite_names_the_plugins_in_use(load: Load) -> None:
    suite = load(HEAD + "evaluations: {metrics: [{type: standard, metric: equality}]}\n")
    assert sorted(suite.plugins) == ["core", "graders"]


@pytest.mark.parametrize("same", ["graders_of_two", "helpers_of_two"], ids=["named", "imported-by-it"])
def test_two_modules_of_one_name_are_not_confused(tmp_path: Path, same: str) -> None:
    for folder in ("one", "two"):
        named = "graders_of_two" if same == "graders_of_two" else f"graders_of_{folder}"
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{named}.py").write_text("from helpers_of_two import f\n")
        (tmp_path / folder / "helpers_of_two.py").write_text("def f(context): return True\n")
        (tmp_path / folder / "agent.yaml").write_text(
            HEAD + f"evaluations: {{metrics: [{{type: code, grader: '{named}:f'}}]}}\n"
        )
    try:
        load_suite(tmp_path / "one" / "agent.yaml")
        both = rf"'{same}' is already loaded from .*one.{same}\.py, so .*two.{same}\.py cannot be: rename one"
        with pytest.raises(ConfigError, match=both):
            load_suite(tmp_path / "two" / "agent.yaml")
    finally:
        for name in {"graders_of_two", "graders_of_one", "helpers_of_two"}.intersection(sys.modules):
            del sys.modules[name]


def test_a_loaded_module_is_in_the_way_of_none_that_a_suite_does_not_import(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "helpers_of_nobody", ModuleType("helpers_of_nobody"))
    (tmp_path / "helpers_of_nobody.py").write_text("")
    (tmp_path / "graders_of_somebody.py").write_text("def f(context): return True\n")
    load(HEAD + "evaluations: {metrics: [{type: code, grader: 'graders_of_somebody:f'}]}\n")
