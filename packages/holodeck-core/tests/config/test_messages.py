"""All mistakes of a file are told at once, each with its place and once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holodeck_core.errors import Problem

Problems = Callable[..., list[Problem]]

HEAD = """\
name: agent
model: {provider: scripted, replies: []}
"""


def headlines(found: list[Problem]) -> list[str]:
    return [problem.headline() for problem in found]


# Each as JSON, which is YAML too. The mistake is at the character after the ‸.
KINDS = [
    ("duplicate key", '{"input": "a", ‸"input": "b"}', ".input: duplicate key"),
    ("unknown key", '{"input": "a", ‸"ground_thruth": "b"}', 'did you mean "ground_truth"?'),
    ("empty turns", '{"turns": ‸[]}', ".turns: must have at least 1 item"),
    (
        "mixed shapes",
        '{"input": ‸"a", "turns": [{"input": "b"}]}',
        ".input: `turns` and `input` exclude each other",
    ),
    ("blank input", '{"turns": [{"input": ‸"  "}]}', "turns[0].input: must not be empty"),
    (
        "bad regex",
        '{"input": "a", "expected_tools": [{"name": "f", "args": {"x": {"regex": ‸"ORD-(d"}}}]}',
        'expected_tools[0] "f".args.x.regex: not a regular expression',
    ),
    (
        "two matcher keys",
        '{"input": "a", "expected_tools": [{"name": "f", "args": {"x": {"fuzzy": 1, "regex": ‸"x"}}}]}',
        '"f".args.x.regex: `fuzzy` and `regex` exclude each other',
    ),
    (
        "regexp",
        '{"input": "a", "expected_tools": [{"name": "f", "args": {"x": {"regexp": ‸"a"}}}]}',
        "`regexp` is no matcher: did you mean `regex`?",
    ),
    (
        "unresolvable grader",
        '{"input": "a", "evaluations": [{"type": "code", "grader": ‸"no_such_module_x:f"}]}',
        "evaluations[0].grader: no module named 'no_such_module_x'",
    ),
    (
        "negative tolerance",
        '{"input": "a", "evaluations": [{"type": "standard", "metric": "numeric", "absolute_tolerance": ‸-1}]}',
        "evaluations[0].absolute_tolerance: must be at least 0, got -1",
    ),
    (
        "count 0",
        '{"input": "a", "expected_tools": [{"name": "f", "count": ‸0}]}',
        'expected_tools[0] "f".count: must be at least 1',
    ),
]
# In the agent, project and user files only.
VARIABLE = ("missing variable", '{"input": ‸"${HOLODECK_TEST_UNSET}"}', "HOLODECK_TEST_UNSET is not set")


def without_mark(text: str) -> tuple[str, int]:
    """The text, and the column of the mistake in it, from 1."""
    return text.replace("‸", ""), text.index("‸") + 1


@pytest.mark.parametrize(
    ("kind", "text", "message"), [*KINDS, VARIABLE], ids=[row[0] for row in [*KINDS, VARIABLE]]
)
def test_a_mistake_alone_is_one_message_with_its_place(
    problems: Problems, kind: str, text: str, message: str
) -> None:
    case, column = without_mark(text)
    [found] = problems(f"{HEAD}test_cases:\n- {case}\n")
    assert found.headline().startswith(f"agent.yaml:4:{column + 2}: test_cases[0]")
    assert message in found.headline()
    assert found.source == f"- {case}"
    assert str(found).splitlines()[2].index("^") == column + 2 - 1 + 4


@pytest.mark.parametrize(("kind", "text", "message"), KINDS, ids=[row[0] for row in KINDS])
def test_a_mistake_in_json_lines_is_one_message_with_its_place(
    problems: Problems, kind: str, text: str, message: str
) -> None:
    case, column = without_mark(text)
    lines = f'{{"input": "good"}}\n\n{case}\n{{"input": "good"}}\n'
    [found] = problems(f"{HEAD}test_cases_file: cases.jsonl\n", cases__jsonl=lines)
    assert found.headline().startswith(f"cases.jsonl:3:{column}: ")
    assert message in f".{found.headline().removeprefix(f'cases.jsonl:3:{column}: ')}"
    assert found.source == case


AGENT_THAT_LEAVES_A_TRACE = """
from pathlib import Path
def factory():
    Path("trace").write_text("called")
    return lambda text: text
