"""What is wrong, in the words of the file: keys, values, and what was meant by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic_core import PydanticKnownError
from pydantic_core._pydantic_core import list_all_errors

from holodeck_core.config.messages.wording import words
from holodeck_core.errors import Problem

Problems = Callable[..., list[Problem]]

HEAD = """\
name: agent
model: {provider: scripted, replies: []}
"""

PYDANTICS = (
    "Input",
    "valid",
    "validation",
    "Value error",
    "Assertion failed",
    "dictionary",
    "permitted",
    "pydantic",
)

KEYS = [
    ("near", "descripton: x", '`descripton`; did you mean "description"?'),
    ("other letters", "Test-Cases: []", '`Test-Cases`; did you mean "test_cases"?'),
    ("a part of it", "execution: {parallel: 2}", '`parallel`; did you mean "parallel_test_cases"?'),
    ("of another section", "retries: 2", "`retries`: it belongs under `execution`"),
    ("of a case", "test_cases: [{input: a, count: 1}]", "`count`: it belongs to an entry of `expected_tools`"),
    ("in a turn", "test_cases: [{turns: [{input: a, grond_truth: b}]}]", 'did you mean "ground_truth"?'),
    ("in a tool that is a mapping", "test_cases: [{input: a, expected_tools: [f, {name: f, arg: {}}]}]",
     'did you mean "args"?'),
    ("in a file", "test_cases: [{input: a, files: [{path: a, type: pdf, page: 1}]}]", 'did you mean "pages"?'),
    ("in a metric, by its type", "evaluations: {metrics: [{type: standard, metric: numeric, extrct: last}]}",
     'did you mean "extract"?'),
    ("in a metric of another type", "evaluations: {metrics: [{type: geval, criteria: x, extrct: last}]}",
     "`extrct`; the keys here are name, threshold,"),
    ("in a tool, by its type", "tools: [{type: vectorstore, name: v, source: s, topk: 5}]", 'did you mean "top_k"?'),
    ("in a tool of another type", "tools: [{type: function, name: v, module: s, function: f, topk: 5}]",
     "`topk`; the keys here are name, description, type, file, module, function"),
    ("few keys", "plugins: {wanted: [a]}", "`wanted`; the keys here are aliases, disabled, required"),
    ("many keys", "zzz: 1", "zzz: unknown key `zzz`; a key of your own begins with `x-`"),
    ("another word for what is sent", "test_cases: [{turns: [{input: a}, {user: b}]}]", 'did you mean "input"?'),
    ("another word for the reply", "test_cases: [{input: a, expected_output: b}]", 'did you mean "ground_truth"?'),
    ("another word for the turns", "test_cases: [{messages: [{input: a}]}]", 'did you mean "turns"?'),
    ("another word for arguments", "test_cases: [{input: a, expected_tools: [{name: f, arguments: {}}]}]",
     'did you mean "args"?'),
    ("a word of other places", "execution: {prompt: 1}", "`prompt`; the keys here are"),
    ("of a provider", "model: {provider: scripted, replys: []}", 'did you mean "replies"?'),
    ("of every provider", "model: {provider: scripted, replies: [], temprature: 1}", 'did you mean "temperature"?'),
    ("deep in a provider", "model: {provider: scripted, replies: [{reply: a, calls: [{nme: f}]}]}",
     'did you mean "name"?'),
    ("unfit to be shown", 'execution: {"\\e[31m \\u202e": 1}', 'unknown key "\\u001b[31m \\u202e"; the keys here'),
    ("endless", f"execution: {{{'x' * 900}: 1}}", "xxx...xxx"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in KEYS], ids=[row[0] for row in KEYS])
def test_an_unknown_key_is_one_message_at_the_key_that_says_what_was_meant(
    problems_with: Problems, text: str, message: str
) -> None:
    found = [problem for problem in problems_with(text) if "unknown key" in problem.message]
    [only] = found
    assert message in only.headline()
    assert only.source is not None
    assert only.column is not None
    if len(only.source) < 200:
        assert only.source[only.column - 1] not in " {,:"


MISSPELLED = [
    ("nmae: x\nmodel: {provider: scripted, replies: []}", "nmae"),
    (f"{HEAD}test_cases: [{{inptu: a}}]", "test_cases[0].inptu"),
    (f"{HEAD}test_cases: [{{turn: [{{input: a}}]}}]", "test_cases[0].turn"),
    (f"{HEAD}test_cases: [{{turns: [{{inptu: a}}]}}]", "test_cases[0].turns[0].inptu"),
    (
        f"{HEAD}test_cases: [{{input: a, expected_tools: [{{nme: f}}]}}]",
        "test_cases[0].expected_tools[0].nme",
    ),
    (f"{HEAD}instructions: {{inlin: x}}", "instructions.inlin"),
    (f"{HEAD}tools: [{{type: mcp, name: m, comand: x}}]", 'tools[0] "m".comand'),
    (
        f"{HEAD}evaluations: {{metrics: [{{type: standard, metrik: numeric}}]}}",
        "evaluations.metrics[0].metrik",
    ),
]


@pytest.mark.parametrize(("agent", "path"), MISSPELLED, ids=[row[1] for row in MISSPELLED])
def test_a_key_that_is_misspelled_is_not_missing_too(problems: Problems, agent: str, path: str) -> None:
    assert [problem.path for problem in problems(agent)] == [path]


VALUES = [
    ("text for a number", "execution: {llm_timeout: soon}", 'expected a number, got the text "soon"'),
    ("text for a whole number", "test_cases: [{input: a, repeat: twice}]", "expected a whole number, got the text"),
    ("a part of a number", "test_cases: [{input: a, repeat: 1.5}]", "expected a whole number, got the number 1.5"),
    ("a number for text", "description: 5", "expected text, got the number 5: put it in quotes"),
    ("a bool for text", "author: true", "expected text, got true: put it in quotes"),
    ("a bool for a number", "execution: {retries: true}", "must be a number, not true"),
    ("text for a bool", "evaluations: {metrics: [{type: standard, metric: equality, enabled: maybe}]}",
     'expected true or false, got the text "maybe"'),
    ("text for a list of text", "test_cases: [{input: a, tags: smoke}]",
     'expected a list, got the text "smoke": write a list'),
    ("text for a list of mappings", "test_cases: [{turns: hello}]", 'expected a list, got the text "hello"'),
    ("a list for a mapping", "execution: [1]", "expected a mapping, got a list"),
    ("text for a mapping", "test_cases: [hello]", 'test_cases[0]: expected a mapping, got the text "hello"'),
    ("null for a number", "test_cases: [{input: a, repeat: null}]", "expected a whole number, got nothing (null)"),
    ("a list for a turn", "test_cases: [{turns: [[]]}]", "expected a mapping, got a list"),
    ("a provider under another key", "model: {provder: scripted, replies: []}",
     "model.provider: this key is missing: is it meant by `provder`?"),
    ("a choice", "execution: {tool_order: in-order}",
     'must be one of any, in_order, exact, got "in-order"; did you mean "in_order"?'),
    ("a choice far from all", "execution: {tool_order: sorted}", 'exact, got "sorted"'),
    ("a choice that is no text", "execution: {tool_order: [exact]}", 'exact, got ["exact"]'),
    ("one of several forms", "model: {provider: scripted, replies: [{chunks: abc}]}",
     'expected a whole number or a list, got the text "abc"'),
    ("the form that was meant", "model: {provider: scripted, replies: [{chunks: [1, b]}]}",
     "replies[0].chunks[0]: expected text, got the number 1"),
    ("the number that was meant", "model: {provider: scripted, replies: [{chunks: 0}]}", "must be at least 1, got 0"),
    ("a key of free choice", "plugins: {aliases: {'': acme/near}}", 'plugins.aliases[""]: the key must not be empty'),
    ("too many", f"test_cases: [{{input: a, files: [{'{url: a, type: pdf}, ' * 11}]}}]", "must have at most 10 items"),
    ("a limit", "evaluations: {metrics: [{type: standard, metric: equality, scale: 0}]}", "must be more than 0, got 0"),
    ("long text", f"execution: {{retries: {'x' * 5000}}}", 'xxx...xxx'),
    ("text unfit to be shown", 'execution: {retries: "\\e[31m\\u202e"}', 'the text "\\u001b[31m\\u202e"'),
    ("metric of the standard type", "evaluations: {metrics: [{type: equality}]}",
     "type: `equality` is a standard metric: write {type: standard, metric: equality}"),
    ("metric with a type of its own", "evaluations: {metrics: [{type: standard, metric: geval}]}",
     "metric: `geval` is a type of its own: write {type: geval}"),
    ("type of metric", "evaluations: {metrics: [{type: standrd, metric: equality}]}", 'did you mean "standard"?'),
    ("name of a metric", "evaluations: {metrics: [{type: standard, metric: equalty}]}", "did you mean 'equality'?"),
    ("name of a provider", "model: {provider: scritped, replies: []}", "did you mean 'scripted'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_a_wrong_value_is_one_message_in_the_words_of_the_file(
    problems_with: Problems, text: str, message: str
) -> None:
    [found] = problems_with(text)
    assert message in found.headline()
    assert len(found.headline()) < 400


def test_every_type_of_error_has_words_of_its_own() -> None:
    for entry in list_all_errors():
        context = {
            **(entry["example_context"] or {}),
            "error": "so it is",
            "expected": "'a' or 'b'",
            "min_length": 2,
        }
        known = PydanticKnownError(entry["type"], context)
        line: Any = {"type": entry["type"], "loc": (), "msg": known.message(), "input": "x", "ctx": context}
        for secret in (False, True):
            message = words(line, secret=secret)
            assert message
            assert not any(phrase in message for phrase in PYDANTICS), (entry["type"], message)
