"""The options of plugins are told in the same words as everything else, and what their code raises costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holodeck_core.errors import Problem
from holodeck_core.testing import FakeDistribution

pytest_plugins = ["holodeck_core.testing.fixtures"]

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

PLUGIN = """
from typing import Annotated, Literal
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, HttpUrl, field_validator, model_validator
from holodeck_core import Backend, Matcher, Metric
from holodeck_core.plugins import Contribution, hookimpl

class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int

class Dog(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["dog"]
    breed: str

class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")
    level: int | list[int] | None = None
    where: HttpUrl | None = None
    even: int = 0
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    long_name: str = Field(default="", validation_alias=AliasChoices("longName", "long-name"))
    password: str = ""

    @field_validator("even")
    @classmethod
    def is_even(cls, value):
        if value % 2:
            raise ValueError(f"{value} is odd,\\x1b[31m\\nas it stands")
        return value

    @model_validator(mode="after")
    def no_password(self):
        if self.even == 4:
            assert False, "four"
        if self.even == 6:
            raise KeyError("six")
        if self.password:
            raise ValueError(f"the password {self.password} is too weak")
        return self

class Pii(Metric):
    Options = Options
    def __init__(self, options):
        super().__init__(options)
        if options.even == 8:
            raise ValueError("eight")
        if options.even == 10:
            raise RuntimeError("ten")
    def score(self, turn): ...

class Near(Matcher):
    def __init__(self, expected, build):
        if expected == 1:
            raise ValueError("one")
        if expected == 2:
            raise RuntimeError("two")
        self.other = build(expected)
    def mismatch(self, actual): ...

class Remote(Backend):
    Options = Options
    def check_case(self, case):
        if case.name == "raises":
            raise RuntimeError("no")
        return "is refused" if case.name == "refused" else None
    async def open(self, agent, case=None): ...

@hookimpl
def holodeck_metrics():
    return [Contribution("pii", "acme_hooks:Pii", "")]

@hookimpl
def holodeck_matchers():
    return [Contribution("near", "acme_hooks:Near", "")]

@hookimpl
def holodeck_backends():
    return [Contribution("remote", "acme_hooks:Remote", "")]
"""


@pytest.fixture
def acme(problems: Problems, install_plugin: Any) -> None:
    install_plugin(FakeDistribution("holodeck-acme", modules={"acme_hooks.py": PLUGIN}))


OPTIONS = [
    ("level: high", "level: expected a whole number or a list, got the text"),
    ("level: [1, x]", 'level[1]: expected a whole number, got the text "x"'),
    ("where: nowhere", "where: expected a URL (https://…), got the text"),
    ("where: 'ftp://x'", "where: must be a URL that begins with 'http' or 'https', got"),
    ("even: 3", "even: 3 is odd, as it stands"),
    ("even: 4", ": four"),
    ("even: 6", "failed: KeyError: 'six'"),
    ("pet: {kind: cow}", 'pet: must be one of cat, dog, got "cow"'),
    ("pet: {lives: 1}", "pet: needs the key 'kind'"),
    ("pet: {kind: cat, lives: x}", 'pet.lives: expected a whole number, got the text "x"'),
    ("pet: {kind: dog, bred: x}", 'pet.bred: unknown key `bred`; did you mean "breed"?'),
    ("longname: x", 'longname: unknown key `longname`; did you mean "longName"?'),
    ("password: hunter2", "the password [redacted] is too weak"),
]


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(("text", "message"), OPTIONS, ids=[row[0] for row in OPTIONS])
@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("name: a\nmodel: {provider: acme/remote, OPTION}\n", "model"),
        (f"{HEAD}evaluations: {{metrics: [{{type: acme/pii, OPTION}}]}}\n", "evaluations.metrics[0]"),
    ],
    ids=["provider", "metric"],
)
def test_the_options_of_a_plugin_are_told_in_the_same_words(
    problems: Problems, agent: str, path: str, text: str, message: str
) -> None:
    [found] = problems(agent.replace("OPTION", text))
    assert found.path.startswith(path)
    assert message in found.headline()
    assert "hunter2" not in str(found)
    assert not any(phrase in found.message for phrase in PYDANTICS)


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("option", "message"),
    [("even: 8", "eight"), ("even: 10", "the metric `acme/pii` failed: RuntimeError: ten")],
)
def test_what_a_metric_says_of_its_options_is_told_at_its_place(
    problems: Problems, option: str, message: str
) -> None:
    [found] = problems(f"{HEAD}evaluations: {{metrics: [{{type: acme/pii, {option}}}]}}\n")
    assert (found.path, found.message) == ("evaluations.metrics[0]", message)


@pytest.mark.usefixtures("acme")
def test_general_keys_of_a_metric_are_suggested_for_a_plugins(problems: Problems) -> None:
    [found] = problems(f"{HEAD}evaluations: {{metrics: [{{type: acme/pii, thresold: 1}}]}}\n")
    assert found.message == 'unknown key `thresold`; did you mean "threshold"?'


def test_what_the_users_own_code_raises_is_safe_to_show(problems: Problems) -> None:
    agent = f"{HEAD}evaluations: {{metrics: [{{type: code, grader: 'hostile_grader:f'}}]}}\n"
    [found] = problems(agent, hostile_grader__py='raise RuntimeError("\\x1b[31m\\nred" * 1000)')
    assert "RuntimeError: red red" in found.message
    assert found.message.isprintable()
    assert len(found.message) < 600


@pytest.mark.usefixtures("acme")
def test_every_matcher_that_cannot_be_built_is_told(problems: Problems) -> None:
    found = problems(
        f"{HEAD}test_cases: [{{input: a, expected_tools: [{{name: f, args: "
        "{a: [{acme/near: 1}, {x: {acme/near: 2}}, {acme/near: {regex: '('}}], b: {acme/near: 1}}}]}]\n"
    )
    assert [(problem.path.partition(".args.")[2], problem.message) for problem in found] == [
        ("a[0].acme/near", "one"),
        ("a[1].x.acme/near", "the matcher `acme/near` failed: RuntimeError: two"),
        ("a[2].acme/near.regex", found[2].message),
        ("b.acme/near", "one"),
    ]


@pytest.mark.usefixtures("acme")
def test_cases_that_a_provider_refuses(problems: Problems) -> None:
    found = problems(
        "name: a\nmodel: {provider: acme/remote}\ntest_cases:\n"
        "- {name: fine, input: a}\n- {name: refused, input: a}\n- {name: raises, input: a}\n"
        "- {name: refused, input: ''}\n"
    )
    assert [(problem.line, problem.message) for problem in found] == [
        (5, "is refused"),
        (6, "the provider failed to check this case: RuntimeError: no"),
        (7, "is refused"),
        (7, 'must not be empty, got ""'),
    ]
