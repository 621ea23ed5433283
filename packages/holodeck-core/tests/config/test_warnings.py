"""Warnings: what can never fail, or never pass, is told with its place, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from holodeck_core import Suite, load_suite
from holodeck_core.config.warnings.case_names import CaseNames
from holodeck_core.plugins.host import PluginHost
from holodeck_core.testing.fake_distribution import FakeDistribution

Load: TypeAlias = Callable[..., Suite]
WarningsOf: TypeAlias = Callable[..., list[str]]

ACME = """
from collections.abc import AsyncIterator
from pydantic import BaseModel, ConfigDict
from holodeck_core import Backend, Contribution, Metric, Score, Session, hookimpl

class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")

class Model(Backend):
    Options = Anything
    async def open(self, agent, case=None): raise NotImplementedError

class Length(Metric):
    Options = Anything
    has_own_rule = False
    def score(self, turn): return Score(len(turn.agent_response))

class Verdict(Metric):
    Options = Anything
    def score(self, turn): return Score(1.0, True)

@hookimpl
def holodeck_backends(): return [Contribution("llm", "acme_for_warnings:Model", "a language model")]

@hookimpl
def holodeck_metrics():
    return [
        Contribution("length", "acme_for_warnings:Length", "a score without a verdict"),
        Contribution("verdict", "acme_for_warnings:Verdict", "with one"),
    ]
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], PluginHost]]:
    """Hosts that know the plugin ``acme``: a provider that is given the tools of the file, and two metrics."""
    site = tmp_path_factory.mktemp("site")
    FakeDistribution("holodeck-acme", modules={"acme_for_warnings.py": ACME}).install(site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        yield PluginHost


@pytest.fixture
def load(tmp_path: Path, host: Callable[[], PluginHost]) -> Load:
    """Writes the files and loads the agent."""

    def load(agent: str, **files: str) -> Suite:
        (tmp_path / "agent.yaml").write_text(agent, encoding="utf-8")
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text, encoding="utf-8")
        return load_suite(tmp_path / "agent.yaml", plugins=host())

    return load


@pytest.fixture
def warnings_of(load: Load, tmp_path: Path) -> WarningsOf:
    """The warnings of an agent, each in one line, with file names as they are in the folder."""

    def warnings_of(agent: str, **files: str) -> list[str]:
        return [
            warning.headline().replace(f"{tmp_path}/", "", 1) for warning in load(agent, **files).warnings
        ]

    return warnings_of


HEAD = "name: a\nmodel: {provider: scripted, replies: []}\n"
LLM = "name: a\nmodel: {provider: acme/llm}\n"
EQUALITY = "{type: standard, metric: equality}"
NUMERIC = "{type: standard, metric: numeric}"


def metrics(*texts: str) -> str:
    """The metrics of the agent, in line 3."""
    return f"evaluations: {{metrics: [{', '.join(texts)}]}}\n"


def cases(*texts: str) -> str:
    """The cases, in one line."""
    return f"test_cases: [{', '.join(texts)}]\n"


def tools(*names: str) -> str:
    """The tools of the agent, in line 3."""
    return "tools: [" + ", ".join(f"{{type: prompt, template: x, name: {name}}}" for name in names) + "]\n"


CHECKED = "{input: a, expected_tools: [f]}"

