"""Code of plugins and of the user that is called while a suite is loaded: what it raises is a message at its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import ConfigError, load_suite
from holodeck_core.testing import FakeDistribution

pytest_plugins = ["holodeck_core.testing.fixtures"]

BOOM = """
from foreign_site import ERROR, SITE

def boom(site):
    if site == SITE:
        raise ERROR
"""

PLUGIN = f"""
from pydantic import BaseModel, field_validator
from holodeck_core import Backend, Matcher, Metric, NoOptions
from holodeck_core.plugins import Contribution, hookimpl
{BOOM}
class Own(Metric):
    Options = NoOptions
    def __init__(self, options): ...
    @property
    def has_own_rule(self): boom("has_own_rule"); return True
    def score(self, turn): ...

class Texts(Own):
    needs = "ground_truth"

class Needing(type(Metric)):
    @property
    def needs(cls): boom("needs"); return frozenset()

class Pii(Metric, metaclass=Needing):
    class Options(BaseModel):
        level: int = 0
        @field_validator("level")
        @classmethod
        def of_level(cls, value): boom("options of a metric"); return value
    def __init__(self, options): super().__init__(options); boom("metric")
    def score(self, turn): ...

class Near(Matcher):
    def __init__(self, expected, build): boom("matcher")
    def mismatch(self, actual): ...

class Remote(Backend):
    class Options(BaseModel):
        level: int = 0
        @field_validator("level")
        @classmethod
        def of_level(cls, value): boom("options of a backend"); return value
    def __init__(self, options, folder): super().__init__(options, folder); boom("backend")
    @property
    def needs_instructions(self): boom("needs_instructions"); return False
    @property
    def environ(self): return {{}}
    @environ.setter
    def environ(self, values): boom("environ")
    def check_case(self, case): boom("check_case")
    def check_tool(self, tool): boom("check_tool"); return ()
    def check_response_format(self, schema): boom("check_response_format"); return ()
    def sources(self): boom("sources"); return ()
    def lacks(self):
        boom("lacks")
        return iter(())
    async def open(self, agent, case=None): ...

def __getattr__(name): boom("lookup in a plugin"); raise AttributeError(name)

@hookimpl
def holodeck_metrics():
    boom("hook")
    names = {{"pii": "Pii", "made": "made", "own": "Own", "texts": "Texts"}}
    return [Contribution(name, f"acme_hooks:{{target}}", "") for name, target in names.items()]

@hookimpl
def holodeck_matchers(): return [Contribution("near", "acme_hooks:Near", "")]

@hookimpl
def holodeck_backends(): return [Contribution("remote", "acme_hooks:Remote", "")]

boom("hooks module")
"""

USERS = f"""
{BOOM}
class Listing:
    def __dir__(self): boom("listing"); return []

class Number:
    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler): boom("type of a parameter"); return handler(int)

class Annotated:
    @property
    def __annotations__(self): boom("annotations"); return {{}}
    def __call__(self, number): ...

class Grade:
    def __init__(self): boom("grader")
    def __call__(self, turn): return True

