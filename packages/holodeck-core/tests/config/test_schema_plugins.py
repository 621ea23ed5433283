"""What installed plugins contribute is in the schema; a broken one breaks nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from jsonschema import Draft202012Validator

from holodeck_core.config.schema import agent_schema
from holodeck_core.plugins.host import PluginHost
from holodeck_core.testing import FakeDistribution

pytest_plugins = ["holodeck_core.testing.fixtures"]

Install: TypeAlias = Callable[..., None]

HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_metrics():
    return [
        Contribution("pii", "acme_things:Pii", "no personal data"),
        Contribution("length", "acme_things:Length", "not too long"),
        Contribution("nested", "acme_things:Nested", "options that hold options"),
    ]

@hookimpl
def holodeck_backends():
    return [Contribution("vllm", "acme_things:Vllm", "a server of your own")]

@hookimpl
def holodeck_matchers():
    return [Contribution("near", "acme_things:Near", "a place that is near")]

@hookimpl
def holodeck_graders():
    return [Contribution("sql", "acme_things:sql", "two queries are equivalent")]
"""

THINGS = '''
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from holodeck_core import Backend, Matcher, Metric
from holodeck_core.models.evaluation import EvaluationMetric


class Turn(BaseModel):
    """Named as one of the core's models is."""

    words: int


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kinds: list[Literal["name", "iban"]]
    """Which kinds of data are looked for. Example: `[iban]`"""
    limit: int = Field(default=3, ge=1, description="How many may be there.")
    turn: Turn | None = None


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")

    depth: int
    below: list["Tree"] = []


class Nested(Metric):
    Options = Tree

    def score(self, turn):
        raise NotImplementedError


class Pii(Metric):
    Options = Options

    def score(self, turn):
        raise NotImplementedError


class Length(Metric):
    Options = EvaluationMetric

    def score(self, turn):
        raise NotImplementedError


class Server(BaseModel):
    model_config = ConfigDict(extra="forbid")

    port: int = Field(ge=1)
    temperature: float = Field(default=0, le=1)


class Vllm(Backend):
    Options = Server
    needs_instructions = True

    async def open(self, agent, case=None):
        raise NotImplementedError


class Near(Matcher):
    def mismatch(self, actual):
        raise NotImplementedError


def sql(context):
    raise NotImplementedError
'''

BROKEN = """
from typing import Any

from pydantic import BaseModel

from holodeck_core import Metric


class Strange:
    pass


class Unspeakable(BaseModel):
    model_config = {"arbitrary_types_allowed": True}
    strange: Strange


class Raising(BaseModel):
    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema, handler):
        raise SystemExit("no schema")


class One(Metric):
    Options = Unspeakable

    def score(self, turn):
        raise NotImplementedError


class Two(One):
    Options = Raising


class Three(One):
    Options = "not a model"


class Four:
    Options = Unspeakable


class Computed(type(Metric)):
    @property
    def Options(cls):
        raise SystemExit("no options")


class Eight(Metric, metaclass=Computed):
    def score(self, turn):
        raise NotImplementedError


class Malformed(BaseModel):
    model_config = {"json_schema_extra": {"properties": {"a": "no schema"}}}


class Dangling(BaseModel):
    model_config = {"json_schema_extra": {"allOf": [{"$ref": "#/$defs/Missing"}]}}


class Six(One):
    Options = Malformed


class Seven(One):
    Options = Dangling
"""


@pytest.fixture
def install(install_plugin: Any) -> Install:
    """``install("holodeck-acme", hooks, {"acme_things.py": …})``."""

    def write(name: str, hooks: str, modules: dict[str, str] | None = None) -> None:
        module = f"{name.removeprefix('holodeck-')}_hooks.py"
        install_plugin(FakeDistribution(name, modules={module: hooks, **(modules or {})}))

    return write


@pytest.fixture
def schema(install: Install) -> dict[str, Any]:
    """The schema where a plugin in good order is installed."""
    install("holodeck-acme", HOOKS, {"acme_things.py": THINGS})
    return agent_schema(PluginHost(environ={}))


def agent(**keys: Any) -> dict[str, Any]:
    return {"name": "a", "model": {"provider": "scripted", "replies": []}, **keys}


def metric(**keys: Any) -> dict[str, Any]:
    return agent(evaluations={"metrics": [keys]})


def arg(value: Any) -> dict[str, Any]:
    tools = [{"name": "add", "args": {"a": value}}]
    return agent(test_cases=[{"input": "hi", "expected_tools": tools}])