WARNINGS = [
    # No check at all
    (
        "no check",
        HEAD + cases("{name: x, input: a}"),
        [
            'agent.yaml:3:14: test_cases[0] "x": nothing is checked in this case: set `expected_tools` or a metric'
        ],
    ),
    (
        "no check in any turn",
        HEAD + cases("{turns: [{input: a}, {input: b}]}"),
        ["agent.yaml:3:14: test_cases[0]: nothing is checked"],
    ),
    (
        "metrics switched off",
        HEAD + cases(f"{{input: a, evaluations: [{EQUALITY[:-1]}, enabled: false}}]}}"),
        ["test_cases[0]: nothing is checked"],
    ),
    (
        "metrics replaced by none",
        HEAD + metrics("{type: acme/verdict}") + cases("{input: a, evaluations: []}", CHECKED),
        ["agent.yaml:4:14: test_cases[0]: nothing is checked"],
    ),
    (
        "asserts nothing about tools",
        HEAD + cases("{input: a, forbidden_tools: []}"),
        ["test_cases[0]: nothing is checked"],
    ),
    (
        "metrics of the agent that need a ground truth",
        HEAD + metrics(EQUALITY) + cases("{input: a}", "{input: b, ground_truth: x}"),
        [
            "agent.yaml:4:14: test_cases[0]: nothing is checked in this case: its metrics lack a `ground_truth`"
        ],
    ),
    (
        "a pass rate of 0",
        HEAD + cases("{input: a, expected_tools: [f], min_pass_rate: 0}"),
        ["agent.yaml:3:61: test_cases[0].min_pass_rate: with a pass rate of 0 the case can never fail"],
    ),
    # A ground truth that nothing uses
    (
        "ground truth only",
        HEAD + cases("{input: hi, ground_truth: x}"),
        [
            (
                "agent.yaml:3:40: test_cases[0].ground_truth: no metric uses this `ground_truth`: "
                "add one to `evaluations`, such as {type: standard, metric: equality}"
            )
        ],
    ),
    (
        "ground truth beside tools",
        HEAD + cases("{turns: [{input: a, ground_truth: x, expected_tools: [f]}]}"),
        ["test_cases[0].turns[0].ground_truth: no metric uses"],
    ),
    # Metrics without their ground truth
    (
        "of the turn",
        HEAD
        + metrics(EQUALITY)
        + cases(f"{{turns: [{{input: a, evaluations: [{NUMERIC}]}}, {{input: b, ground_truth: x}}]}}"),
        [
            "test_cases[0].turns[0].evaluations[0]: the metric `numeric` needs a `ground_truth`, and this turn has none"
        ],
    ),
    (
        "of the case",
        HEAD + cases(f"{{turns: [{{input: a}}, {{input: b}}], evaluations: [{EQUALITY}]}}"),
        [
            "agent.yaml:3:62: test_cases[0].evaluations[0]: the metric `equality` needs a `ground_truth`, and no turn"
        ],
    ),
    (
        "of the agent",
        HEAD + metrics("{type: acme/verdict}", EQUALITY) + cases("{input: a}", "{input: b}"),
        [
            "agent.yaml:3:47: evaluations.metrics[1]: the metric `equality` needs a `ground_truth`, and no turn"
        ],
    ),
    (
        "of the agent, where the only ground truth has other metrics",
        HEAD
        + metrics(EQUALITY)
        + cases(CHECKED, f"{{input: b, ground_truth: '1', evaluations: [{NUMERIC}]}}"),
        ["evaluations.metrics[0]: the metric `equality` needs"],
    ),
    (
        "of the case, where every turn has its own",
        HEAD
        + cases(
            f"{{turns: [{{input: a, ground_truth: x, evaluations: [{EQUALITY}]}}], evaluations: [{NUMERIC}]}}"
        ),
        ["test_cases[0].evaluations: these metrics can never fail: every turn sets `evaluations` of its own"],
    ),
    # Metrics that decide nothing, or always the same
    (
        "informational",
        HEAD + metrics("{type: acme/length}") + cases(CHECKED),
        ["agent.yaml:3:25: evaluations.metrics[0]: the metric `acme/length` gives a score and no verdict"],
    ),
    (
        "informational, of the turn",
        HEAD + cases("{input: a, evaluations: [{type: acme/length, name: n}]}"),
        ['agent.yaml:3:39: test_cases[0].evaluations[0] "n": the metric `n` gives a score and no verdict'],
    ),
    (
        "a language model that is not asked",
        HEAD + metrics("{type: standard, metric: equality, model: {provider: x}}"),
        [
            "agent.yaml:3:67: evaluations.metrics[0].model: `model` has no effect: `equality` asks no language model"
        ],
    ),
    (
        "a tolerance of equality",
        HEAD + metrics("{type: standard, metric: equality, relative_tolerance: 0.1}"),
        [
            "evaluations.metrics[0].relative_tolerance: `relative_tolerance` has no effect on `equality`: it belongs to"
        ],
    ),
    (
        "letter case of numbers",
        HEAD + metrics("{type: standard, metric: numeric, case_insensitive: true}"),
        ["evaluations.metrics[0].case_insensitive: `case_insensitive` has no effect on `numeric`"],
    ),
    (
        "threshold 0",
        HEAD + metrics("{type: standard, metric: numeric, threshold: 0}"),
        ["evaluations.metrics[0].threshold: `numeric` scores 0 or 1: with this threshold it can never fail"],
    ),
    (
        "threshold over 1",
        HEAD + metrics("{type: standard, metric: equality, threshold: 80}"),
        ["evaluations.metrics[0].threshold: `equality` scores 0 or 1: with this threshold it can never pass"],
    ),
    (
        "no number",
        HEAD + metrics(NUMERIC) + cases("{input: a, ground_truth: 'yes'}"),
        [
            'agent.yaml:4:39: test_cases[0].ground_truth: the metric `numeric` compares numbers, and "yes" is none'
        ],
    ),
    *[
        (
            f"a share of {zero}",
            HEAD
            + metrics("{type: standard, metric: numeric, relative_tolerance: 0.01, absolute_tolerance: 0}")
            + cases(f"{{input: a, ground_truth: '{zero}'}}"),
            ["test_cases[0].ground_truth: the `relative_tolerance` of the metric `numeric` is a share of"],
        )
        for zero in ("0", "-0.0", "+0", "\u22120.00")
    ],
    # Tools
    (
        "a tool that is not there",
        LLM + tools("search", "book") + cases("{input: a, expected_tools: [serach]}"),
        [
            (
                "agent.yaml:4:42: test_cases[0].expected_tools[0]: the agent has no tool whose name contains `serach`: "
                'this can never pass; did you mean "search"?'
            )
        ],
    ),
    (
        "a tool that is not there, as a mapping",
        LLM + tools("search") + cases("{input: a, expected_tools: [{name: lookup, match: exact}]}"),
        [
            (
                'agent.yaml:4:49: test_cases[0].expected_tools[0] "lookup".name: the agent has no tool `lookup`: '
                "this can never pass; it has `search`"
            )
        ],
    ),
    (
        "exactly a part of a name",
        LLM + tools("search_all") + cases("{input: a, expected_tools: [{name: search, match: exact}]}"),
        ['the agent has no tool `search`: this can never pass; did you mean "search_all"?'],
    ),
    (
        "a pattern that matches none",
        LLM + tools("search") + cases("{input: a, expected_tools: [{name: 'x*', match: glob}]}"),
        ["the agent has no tool that matches `x*`: this can never pass"],
    ),
    (
        "no tool at all",
        LLM + "tools: []\n" + cases("{input: a, expected_tools: [f]}"),
        ["the agent has no tool whose name contains `f`: this can never pass"],
    ),
    (
        "a slip in what is forbidden",
        LLM + tools("delete_user") + cases("{input: a, forbidden_tools: [delete_usr]}"),
        [
            "test_cases[0].forbidden_tools[0]: the agent has no tool `delete_usr`: this can never fail; did you mean"
        ],
    ),
    (
        "part of several names",
        LLM + tools("add", "address_lookup", "sub") + cases("{input: a, expected_tools: [add]}"),
        [
            (
                "agent.yaml:4:42: test_cases[0].expected_tools[0]: `add` is part of the names of several tools, `add`, "
                "`address_lookup`"
            )
        ],
    ),
    (
        "part of several names, whatever the provider",
        HEAD + tools("add", "address_lookup") + cases("{input: a, expected_tools: [add]}"),
        ["`add` is part of the names of several tools"],
    ),
    (
        "expected and forbidden",
        HEAD + cases("{input: a, expected_tools: [{name: f, match: exact}], forbidden_tools: [f]}"),
        [
            'test_cases[0].expected_tools[0] "f".name: the tool `f` is expected and forbidden: this can never pass'
        ],
    ),
    (
        "part of a name, forbidden in any name",
        HEAD
        + cases(
            "{input: a, expected_tools: [delete_all], forbidden_tools: [{name: delete, match: contains}]}"
        ),
        [
            "test_cases[0].expected_tools[0]: the tool whose name contains `delete_all` is expected and forbidden"
        ],
    ),
    (
        "order of no calls",
        HEAD + cases("{input: a, expected_tools: [], tool_order: exact}"),
        [
            "test_cases[0].tool_order: `tool_order` has no effect beside `expected_tools: []`, which allows no call"
        ],
    ),
    (
        "other calls beside none",
        HEAD + cases("{input: a, expected_tools: [], extra_calls: allow}"),
        ["test_cases[0].extra_calls: `extra_calls: allow` has no effect beside `expected_tools: []`"],
    ),
    (
        "order of nothing",
        HEAD + cases("{input: a, forbidden_tools: [f], tool_order: in_order}"),
        ["test_cases[0].tool_order: `tool_order` has no effect without `expected_tools`"],
    ),
    (
        "other calls in an exact order",
        HEAD + cases("{input: a, expected_tools: [f], tool_order: exact, extra_calls: allow}"),
        ["test_cases[0].extra_calls: `extra_calls: allow` has no effect where `tool_order` is `exact`"],
    ),
    # Names
    (
        "two cases of one name",
        HEAD + "test_cases:\n- {name: MT-110, input: a, expected_tools: [f]}\n"
        "- {input: b, expected_tools: []}\n- {name: MT-110, input: b, expected_tools: [f]}\n",
        [
            'agent.yaml:6:10: test_cases[2] "MT-110" name: two cases are named "MT-110": this and the one in line 4'
        ],
    ),
]


