"""The schema of the agent file accepts what loads, and refuses what can be told from the file alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator

from holodeck_core import ConfigError, load_suite
from holodeck_core.config.reading.read import read_document
from holodeck_core.config.schema import agent_schema
from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG
from holodeck_core.plugins.host import PluginHost

Agent: TypeAlias = dict[str, Any]

FIRST_PARTY = {"HOLODECK_PLUGIN_AUTOLOAD": "0"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return agent_schema(PluginHost(environ=FIRST_PARTY))


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Validator:
    return Draft202012Validator(schema)


def agent(**keys: Any) -> Agent:
    """An agent file with those keys; ``...`` takes one away."""
    whole = {"name": "a", "model": {"provider": "scripted", "replies": []}, "test_cases": [], **keys}
    return {key: value for key, value in whole.items() if value is not ...}


def case(**keys: Any) -> Agent:
    """An agent file with a case of those keys; ``...`` takes one away."""
    whole = {"input": "hi", **keys}
    return agent(test_cases=[{key: value for key, value in whole.items() if value is not ...}])


def turn(**keys: Any) -> Agent:
    return agent(test_cases=[{"turns": [{"input": "hi", **keys}]}])


def tool_call(**keys: Any) -> Agent:
    return case(expected_tools=[{"name": "add", **keys}])


def arg(value: Any) -> Agent:
    return tool_call(args={"a": value})


def metric(**keys: Any) -> Agent:
    return case(evaluations=[keys])


def numeric(**keys: Any) -> Agent:
    return metric(type="standard", metric="numeric", **keys)


def reply(**keys: Any) -> Agent:
    return agent(model={"provider": "scripted", "replies": [keys]})


def tool(**keys: Any) -> Agent:
    return agent(tools=[keys])


def row(name: str, *values: Any) -> Any:
    return pytest.param(*values, id=name)


REFUSED = [
    row("no-name", agent(name=...)),
    row("no-model", agent(model=...)),
    row("blank-name", agent(name=" \n")),
    row("a-number-for-a-name", agent(name=17)),
    row("unknown-key", agent(tests=[])),
    row("own-key-without-x", agent(y_anchors={})),
    row("own-key-in-a-case", case(**{"x-note": 1})),
    row("cases-twice", agent(test_cases_file="cases.yaml")),
    row("cases-that-are-no-list", agent(test_cases={"input": "hi"})),
    row("unknown-provider", agent(model={"provider": "skripted"})),
    row("no-provider", agent(model={"replies": []})),
    row("a-text-for-a-model", agent(model="scripted")),
    row("unknown-key-of-a-backend", agent(model={"provider": "scripted", "replies": [], "reply": "hi"})),
    row("missing-key-of-a-backend", agent(model={"provider": "scripted"})),
    row("missing-agent-of-python", agent(model={"provider": "python"})),
    row("temperature-too-high", agent(model={"provider": "scripted", "replies": [], "temperature": 2.1})),
    row("temperature-in-words", agent(model={"provider": "scripted", "replies": [], "temperature": "hot"})),
    row("max-tokens-zero", agent(model={"provider": "scripted", "replies": [], "max_tokens": 0})),
    row("reply-with-unknown-key", reply(replies="hi")),
    row("reply-with-negative-delay", reply(delay=-1)),
    row("retry-after-without-rate-limit", reply(error="lost", retry_after=3)),
    row("reply-and-chunks", reply(reply="hi", chunks=["h", "i"])),
    row("no-chunk", reply(reply="hi", chunks=0)),
    row("instructions-twice", agent(instructions={"inline": "a", "file": "b"})),
    row("instructions-empty", agent(instructions={})),
    row("instructions-as-text", agent(instructions="Be kind.")),
    row("instructions-blank", agent(instructions={"inline": ""})),
    row("tool-without-type", tool(name="add", file="a.py", function="add")),
    row("tool-of-unknown-type", tool(type="funktion", name="add")),
    row("tool-of-another-type", tool(type="function", name="add", template="x", file="a.py", function="f")),
    row("function-tool-without-file", tool(type="function", name="add", function="add")),
    row("mcp-tool-without-command", tool(type="mcp", name="orders")),
    row("mcp-tool-without-url", tool(type="mcp", name="orders", transport="sse", command="x")),
    row("mcp-tool-of-unknown-transport", tool(type="mcp", name="orders", transport="pigeon", url="x")),
    row("prompt-tool-with-both", tool(type="prompt", name="sum", template="a", file="b")),
    row("vectorstore-top-k-zero", tool(type="vectorstore", name="find", source="docs", top_k=0)),
    row("parallel-zero", agent(execution={"parallel_test_cases": 0})),
    row("parallel-one-and-a-half", agent(execution={"parallel_test_cases": 1.5})),
    row("timeout-zero", agent(execution={"llm_timeout": 0})),
    row("unknown-tool-order", agent(execution={"tool_order": "anyhow"})),
    row("true-for-a-number", agent(execution={"retries": True})),
    row("plugins-required-as-text", agent(plugins={"required": "acme"})),
    row("blank-alias", agent(plugins={"aliases": {" ": "acme/pii"}})),
    row("alias-for-a-number", agent(plugins={"aliases": {"pii": 3}})),
    row("case-without-input", case(input=...)),
    row("case-with-null-input", case(input=None)),
    row("blank-input", case(input="  ")),
    row("a-list-for-input", case(input=["hi"])),
    row("empty-ground-truth", case(ground_truth="")),
    row("empty-turns", case(input=..., turns=[])),
    row("mixed-input-and-turns", case(turns=[{"input": "hi"}])),
    row("mixed-ground-truth-and-turns", case(input=..., ground_truth="x", turns=[{"input": "hi"}])),
    row("mixed-tools-and-turns", case(input=..., expected_tools=[], turns=[{"input": "hi"}])),
    row("turn-without-input", case(input=..., turns=[{"ground_truth": "x"}])),
    row("turn-with-a-key-of-a-case", case(input=..., turns=[{"input": "hi", "repeat": 2}])),
    row("blank-input-of-a-turn", case(input=..., turns=[{"input": ""}])),
    row("repeat-zero", case(repeat=0)),
    row("pass-rate-over-one", case(min_pass_rate=1.1)),
    row("eleven-files", case(files=[{"path": "a", "type": "pdf"}] * 11)),
    row("file-without-place", case(files=[{"type": "pdf"}])),
    row("file-with-two-places", case(files=[{"type": "pdf", "path": "a", "url": "b"}])),
    row("file-of-unknown-type", case(files=[{"type": "doc", "path": "a"}])),
    row("page-zero", case(files=[{"type": "pdf", "path": "a", "pages": [0]}])),
    row("blank-tool-name", case(expected_tools=[" "])),
    row("a-number-for-a-tool", case(expected_tools=[3])),
    row("tool-without-name", case(expected_tools=[{"args": {}}])),
    row("count-zero", tool_call(count=0)),
    row("count-in-words", tool_call(count="twice")),
    row("max-count-zero", tool_call(max_count=0)),
    row("unknown-match", tool_call(match="fuzzy")),
    row("unknown-status", tool_call(status="ok")),
    row("args-as-a-list", tool_call(args=[1])),
    row("argument-with-a-dot", tool_call(args={"a.b": 1})),
    row("argument-with-an-index", tool_call(args={"a[0]": 1})),
    row("argument-without-name", tool_call(args={"": 1})),
    row("two-matcher-keys", arg({"fuzzy": "a", "regex": "b"})),
    row("fuzzy-beside-another-key", arg({"fuzzy": "a", "unit": "EUR"})),
    row("regexp", arg({"regexp": "a"})),
    row("re", arg({"re": "a"})),
    row("pattern", arg({"pattern": "a"})),
    row("fuzz", arg({"fuzz": "a"})),
    row("Fuzzy", arg({"Fuzzy": "a"})),
    row("ANY_OF", arg({"ANY_OF": ["a"]})),
    row("fuzzy-list", arg({"fuzzy": ["a"]})),
    row("fuzzy-null", arg({"fuzzy": None})),
    row("regex-number", arg({"regex": 3})),
    row("any-of-nothing", arg({"any_of": []})),
    row("slip-inside-a-literal", arg({"a": [1, {"regexp": "x"}]})),
    row("slip-inside-any-of", arg({"any_of": [1, {"fuzz": "x"}]})),
    row("slip-inside-unordered", arg({"unordered": [{"fuzzy": ["x"]}]})),
    row("slip-inside-contains", arg({"contains": {"regex": 1}})),
    row("slip-in-a-result", tool_call(result={"id": {"pattern": "x"}})),
    row("negative-tolerance-of-approx", arg({"approx": 1, "tolerance": -0.5})),
    row("matcher-that-is-not-installed", arg({"acme/near": 1})),
    row("plugin-matcher-beside-another-key", arg({"acme/near": 1, "b": 2})),
    row("metric-without-type", metric(metric="equality")),
    row("metric-of-unknown-type", metric(type="standrad", metric="equality")),
    row("metric-of-a-plugin-that-is-not-installed", metric(type="acme/pii")),
    row("unknown-standard-metric", metric(type="standard", metric="equalty")),
    row("standard-metric-without-name", metric(type="standard")),
    row("negative-tolerance", numeric(absolute_tolerance=-0.1)),
    row("negative-relative-tolerance", numeric(relative_tolerance=-1)),
    row("unknown-extract", numeric(extract="middle")),
    row("unknown-option", numeric(tolerance=0.1)),
    row("flag-in-words", numeric(accept_percent="maybe")),
    row("flag-two", numeric(accept_percent=2)),
    row("code-without-grader", metric(type="code")),
    row("malformed-grader", metric(type="code", grader="graders")),
    row("grader-of-a-plugin-that-is-not-installed", metric(type="code", grader="acme/sql")),
    row("grader-timeout-zero", metric(type="code", grader="json:loads", timeout_s=0)),
    row("metrics-as-a-mapping", case(evaluations={"type": "standard", "metric": "equality"})),
    row("unknown-metric-of-a-turn", turn(evaluations=[{"type": "standard", "metric": "equalty"}])),
    row("unknown-metric-of-the-agent", agent(evaluations={"metrics": [{"type": "standard", "metric": "x"}]})),
    row(
        "unknown-metric-beside-disabled-plugins",
        {**numeric(), **metric(type="x"), "plugins": {"disabled": ["b"]}},
    ),
]

ACCEPTED = [
    row("the-least", agent(test_cases=...)),
    row(
        "null-is-absent", agent(description=None, tools=None, instructions=None, execution=None, plugins=None)
    ),
    row("own-keys", agent(**{"x-anchors": {"anything": [1]}, "x-": None})),
    row(
        "numbers-as-text",
        agent(execution={"retries": "3", "llm_timeout": " 10.5e1 ", "parallel_test_cases": 2.0}),
    ),
    row("flags-in-words", numeric(accept_percent="yes", accept_currency="OFF", accept_parentheses=1)),
    row("numbers-for-text", case(input=25587, ground_truth=1.5)),
    row("true-for-text", turn(ground_truth=True)),
    row("numbers-in-a-script", reply(input=17, reply=25587)),
    row("numbered-conversation", case(conversation=17)),
    row("chunks", reply(chunks=["h", "i"], reply=None, calls=[{"name": "add", "result": None}])),
    row("usage-without-total", reply(reply="hi", usage={"prompt_tokens": 1, "completion_tokens": 2})),
    row("rate-limit", reply(error="rate_limit", retry_after=1)),
    row("no-tools", agent(tools=[])),
    row("metrics-for-all-turns", case(input=..., turns=[{"input": "hi"}], evaluations=[])),
    row("null-beside-turns", case(input=None, turns=[{"input": "hi"}], ground_truth=None)),
    row("forbidden", case(forbidden_tools=["refund", {"name": "esc*", "match": "glob"}])),
    row("free-data", case(turn_config={"regexp": [None]})),
    row("literal-null", arg(None)),
    row("literal-deep", arg({"a": [{"b": {"fuzzy": 1}}, {"regex": "x"}], "regexp": 1})),
    row("literal-of-literal", arg({"literal": {"regexp": {"fuzzy": [], "regex": 1}}})),
    row("literal-beside-a-key", arg({"literal": 1, "b": 2})),
    row("any-of-that-is-no-list", arg({"any_of": "x"})),
    row("absent", arg({"absent": True})),
    row("absent-false-is-a-literal", arg({"absent": False})),
    row("type", arg({"type": "integer"})),
    row("type-that-is-none", arg({"type": "cat"})),
    row("approx-with-tolerance", arg({"approx": 1, "tolerance": 0})),
    row("tolerance-of-a-literal", arg({"approx": "1", "tolerance": -1})),
    row("contains-empty", arg({"contains": {}})),
    row("empty-mapping", arg({})),
    row("a-result", tool_call(result={"fuzzy": "x"}, count="2", max_count=3)),
    row("metric-that-is-switched-off", metric(type="bleu", enabled=False, anything=1)),
    row("judge-that-is-switched-off", metric(type="geval", criteria="kind", enabled=False)),
    row(
        "metric-by-an-alias",
        {**metric(type="pii", enabled=False), "plugins": {"aliases": {"pii": "acme/pii"}}},
    ),
    row("grader", metric(type="code", grader="json:loads", threshold=None)),
    row(
        "grader-by-an-alias",
        {
            **metric(type="code", grader="sql", enabled=False),
            "plugins": {"aliases": {"sql": "acme/sql"}},
        },
    ),
    row(
        "model-keys-that-the-backend-ignores",
        agent(model={"provider": "scripted", "replies": [], "top_p": "0.5"}),
    ),
]


VARIABLES = [
    row("in-text", agent(name="${V} agent"), "my"),
    row("as-a-number", agent(execution={"retries": "${V}", "llm_timeout": "${V:-2}"}), "1.0"),
    row("as-a-flag", numeric(accept_percent="${V}"), "true"),
    row("as-a-choice", agent(execution={"tool_order": "${V}"}), "exact"),
    row("as-a-provider", agent(model={"provider": "${V}", "replies": []}), "scripted"),
    row("as-a-type", metric(type="${V}", metric="equality"), "standard"),
    row("as-a-metric", metric(type="standard", metric="${V}"), "equality"),
    row("as-a-grader", metric(type="code", grader="${V}"), "json:loads"),
    row("as-a-kind-of-tool", tool(type="${V}", name="a", source="."), "vectorstore"),
    row("as-an-error", reply(error="${V}", retry_after="${W:-3}"), "rate_limit"),
]


def loads(value: Agent, folder: Path, **variables: str) -> bool:
    (folder / "agent.json").write_text(json.dumps(value))
    host = PluginHost(environ=FIRST_PARTY)
    try:
        load_suite(folder / "agent.json", plugins=host, environ={"HOME": str(folder), **variables})
    except ConfigError:
        return False
    return True


def as_read(value: Agent, folder: Path) -> Any:
    """The value as the reader gives it."""
    (folder / "agent.json").write_text(json.dumps(value))
    return read_document(folder / "agent.json").value


def test_the_schema_is_valid_itself(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def keys(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key of every mapping, with its schema."""
    for name, part in {"agent": schema, **schema["$defs"]}.items():
        for key, about in part.get("properties", {}).items():
            if name not in (
                "tool",
                "metric",
                "model",
            ):  # which depend on a key that is told where they lead to
                yield f"{name}.{key}", about