def model(**keys: Any) -> dict[str, Any]:
    return agent(model={"provider": "acme/vllm", **keys}, instructions={"inline": "Be kind."})


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        pytest.param(metric(type="acme/pii", kinds=["iban"], limit="2", threshold=0.5), True, id="metric"),
        pytest.param(metric(type="acme/pii", kinds=["iban"], turn={"words": 3}), True, id="nested-model"),
        pytest.param(metric(type="acme/pii"), False, id="missing-option"),
        pytest.param(metric(type="acme/pii", kinds=["iban"], kind="name"), False, id="unknown-option"),
        pytest.param(metric(type="acme/pii", kinds=["face"]), False, id="wrong-choice"),
        pytest.param(metric(type="acme/pii", kinds=["iban"], limit=0), False, id="out-of-bounds"),
        pytest.param(metric(type="acme/pii", kinds=["iban"], enabled="maybe"), False, id="wrong-common-key"),
        pytest.param(metric(type="acme/nested", depth=1, below=[{"depth": 2}]), True, id="recursive-options"),
        pytest.param(
            metric(type="acme/nested", depth=1, below=[{"dep": 2}]), False, id="unknown-key-deep-inside"
        ),
        pytest.param(metric(type="acme/pi"), False, id="unknown-metric-of-the-plugin"),
        pytest.param(metric(type="standard", metric="acme/length", threshold=1), True, id="standard-metric"),
        pytest.param(metric(type="standard", metric="acme/width"), False, id="unknown-standard-metric"),
        pytest.param(metric(type="code", grader="acme/sql"), True, id="grader"),
        pytest.param(metric(type="code", grader="acme/sequel"), False, id="unknown-grader"),
        pytest.param(model(port=80, name="m", api_key="x"), True, id="backend"),
        pytest.param(model(), False, id="missing-key-of-a-backend"),
        pytest.param(model(port=0), False, id="wrong-key-of-a-backend"),
        pytest.param(model(port=80, prot=1), False, id="unknown-key-of-a-backend"),
        pytest.param(model(port=80, temperature=1.5), False, id="narrower-than-the-general-key"),
        pytest.param(agent(model={"provider": "acme/vllm", "port": 80}), False, id="without-instructions"),
        pytest.param(arg({"acme/near": {"regexp": {"fuzzy": [], "b": 1}}}), True, id="matcher"),
        pytest.param(arg([{"acme/near": 1}]), True, id="matcher-inside-a-literal"),
        pytest.param(arg({"acme/far": 1}), False, id="unknown-matcher"),
        pytest.param(arg({"acme/near": 1, "b": 2}), False, id="matcher-beside-a-key"),
    ],
)
def test_options_of_plugins_are_checked(schema: dict[str, Any], value: dict[str, Any], valid: bool) -> None:
    assert Draft202012Validator(schema).is_valid(value) is valid


def test_what_a_plugin_says_about_its_options_is_told(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    pii = schema["$defs"]["metric.acme.pii"]
    assert pii["description"] == "no personal data"
    assert list(pii["properties"]) == [
        *("name", "threshold", "enabled", "fail_on_error", "type"),
        *("kinds", "limit", "turn"),
    ]
    assert pii["properties"]["kinds"]["description"] == "Which kinds of data are looked for."
    assert pii["properties"]["kinds"]["examples"] == [["iban"]]
    assert pii["properties"]["limit"]["description"] == "How many may be there."
    assert pii["properties"]["limit"]["default"] == 3


def test_a_model_of_a_plugin_takes_no_place_of_the_core(schema: dict[str, Any]) -> None:
    assert "input" in schema["$defs"]["Turn"]["properties"]
    assert list(schema["$defs"]["metric.acme.pii.Turn"]["properties"]) == ["words"]


def test_a_schema_holds_nothing_of_another_that_was_made_before(schema: dict[str, Any]) -> None:
    host = PluginHost(environ={}, disabled=["acme"])
    assert not Draft202012Validator(agent_schema(host)).is_valid(metric(type="acme/pii", kinds=["iban"]))
    assert agent_schema(PluginHost(environ={})) == schema


CRACK_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_metrics():
    names = "one", "two", "three", "four", "five", "six", "seven", "eight"
    return [Contribution(name, f"crack_things:{name.title()}", name) for name in names]
"""


@pytest.fixture
def broken(install: Install) -> None:
    """A plugin in good order, one that cannot be imported, and one whose contributions are broken."""
    install("holodeck-acme", HOOKS, {"acme_things.py": THINGS})
    install("holodeck-bang", "raise SystemExit('bang')")
    install("holodeck-crack", CRACK_HOOKS, {"crack_things.py": BROKEN})


@pytest.mark.usefixtures("broken")
def test_a_broken_plugin_breaks_nothing() -> None:
    schema = agent_schema(PluginHost(environ={}))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid(metric(type="acme/pii", kinds=["iban"]))
    for name in ("one", "two", "three", "six", "seven", "eight"):  # of whose options nothing can be said
        assert validator.is_valid(metric(type=f"crack/{name}", anything=1))
        assert not validator.is_valid(metric(type=f"crack/{name}", enabled="maybe"))
    for name in ("four", "five"):  # which is no metric, and which does not exist
        assert not validator.is_valid(metric(type=f"crack/{name}"))


@pytest.mark.usefixtures("broken")
def test_where_broken_plugins_are_errors_they_are_left_out() -> None:
    validator = Draft202012Validator(agent_schema(PluginHost(environ={"HOLODECK_STRICT_PLUGINS": "1"})))
    assert validator.is_valid(metric(type="acme/pii", kinds=["iban"]))
    assert not validator.is_valid(metric(type="crack/one"))