@pytest.mark.parametrize(
    ("agent", "expected"), [row[1:] for row in WARNINGS], ids=[str(row[0]) for row in WARNINGS]
)
def test_what_can_never_fail_or_never_pass_is_told_with_its_place(
    warnings_of: WarningsOf, agent: str, expected: list[str]
) -> None:
    found = warnings_of(agent)
    for warning in expected:
        assert any(warning in told for told in found), found
    assert len(found) == len(expected), found


SILENT = [
    ("no cases", HEAD + metrics(EQUALITY)),
    ("no call is allowed", HEAD + cases("{input: a, expected_tools: []}")),
    ("no call is allowed, said twice", HEAD + cases("{input: a, expected_tools: [], extra_calls: forbid}")),
    ("extra calls alone", HEAD + cases("{input: a, extra_calls: forbid}")),
    ("a tool is forbidden", HEAD + cases("{input: a, forbidden_tools: [f]}")),
    (
        "one turn of several is checked",
        HEAD + cases("{turns: [{input: a}, {input: b, expected_tools: [f]}]}"),
    ),
    (
        "a greeting before the question",
        HEAD + metrics(EQUALITY) + cases("{turns: [{input: a}, {input: b, ground_truth: x}]}"),
    ),
    (
        "a greeting, where the case sets the metrics",
        HEAD + cases(f"{{turns: [{{input: a}}, {{input: b, ground_truth: x}}], evaluations: [{EQUALITY}]}}"),
    ),
    (
        "a case of tools between cases with a ground truth",
        HEAD + metrics(EQUALITY) + cases(CHECKED, "{input: b, ground_truth: x}"),
    ),
    (
        "a metric that may use the ground truth",
        HEAD + metrics("{type: acme/verdict}") + cases("{input: a, ground_truth: x}"),
    ),
    ("a threshold", HEAD + metrics("{type: acme/length, threshold: 3}") + cases("{input: a}")),
    (
        "what is switched off",
        HEAD
        + metrics(
            "{type: acme/length, enabled: false}",
            "{type: standard, metric: equality, enabled: false, model: {provider: x}, extract: only}",
        )
        + cases(CHECKED),
    ),
    (
        "options at their defaults",
        HEAD + metrics("{type: standard, metric: equality, absolute_tolerance: 1e-6, model: null}"),
    ),
    (
        "a path into the response",
        HEAD + metrics("{type: standard, metric: numeric, response_path: a.b, extract: only}"),
    ),
    ("the exact number 0", HEAD + metrics(NUMERIC) + cases("{input: a, ground_truth: '0'}")),
    (
        "a share of what is not 0",
        HEAD
        + metrics("{type: standard, metric: numeric, relative_tolerance: 0.01, absolute_tolerance: 0}")
        + cases("{input: a, ground_truth: '0.01'}", "{input: a, ground_truth: '٣'}"),
    ),
    (
        "punctuation of a number",
        HEAD
        + metrics("{type: standard, metric: equality, strip_punctuation: true}")
        + cases("{input: a, ground_truth: '-5.5'}"),
    ),
    (
        "an agent with tools of its own",
        HEAD + tools("search") + cases("{input: a, expected_tools: [other], forbidden_tools: [serch]}"),
    ),
    (
        "the tools of an MCP server",
        LLM
        + "tools: [{type: mcp, name: db, command: x}, {type: prompt, template: x, name: db2}]\n"
        + cases("{input: a, expected_tools: [db, query]}"),
    ),
    ("tools that the file does not tell", LLM + cases("{input: a, expected_tools: [search]}")),
    (
        "a part of one name",
        LLM + tools("search_flights", "book") + cases("{input: a, expected_tools: [search]}"),
    ),
    (
        "the prefixed name of a tool",
        LLM + tools("search", "book") + cases("{input: a, expected_tools: [travel-search]}"),
    ),
    (
        "several tools, and that is meant",
        LLM
        + tools("add", "address")
        + cases("{input: a, expected_tools: [{name: 'add*', match: glob}, {name: add, match: exact}]}"),
    ),
    (
        "patterns of unknown cost",
        LLM
        + tools("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")
        + cases("{input: a, expected_tools: [{name: '(a+)+', match: regex}]}"),
    ),
    (
        "what is forbidden as a precaution",
        LLM + tools("search") + cases("{input: a, forbidden_tools: [delete_all]}"),
    ),
    (
        "expected in a name, and forbidden as one",
        HEAD + cases("{input: a, expected_tools: [add], forbidden_tools: [add]}"),
    ),
    (
        "the turn allows what the run forbids",
        HEAD
        + "execution: {extra_calls: forbid}\n"
        + cases("{input: a, expected_tools: [f], extra_calls: allow}"),
    ),
    (
        "the order of the run",
        HEAD + "execution: {tool_order: exact}\n" + cases("{input: a, expected_tools: []}"),
    ),
    ("cases without names", HEAD + cases(CHECKED, CHECKED)),
    ("stopping after the only turn", HEAD + cases("{input: a, expected_tools: [f], on_turn_failure: stop}")),
]