def test_every_key_says_what_it_means_and_how_it_is_written(schema: dict[str, Any]) -> None:
    for name, about in keys(schema):
        assert about.get("description", "").endswith((".", "`")), name
        chosen = (
            "const" in about or about.get("$ref") == "#/$defs/boolean" or "enum" in str(about.get("anyOf"))
        )
        assert chosen or about.get("examples"), name


def test_every_example_and_every_default_is_valid(schema: dict[str, Any]) -> None:
    for name, about in keys(schema):
        valid = Draft202012Validator({**about, "$defs": schema["$defs"]})
        for value in [*about.get("examples", []), *([about["default"]] if "default" in about else [])]:
            assert not list(valid.iter_errors(value)), (name, value)


def test_the_settings_have_the_defaults_of_the_last_level(schema: dict[str, Any]) -> None:
    execution = schema["$defs"]["ExecutionConfig"]["properties"]
    assert {key: about["default"] for key, about in execution.items()} == DEFAULT_EXECUTION_CONFIG


@pytest.mark.parametrize("value", REFUSED)
def test_a_mistake_that_a_schema_can_see_is_refused_as_by_the_loader(
    validator: Validator, tmp_path: Path, value: Agent
) -> None:
    assert not loads(value, tmp_path)
    assert not validator.is_valid(value)
    assert not validator.is_valid(as_read(value, tmp_path))