listing = Listing()
def add(number: Number): ...
annotated = Annotated()
annotated.__call__
def __getattr__(name): boom("lookup"); raise AttributeError(name)
boom("module")
"""

SCRIPTED = "name: a\nmodel: {provider: scripted, replies: []}\ntest_cases: [{input: a, %s}]\n"
METRIC = SCRIPTED % "evaluations: [{type: acme/pii, level: 1}]"
REMOTE = """\
name: a
model: {provider: acme/remote, level: 1}
response_format: {type: object}
tools: [{type: prompt, name: look, template: Look}]
test_cases: [{input: a}]
"""
PYTHON = "name: a\nmodel: {provider: python, agent: 'foreign_users:%s'}\ntest_cases: [{input: a}]\n"
TOOL = """\
name: a
model: {provider: openai, name: a, api_key: a}
tools: [{type: function, name: add, description: Adds, file: foreign_users.py, function: %s}]
instructions: {inline: Add.}
test_cases: [{input: a}]
"""

SITES = [
    ("hooks module", METRIC, "cannot import acme_hooks: {error}"),
    ("hook", METRIC, "holodeck_metrics raised {error}"),
    ("lookup in a plugin", METRIC.replace("pii", "made"), "its hooks cannot be registered: {error}"),
    ("has_own_rule", METRIC.replace("pii, level: 1", "own"), "the metric `acme/own` failed: {error}"),
    ("needs", METRIC, "evaluations[0].type: what the metric `acme/pii` needs cannot be told: {error}"),
    ("options of a metric", METRIC, "evaluations[0]: the metric `acme/pii` failed: {error}"),
    ("metric", METRIC, "evaluations[0]: the metric `acme/pii` failed: {error}"),
    (
        "matcher",
        SCRIPTED % "expected_tools: [{name: b, args: {c: {acme/near: 1}}}]",
        "the matcher `acme/near` failed: {error}",
    ),
    (
        "grader",
        SCRIPTED % "evaluations: [{type: code, grader: 'foreign_users:Grade'}]",
        "evaluations[0]: the metric `code` failed: {error}",
    ),
    ("options of a backend", REMOTE, "model: the provider `acme/remote` failed: {error}"),
    ("backend", REMOTE, "model: the provider `acme/remote` failed: {error}"),
    ("environ", REMOTE, "model: the provider `acme/remote` failed: {error}"),
    ("needs_instructions", REMOTE, "model: the provider `acme/remote` failed: {error}"),
    ("check_case", REMOTE, "test_cases[0]: the provider failed to check this case: {error}"),
    ("check_tool", REMOTE, 'tools[0] "look": the provider failed to check the tool: {error}'),
    ("check_response_format", REMOTE, "response_format: the provider failed to check this: {error}"),
    ("lacks", REMOTE, "model: the provider failed to look for what it needs: {error}"),
    ("module", PYTHON % "made", "importing 'foreign_users' failed: {error}"),
    ("lookup", PYTHON % "made", "looking 'made' up in 'foreign_users' failed: {error}"),
    ("listing", PYTHON % "listing.more", "looking 'listing.more' up in 'foreign_users' failed: {error}"),
    ("type of a parameter", TOOL % "add", "its parameter `number` cannot be filled: {error}"),
    ("annotations", TOOL % "annotated", "{error}"),
]


class Panic(BaseException):
    """As a module in Rust raises it."""


class Unspeakable(BaseException):
    """An exception that cannot be told either."""

    def __str__(self) -> str:
        raise Panic("in __str__")


ERRORS = [
    (SystemExit("enough"), "SystemExit: enough"),
    (GeneratorExit("enough"), "GeneratorExit: enough"),
    (Panic("enough"), "Panic: enough"),
    (Unspeakable(), "Unspeakable"),
]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install_plugin: Any) -> Iterator[Any]:
    """Loads an agent file while one site raises."""
    monkeypatch.chdir(tmp_path)
    install_plugin(FakeDistribution("holodeck-acme", modules={"acme_hooks.py": PLUGIN}))
    (tmp_path / "foreign_users.py").write_text(USERS)
    before = set(sys.modules)

    def load(site: str, error: BaseException, text: str) -> None:
        for name in set(sys.modules) - before:
            if name.startswith(("acme", "foreign")):
                del sys.modules[name]
        found: Any = type(sys)("foreign_site")
        found.SITE, found.ERROR = site, error
        monkeypatch.setitem(sys.modules, "foreign_site", found)
        Path("agent.yaml").write_text(text)
        load_suite("agent.yaml", environ={})

    yield load
    for name in set(sys.modules) - before:
        if name.startswith(("acme", "foreign")):
            del sys.modules[name]


@pytest.mark.parametrize(("site", "text", "told"), [pytest.param(*row, id=row[0]) for row in SITES])
def test_whatever_foreign_code_raises_is_a_message(load: Any, site: str, text: str, told: str) -> None:
    for error, as_text in ERRORS:
        with pytest.raises(ConfigError) as caught:
            load(site, error, text)
        expected = told.format(error=as_text)
        assert any(expected in str(problem) for problem in caught.value.problems), (
            as_text,
            str(caught.value),
        )


@pytest.mark.parametrize(("site", "text"), [pytest.param(*row[:2], id=row[0]) for row in SITES])
def test_an_interruption_is_the_users(load: Any, site: str, text: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        load(site, KeyboardInterrupt(), text)


def test_a_backend_that_cannot_name_its_sources_has_none(load: Any) -> None:
    for error, _ in ERRORS:
        load("sources", error, REMOTE)


def test_a_metric_need_not_keep_its_options(load: Any) -> None:
    load("", SystemExit(), METRIC.replace("pii, level: 1", "own"))


def test_what_a_metric_needs_is_no_text(load: Any) -> None:
    with pytest.raises(ConfigError, match=r"it is the text .ground_truth., not a set of names"):
        load("", SystemExit(), METRIC.replace("pii, level: 1", "texts"))