@pytest.mark.parametrize("agent", [row[1] for row in SILENT], ids=[row[0] for row in SILENT])
def test_what_may_fail_and_may_pass_is_not_told(warnings_of: WarningsOf, agent: str) -> None:
    assert warnings_of(agent) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases__yaml", "- {input: a, expected_tools: [f]}\n- {name: x, input: b}\n"),
        ("cases__json", '[{"input": "a", "expected_tools": ["f"]},\n{"name": "x", "input": "b"}]'),
        ("cases__jsonl", '{"input": "a", "expected_tools": ["f"]}\n{"name": "x", "input": "b"}\n'),
    ],
)
def test_cases_in_a_file_of_their_own_are_judged_alike(warnings_of: WarningsOf, name: str, text: str) -> None:
    file = name.replace("__", ".")
    [warning] = warnings_of(f"{HEAD}test_cases_file: {file}\n", **{name: text})
    assert warning.startswith(f"{file}:2:")
    assert '"x": nothing is checked' in warning


def test_a_warning_shows_its_line(load: Load) -> None:
    [warning] = load(HEAD + cases("{input: hi, ground_truth: x}")).warnings
    assert str(warning).splitlines()[1:] == [
        "    test_cases: [{input: hi, ground_truth: x}]",
        "                                           ^",
    ]