@pytest.mark.parametrize("value", ACCEPTED)
def test_what_loads_is_accepted(validator: Validator, tmp_path: Path, value: Agent) -> None:
    assert loads(value, tmp_path)
    assert not list(validator.iter_errors(value))
    assert not list(validator.iter_errors(as_read(value, tmp_path)))


@pytest.mark.parametrize(("value", "variable"), VARIABLES)
def test_any_scalar_may_be_a_variable(
    validator: Validator, tmp_path: Path, value: Agent, variable: str
) -> None:
    assert loads(value, tmp_path, V=variable)
    assert not list(validator.iter_errors(as_read(value, tmp_path)))


# Agents of every shape: keys that are there or not, values spelled in every way, and now and then one that is wrong.

text = st.sampled_from(["hi", "a b", " x ", "17", "1.5", "yes", "é", "\u00a0.", "LM-100\\d", "graders"])
scalars = st.none() | st.booleans() | st.integers(-2, 30) | st.floats(-2, 30) | text
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)
flags = st.sampled_from([True, False, "yes", "OFF", "t", 1, 0.0])
allow = st.sampled_from(["allow", "forbid"])
orders = st.sampled_from(["any", "in_order", "exact"])
matches = st.sampled_from(["contains", "exact", "glob", "regex"])
objects = st.dictionaries(text, anything, max_size=2)
KEYS = (
    *("a", "b", "fuzzy", "regex", "any_of", "unordered", "absent", "contains", "type", "approx", "tolerance"),
    *("literal", "regexp", "Fuzzy", "acme/near"),
)
expected = st.recursive(
    scalars | st.sampled_from(["integer", "boolean"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=2),
    max_leaves=6,
)


def numbers(low: float, high: float) -> st.SearchStrategy[Any]:
    found = st.integers(int(low), int(high)) | st.floats(low, high)
    return found | found.map(str)


def whole(low: int, high: int = 20) -> st.SearchStrategy[Any]:
    found = st.integers(low, high)
    return found | found.map(str) | found.map(float) | found.map(lambda number: f" +{number}.0 ")


def mapping(required: dict[str, Any], **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    nullable = {key: st.none() | value for key, value in optional.items()}
    return st.fixed_dictionaries(required, optional=nullable)


def kind(name: str) -> st.SearchStrategy[str]:
    return st.just(name)


metric_keys = {"name": text, "threshold": numbers(0, 1), "enabled": flags, "fail_on_error": flags}
metrics = st.lists(
    mapping(
        {"type": kind("standard"), "metric": st.sampled_from(["equality", "numeric"])},
        **metric_keys,
        scale=numbers(1, 5),
        timeout_ms=whole(1),
        absolute_tolerance=numbers(0, 1),
        accept_percent=flags,
        extract=st.sampled_from(["only", "last", "first"]),
        strip_punctuation=flags,
        model=mapping({"provider": text}, temperature=numbers(0, 2), anything=anything),
    )
    | mapping({"type": kind("code"), "grader": kind("json:loads")}, **metric_keys, timeout_s=numbers(1, 3))
    | mapping({"type": kind("geval"), "criteria": text}, **metric_keys, strict_mode=flags)
    | mapping({"type": text}, **metric_keys, anything=anything),
    max_size=2,
)
files = st.lists(
    mapping(
        {"path": text, "type": st.sampled_from(["pdf", "csv"])},
        url=text,
        pages=st.lists(whole(1)),
        cache=flags,
    ),
    max_size=2,
)
expected_tools = st.lists(
    text
    | mapping(
        {"name": text},
        args=st.dictionaries(st.sampled_from(["a", "b"]), expected, max_size=2),
        result=expected,
        count=whole(1, 2),
        max_count=whole(2, 3),
        match=matches,
        extra_args=allow,
        status=st.sampled_from(["any", "success", "failed"]),
    ),
    max_size=2,
)
turn_keys: dict[str, Any] = {
    "ground_truth": scalars,
    "expected_tools": expected_tools,
    "forbidden_tools": st.lists(text | mapping({"name": text}, match=matches), max_size=2),
    "extra_calls": allow,
    "tool_order": orders,
    "files": files,
    "retrieval_context": st.lists(text, max_size=2),
    "evaluations": metrics,
    "turn_config": objects,
}
turns = st.lists(mapping({"input": scalars}, **turn_keys), min_size=1, max_size=2)
case_keys: dict[str, Any] = {
    "name": text,
    "tags": st.lists(text, max_size=2),
    "conversation": text | st.integers(),
    "repeat": whole(1),
    "min_pass_rate": numbers(0, 1),
    "on_turn_failure": st.sampled_from(["continue", "stop"]),
}
cases = mapping({"input": scalars}, **case_keys, **turn_keys) | mapping(
    {"turns": turns}, **case_keys, evaluations=metrics, input=st.none()
)
replies = mapping(
    {},
    input=scalars,
    reply=scalars,
    calls=st.lists(mapping({"name": text}, args=objects, result=anything, error=text), max_size=1),
    usage=mapping({"prompt_tokens": whole(0), "completion_tokens": whole(0)}, partial=flags),
    delay=numbers(0, 1),
    error=st.sampled_from(["lost", "rate_limit", "x"]),
    retry_after=numbers(0, 1),
    chunks=whole(1) | st.lists(text),
)
tools = st.lists(
    mapping(
        {"type": kind("vectorstore"), "name": text, "source": text}, top_k=whole(1), database=text | objects
    )
    | mapping({"type": kind("prompt"), "name": text, "template": text}, file=text, parameters=objects)
    | mapping({"type": kind("mcp"), "name": text, "command": text}, transport=kind("stdio"), env=objects),
    max_size=2,
)
agents = mapping(
    {
        "name": text,
        "model": mapping(
            {"provider": kind("scripted"), "replies": st.lists(replies, max_size=2)},
            temperature=numbers(0, 2),
            max_tokens=whole(1),
            api_key=text,
        ),
    },
    description=text,
    instructions=mapping({"inline": text}, file=text),
    response_format=text | objects,
    tools=tools,
    evaluations=mapping({}, metrics=metrics, model=mapping({"provider": text})),
    test_cases=st.lists(cases, max_size=2),
    execution=mapping(
        {}, parallel_test_cases=whole(1), llm_timeout=numbers(1, 9), tool_order=orders, retries=whole(0)
    ),
    observability=objects,
    embedding_provider=mapping({}, provider=text, name=text),
    plugins=mapping({}, disabled=st.lists(text, max_size=1)),
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or index) of a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from places(item)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data(), value=agents, spoilt=st.integers(0, 1))
def test_any_agent_that_loads_is_accepted(
    validator: Validator,
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    value: Agent,
    spoilt: int,
) -> None:
    value = copy.deepcopy(value)
    for _ in range(spoilt):
        container, key = data.draw(st.sampled_from(list(places(value))))
        container[key] = data.draw(anything)
    folder = tmp_path_factory.mktemp("agents")
    if loads(value, folder):
        event("loads")
        assert not list(validator.iter_errors(as_read(value, folder)))
