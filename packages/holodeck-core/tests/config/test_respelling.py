"""A file means the same however it is spelled, and a damaged file is told about or still means something."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holodeck_core import Agent, ConfigError, Suite, load_suite
from holodeck_core.config.reading.scalars import ScalarError, resolve
from holodeck_core.plugins.host import PluginHost

HOST = PluginHost()
INDENT = 2

words = st.sampled_from(
    ["a", "order", "no", "12:30", "010", "1e3", "true", "null", "~", "5", "-", "x: y", "#", "&a"]
)
texts = words | st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"], include_characters="\n\t"),
    max_size=12,
)
names = texts.filter(lambda text: text.strip() != "")
keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


def some(required: dict[str, Any], **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


matchers = st.one_of(
    values.map(lambda value: {"literal": value}),
    scalars.filter(lambda value: isinstance(value, str)).map(lambda value: {"fuzzy": value}),
    st.just({"regex": "[a-z]+"}),
    st.lists(scalars, min_size=1, max_size=3).map(lambda items: {"any_of": items}),
    numbers.map(lambda number: {"approx": number, "tolerance": 0.5}),
    scalars,
    st.lists(scalars, max_size=3),
)
expected_tools = st.lists(
    names
    | some(
        {"name": names},
        args=st.dictionaries(keys, matchers, max_size=3),
        count=st.integers(1, 3),
        match=st.sampled_from(["contains", "exact", "glob"]),
        result=matchers,
        status=st.sampled_from(["any", "failed"]),
    ),
    max_size=2,
)
metrics = st.lists(
    some(
        {"type": st.just("standard"), "metric": st.sampled_from(["equality", "numeric"])},
        threshold=st.floats(0, 1),
        absolute_tolerance=st.floats(0, 1e6),
        case_insensitive=st.booleans(),
        extract=st.sampled_from(["only", "last", None]),
    ),
    max_size=2,
    unique_by=lambda metric: metric["metric"],
)
turn_keys = {
    "ground_truth": texts.filter(bool),
    "expected_tools": expected_tools,
    "forbidden_tools": st.lists(names, max_size=2),
    "extra_calls": st.sampled_from(["allow", "forbid"]),
    "evaluations": metrics,
    "turn_config": st.dictionaries(keys, values, max_size=2),
}
case_keys = {
    "name": names,
    "tags": st.lists(names, max_size=2),
    "repeat": st.integers(1, 5),
    "min_pass_rate": st.floats(0, 1),
}
cases = some({"input": names}, **case_keys, **turn_keys) | some(
    {"turns": st.lists(some({"input": names}, **turn_keys), min_size=1, max_size=3)}, **case_keys
)
agents = some(
    {
        "name": names,
        "model": st.just({"provider": "scripted", "replies": [{"reply": "hello"}]}),
        "test_cases": st.lists(cases, max_size=3),
    },
    description=texts,
    evaluations=metrics.map(lambda listed: {"metrics": listed}),
    execution=some({}, retries=st.integers(0, 5), llm_timeout=st.floats(0.1, 100)),
    observability=st.dictionaries(keys, values, max_size=2),
)


class Respelling:
    """Writes a value as YAML, with its keys shuffled and each spelling drawn from those that mean the same."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        self._anchors: dict[str, str] = {}

    def document(self, value: dict[str, Any]) -> str:
        return self._block(value, 0).lstrip("\n") + "\n"

    def _either(self) -> bool:
        return bool(self._draw(st.booleans()))

    def _pairs(self, value: dict[str, Any]) -> list[tuple[str, Any]]:
        return list(self._draw(st.permutations(list(value.items()))))

    def _block(self, value: Any, indent: int) -> str:
        """The value after a colon or a dash: on the same line, or on lines of its own."""
        if not isinstance(value, dict | list) or not value:
            return f" {self._flow(value)}"
        canonical = json.dumps(value)
        if canonical in self._anchors and self._either():
            return f" *{self._anchors[canonical]}"
        if indent and self._either():
            return f" {self._flow(value)}"
        anchor = self._anchor(canonical) if indent else ""
        margin = "\n" + " " * indent
        if isinstance(value, list):
            lines = [f"{margin}-{self._block(item, indent + INDENT)}" for item in value]
        else:
            lines = [
                f"{margin}{self._scalar(key)}:{self._block(item, indent + INDENT)}"
                for key, item in self._pairs(value)
            ]
        comment = " # as ever" if self._either() else ""
        return f"{anchor.rstrip() and ' ' + anchor.rstrip()}{comment}{''.join(lines)}"

    def _flow(self, value: Any) -> str:
        if not isinstance(value, dict | list):
            return self._scalar(value)
        canonical = json.dumps(value)
        if canonical in self._anchors and self._either():
            return f"*{self._anchors[canonical]} "
        if isinstance(value, list):
            inside = f"[{', '.join([self._flow(item) for item in value])}]"
        else:
            pairs = [f"{self._scalar(key)}: {self._flow(item)}" for key, item in self._pairs(value)]
            inside = f"{{{', '.join(pairs)}}}"
        return f"{self._anchor(canonical)}{inside}"

    def _anchor(self, canonical: str) -> str:
        """An anchor for a collection that has been written whole, now and then. It must not hold the value itself."""
        if canonical in self._anchors or not self._either():
            return ""
        name = f"a{len(self._anchors)}"
        self._anchors[canonical] = name
        return f"&{name} "

    def _scalar(self, value: Any) -> str:
        return str(self._draw(st.sampled_from(spellings(value))))