def test_warnings_about_the_agent_come_first_and_then_the_cases_in_their_order(
    warnings_of: WarningsOf,
) -> None:
    found = warnings_of(
        HEAD
        + cases("{input: a}", "{input: a, ground_truth: '1'}")
        + metrics(EQUALITY[:-1] + ", threshold: 2}")
    )
    assert [warning.split(": ")[1] for warning in found] == [
        "evaluations.metrics[0].threshold",
        "test_cases[0]",
    ]


@pytest.mark.parametrize("kind", ["yaml", "jsonl"])
def test_of_many_warnings_a_hundred_are_kept_and_the_others_counted(
    warnings_of: WarningsOf, kind: str
) -> None:
    case = json.dumps({"input": "a"})
    text = "\n".join([case if kind == "jsonl" else f"- {case}"] * 130)
    found = warnings_of(f"{HEAD}test_cases_file: cases.{kind}\n", **{f"cases__{kind}": text})
    assert len(found) == 101
    assert found[99].startswith("cases." + kind + ":100:")
    assert found[-1] == "and 30 more warnings"


def test_a_long_name_is_shortened_in_a_warning(warnings_of: WarningsOf) -> None:
    name = "n" * 5000
    [warning] = warnings_of(LLM + tools("search") + cases(f"{{input: a, expected_tools: [{name}]}}"))
    assert len(warning) < 400


def test_the_first_line_of_each_name_is_remembered_among_many() -> None:
    names = CaseNames()
    first = {f"case {number}": number for number in range(1, 50_001)}
    assert [names.first(name, line) for name, line in first.items()] == [None] * len(first)
    assert all(names.first(name, 99_999) == line for name, line in first.items())


class Hashed(str):
    """A name of a chosen hash."""

    number: int

    def __new__(cls, number: int) -> Hashed:
        made = super().__new__(cls, "a name")
        made.number = number
        return made

    def __hash__(self) -> int:
        return self.number


def test_a_hash_that_stands_across_two_entries_was_not_met() -> None:
    names = CaseNames()
    bucket, rest, line = 5, bytes(range(1, 7)), 0x0A09_0807
    across = bytes(range(3, 9))
    assert names.first(Hashed(int.from_bytes(rest, "little") << 12 | bucket), line) is None
    assert names.first(Hashed(int.from_bytes(across, "little") << 12 | bucket), 2) is None
    assert names.first(Hashed(int.from_bytes(across, "little") << 12 | bucket), 3) == 2
    assert names.first(Hashed(int.from_bytes(rest, "little") << 12 | bucket), 3) == line