"""


def test_twelve_mistakes_of_twelve_kinds_are_twelve_messages_and_nothing_is_sent(problems: Problems) -> None:
    rows = [*KINDS, VARIABLE]
    cases = [without_mark(text) for _, text, _ in rows]
    agent = "name: a\nmodel: {provider: python, agent: 'traced_agent:factory'}\ntest_cases:\n"
    listed = "".join(f"- {case}\n" for case, _ in cases)
    found = problems(agent + listed, traced_agent__py=AGENT_THAT_LEAVES_A_TRACE)
    assert [(problem.line, problem.column) for problem in found] == [
        (4 + index, column + 2) for index, (_, column) in enumerate(cases)
    ]
    assert all(message in line for (_, _, message), line in zip(rows, headlines(found), strict=True))
    assert not Path("trace").exists()


def test_eleven_mistakes_in_json_lines_are_eleven_messages(problems: Problems) -> None:
    cases = [without_mark(text) for _, text, _ in KINDS]
    lines = "".join(f"{case}\n" for case, _ in cases)
    found = problems(f"{HEAD}test_cases_file: cases.jsonl\n", cases__jsonl=lines)
    assert [(problem.file, problem.line, problem.column) for problem in found] == [
        ("cases.jsonl", 1 + index, column) for index, (_, column) in enumerate(cases)
    ]


ALL_IN_ONE = (
    '{"name": "x", "turns": [{"inptu": "a", "expected_tools": [{"name": "(", "match": "regex", "count": 0, '
    '"args": {"a": {"regex": "("}, "b": [{"regex": ")"}, {"any_of": [{"acme/near": 1}]}], "c": {"fuzz": 1}}}, 5]}, '
    '{"input": " ", "evaluations": [{"type": "standard", "metric": "numerik", "absolute_tolerance": -1}, '
    '{"type": "code", "grader": "no_such_module_x:f", "timeout_s": 0}]}]}'
)
IN_ALL_IN_ONE = [
    "turns[0].inptu: unknown key",
    'turns[0].expected_tools[0] "(".name: not a regular expression',
    'turns[0].expected_tools[0] "(".count: must be at least 1',
    'expected_tools[0] "(".args.a.regex: not a regular expression',
    'expected_tools[0] "(".args.b[0].regex: not a regular expression',
    'expected_tools[0] "(".args.b[1].any_of[0].acme/near: ',
    'expected_tools[0] "(".args.c.fuzz: `fuzz` is no matcher',
    "turns[0].expected_tools[1]: an expected tool is a name, or a mapping with `name`",
    "turns[1].input: must not be empty",
    "turns[1].evaluations[0].metric: there is no metric 'numerik'",
    "turns[1].evaluations[0].absolute_tolerance: must be at least 0",
    "turns[1].evaluations[1].grader: no module named 'no_such_module_x'",
    "turns[1].evaluations[1].timeout_s: must be more than 0",
]


@pytest.mark.parametrize("file", ["agent.yaml", "cases.yaml", "cases.json", "cases.jsonl"])
def test_a_case_with_mistakes_is_checked_in_all_its_other_parts(problems: Problems, file: str) -> None:
    if file == "agent.yaml":
        found = problems(f"{HEAD}test_cases: [{ALL_IN_ONE}]\n")
    else:
        text = ALL_IN_ONE if file == "cases.jsonl" else f"[{ALL_IN_ONE}]"
        found = problems(f"{HEAD}test_cases_file: {file}\n", **{file.replace(".", "__"): text})
    lines = headlines(found)
    assert len(lines) == len(IN_ALL_IN_ONE), lines
    for line, message in zip(lines, IN_ALL_IN_ONE, strict=True):
        assert message in line
    assert {problem.file for problem in found} == {file}


def test_mistakes_in_one_section_do_not_hide_those_in_another(problems: Problems) -> None:
    found = problems("""\
nmae: agent
execution: {retries: -1}
plugins: {disabled: 5, required: [holodeck-nothing]}
model: {provider: scripted, temperature: 3, replies: [{reply: a, dealy: 1}]}
instructions: {}
evaluations:
  metrics:
  - {type: standard, metric: equalty}
  - {type: standard, metric: equality, threshold: high}
  - {type: code, grader: "no_such_module_x:f", enabled: 1.5}
test_cases:
- {input: a, expected_tools: [{name: f, args: {x: {regex: "("}}}]}
""")
    assert [line.split(": ", 1)[1] for line in headlines(found)] == [
        'nmae: unknown key `nmae`; did you mean "name"?',
        "execution.retries: must be at least 0, got -1",
        "plugins.disabled: expected a list, got the number 5",
        found[3].headline().split(": ", 1)[1],
        "model.temperature: must be at most 2, got 3",
        'model.replies[0].dealy: unknown key `dealy`; did you mean "delay"?',
        "instructions: needs `inline` or `file`",
        found[7].headline().split(": ", 1)[1],
        'evaluations.metrics[1].threshold: expected a number, got the text "high"',
        found[9].headline().split(": ", 1)[1],
        "evaluations.metrics[2].enabled: expected true or false, got the number 1.5",
        found[11].headline().split(": ", 1)[1],
    ]
    assert found[3].path == "plugins.required[0]"
    assert "did you mean 'equality'?" in found[7].message
    assert found[9].path == "evaluations.metrics[2].grader"
    assert found[11].path == 'test_cases[0].expected_tools[0] "f".args.x.regex'


def test_a_file_of_cases_is_checked_where_the_agent_has_mistakes(problems: Problems) -> None:
    found = problems("model: {}\ntest_cases_file: cases.jsonl\n", cases__jsonl='{"input": ""}\n')
    assert [(problem.file, problem.path) for problem in found] == [
        ("agent.yaml", "name"),
        ("agent.yaml", "model.provider"),
        ("cases.jsonl", "input"),
    ]


def test_what_an_alias_repeats_is_told_once(problems: Problems) -> None:
    found = problems(f"""{HEAD}test_cases:
- {{input: a, evaluations: &m [{{type: code, grader: "no_such_module_x:f", timeout_s: 0}}]}}
- {{input: b, evaluations: *m}}
- {{input: c, evaluations: *m}}
""")
    assert [(problem.line, problem.path.rpartition(".")[2]) for problem in found] == [
        (4, "grader"),
        (4, "timeout_s"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("repeat: 99999999999999999999e999", "too large"),
        ("repeat: !!str 0", "tags are not supported"),
        ("ground_truth: !x [1]", "tags are not supported"),
    ],
)
def test_what_could_not_be_read_is_not_checked_as_well(problems: Problems, text: str, message: str) -> None:
    [found] = problems(f"{HEAD}test_cases:\n- {{input: a, {text}}}\n")
    assert message in found.message


def test_a_case_file_that_is_not_there_has_its_place_in_the_agent_file(problems: Problems) -> None:
    [found] = problems(f"{HEAD}test_cases_file: nothing.jsonl\n")
    assert found.headline() == "agent.yaml:3:18: test_cases_file: nothing.jsonl: there is no such file"