def spellings(value: Any) -> list[str]:
    if value is None:
        return ["null", "~", "Null", "NULL"]
    if isinstance(value, bool):
        word = str(value)
        return [word, word.lower(), word.upper()]
    if isinstance(value, int):
        return [str(value), *([f"+{value}", hex(value), f"0o{value:o}"] if value >= 0 else [])]
    if isinstance(value, float):
        return [repr(value), f"{value:.17e}", f"{value:.17E}"]
    # YAML writes a character beyond U+FFFF as one escape, JSON as two.
    escaped = "".join(
        f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else json.dumps(char)[1:-1] for char in value
    )
    return [f'"{escaped}"', json.dumps(value, ensure_ascii=False), *_unescaped(value)]


def _unescaped(text: str) -> list[str]:
    """The text in single quotes and without any, where it is the same that way."""
    if "\n" in text or not text.isprintable():
        return []
    quoted = "'" + text.replace("'", "''") + "'"
    bare = text.isalnum() and text.isascii() and _is_text(text)
    return [quoted, *([text] if bare else [])]


def _is_text(text: str) -> bool:
    try:
        return isinstance(resolve(text), str)
    except ScalarError:
        return False


def load(text: str, name: str = "agent.yaml") -> Suite:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        return load_suite(file, plugins=HOST, environ={})


def meaning(suite: Suite) -> list[Any]:
    """All of a suite that its file decides: the models, and what the cases came to be."""
    bound = [
        (
            case.name,
            case.tags,
            case.multi_turn,
            [
                (
                    turn.message.text,
                    turn.ground_truth,
                    turn.turn_config,
                    turn.expected_tools,
                    turn.tools
                    and [(each.tool, each.args_asserted) for each in turn.tools.expectations or ()],
                    turn.tools and (turn.tools.forbidden, turn.tools.order, turn.tools.forbid_extra_calls),
                    [(metric.name, metric.threshold, metric.metric.options) for metric in turn.metrics],
                )
                for turn in case.turns
            ],
        )
        for case in suite.cases
    ]
    return [suite.agent.model_dump(), bound]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(agent=agents, data=st.data())
def test_a_file_means_what_its_models_are_however_it_is_spelled(
    agent: dict[str, Any], data: st.DataObject
) -> None:
    text = Respelling(data.draw).document(agent).replace("${", "$${")
    suite = load(text)
    assert suite.agent == Agent.model_validate(agent)
    plain = load(json.dumps(agent).replace("${", "$${"), "agent.json")
    assert meaning(suite) == meaning(plain)


@settings(
    max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(agent=agents, data=st.data())
def test_what_models_are_dumped_to_loads_to_the_same_models(
    agent: dict[str, Any], data: st.DataObject
) -> None:
    models = Agent.model_validate(agent)
    dumped = models.model_dump(mode="json", exclude_unset=True)
    assert load(Respelling(data.draw).document(dumped).replace("${", "$${")).agent == models


VALID = """\
name: agent
x-own: &m {type: standard, metric: numeric, absolute_tolerance: 1.0e-2}
model:
  provider: scripted
  replies: [{input: a, reply: b, calls: [{name: f, args: {x: [1, 2]}}]}, {reply: c, chunks: 3}]
instructions: {inline: "be good, ${NAME:-you}"}
tools:
  - {type: mcp, name: m, command: x, env: {A_TOKEN: "s"}, headers: {X: "y"}}
execution: {parallel_test_cases: 3, tool_order: in_order}
evaluations: {metrics: [*m]}
test_cases:
  - input: 5
    name: "first"
    tags: [a, 'b']
    expected_tools:
      - f
      - {name: g, args: {a: {fuzzy: 5}, b: {regex: "a+"}, c: {any_of: [1, null]}}, count: 2}
  - turns:
      - {input: hi, forbidden_tools: [x], extra_calls: forbid}
      - input: |
          some text
        evaluations: [{<<: *m, name: q}]
        turn_config: {a: {b: 0x1F}}
        files: [{path: a.png, type: image, pages: [1]}]
"""
CASE = (
    '{"name": "x", "turns": [{"input": "a", "expected_tools": [{"name": "g", "args": {"a": {"fuzzy": 5}, '
    '"b": {"regex": "a+"}}, "count": 2}], "evaluations": [{"type": "standard", "metric": "numeric"}]}]}\n'
)
PHRASES = ("Input should", "validation error", "Value error", "Traceback")


def outcome(folder: Path) -> None:
    try:
        suite = load_suite(folder / "agent.yaml", plugins=HOST, environ={})
    except ConfigError as error:
        problems = error.problems
    else:
        list(suite.cases)
        return
    assert problems
    assert not any(phrase in str(problem) for problem in problems for phrase in PHRASES)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("agent.yaml", VALID),
        ("cases.jsonl", CASE * 2),
        ("cases.json", f"[{CASE}]"),
        ("cases.yaml", f"- {CASE}"),
    ],
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_file_with_one_byte_removed_or_changed_is_a_suite_or_a_configuration_error(
    name: str, text: str, data: st.DataObject
) -> None:
    content = bytearray(text.encode())
    index = data.draw(st.integers(0, len(content) - 1))
    common = st.sampled_from(b"\n\t {}[]:,'\"#&*!|>%@-?0aZ\\x~.$")
    content[index : index + 1] = data.draw(
        st.just(b"") | (common | st.integers(0, 255)).map(lambda byte: bytes([byte]))
    )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "agent.yaml").write_text(
            f"name: a\nmodel: {{provider: scripted, replies: []}}\ntest_cases_file: {name}\n"
        )
        (folder / name).write_bytes(content)
        outcome(folder)
