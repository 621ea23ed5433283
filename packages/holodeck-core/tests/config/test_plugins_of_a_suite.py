"""What a suite demands of the plugins that are installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import ConfigError, load_suite, run_suite_sync
from holodeck_core.testing import FakeDistribution

pytest_plugins = ["holodeck_core.testing.fixtures"]

Install = Callable[[str], Path]

AGENT = "name: a\nmodel: {provider: scripted, replies: [{reply: hi}]}\ntest_cases: [{input: hi}]\n"

HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_metrics():
    return [Contribution("checks", "acme_checks_of_a_suite:Checks", "checks")]
"""

METRIC = """
from holodeck_core import Metric, NoOptions, Score

class Checks(Metric):
    Options = NoOptions
    needs = frozenset({needs})

    def score(self, turn):
        return Score(1.0, True)
"""


@pytest.fixture
def install(tmp_path: Path, install_plugin: Any) -> Install:
    """Installs a plugin that contributes a metric, or whatever its hooks module holds."""

    def install(metric: str, hooks: str = HOOKS) -> Path:
        modules = {"acme_hooks_of_a_suite.py": hooks, "acme_checks_of_a_suite.py": metric}
        install_plugin(FakeDistribution("holodeck-acme", modules=modules))
        (tmp_path / "agent.yaml").write_text(AGENT)
        return tmp_path / "agent.yaml"

    return install


@pytest.mark.parametrize(
    ("needs", "message"),
    [
        ("{'ground_truth'}", None),
        ("set()", None),
        ("{'bogus'}", "the metric `acme/checks` needs bogus, which no turn has"),
    ],
)
def test_a_metric_may_need_only_what_a_turn_has(install: Install, needs: str, message: str | None) -> None:
    agent = install(METRIC.replace("{needs}", needs))
    agent.write_text(AGENT + "evaluations: {metrics: [{type: acme/checks}]}\n")
    if message is None:
        assert run_suite_sync(load_suite(agent)).results[0].passed
    else:
        with pytest.raises(ConfigError, match=message):
            load_suite(agent)


OPTIONS = """
from pydantic import BaseModel
from holodeck_core import Metric, Score

class Options(BaseModel):
    max_words: int = 5

class Checks(Metric):
    Options = Options

    def score(self, turn):
        return Score(1.0, self.options.max_words == 3)
"""


def test_a_misspelt_option_of_a_plugin_is_a_mistake(install: Install) -> None:
    agent = install(OPTIONS)
    agent.write_text(AGENT + "evaluations: {metrics: [{type: acme/checks, max_wrods: 3}]}\n")
    with pytest.raises(ConfigError, match=r"unknown key `max_wrods`.*did you mean"):
        load_suite(agent)
    agent.write_text(AGENT + "evaluations: {metrics: [{type: acme/checks, max_words: 3}]}\n")
    assert run_suite_sync(load_suite(agent)).results[0].passed


@pytest.mark.parametrize(
    ("more", "unknown"),
    [("", []), (", max_words: 3", ["unknown key `max_words`"])],
)
def test_a_metric_with_options_of_its_own_is_not_named_under_standard(
    install: Install, more: str, unknown: list[str]
) -> None:
    agent = install(OPTIONS)
    agent.write_text(AGENT + f"evaluations: {{metrics: [{{type: standard, metric: acme/checks{more}}}]}}\n")
    with pytest.raises(ConfigError) as caught:
        load_suite(agent)
    [problem, *others] = caught.value.problems
    assert problem.path == "evaluations.metrics[0].metric"
    assert problem.message == "`acme/checks` is a type of its own: write {type: acme/checks}"
    assert [other.message for other in others] == unknown


def test_a_broken_plugin_that_is_not_named_costs_nothing(install: Install) -> None:
    assert run_suite_sync(load_suite(install("", "raise ImportError('no luck')"))).results[0].passed


def test_a_broken_plugin_is_fatal_where_the_user_is_strict(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLODECK_STRICT_PLUGINS", "1")
    agent = install("", "raise ImportError('no luck')")
    with pytest.raises(ConfigError, match=r"holodeck-acme 1\.0 is broken: .*ImportError: no luck"):
        load_suite(agent)


MATCHER_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_matchers():
    return [Contribution("above", "acme_checks_of_a_suite:Above", "numbers above one")]

@hookimpl
def holodeck_metrics():
    return [Contribution("pii", "acme_checks_of_a_suite:Above", "no matcher")]
"""

MATCHER = """
from holodeck_core import Matcher

class Above(Matcher):
    def __init__(self, expected, build):
        self.least = expected

    def mismatch(self, actual):
        return None if actual > self.least else f"expected above {self.least}, got {actual}"
"""

ALIASED = """
name: a
model:
  provider: scripted
  replies: [{reply: hi, calls: [{name: put, args: {n: 5, box: {deep: [5]}, own: {above: 9}}}]}]
plugins: {aliases: {above: acme/above, pii: acme/pii}}
test_cases: [{input: hi, expected_tools: [{name: put, args: ARGS}]}]
"""


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ("{n: {above: 4}}", None),
        ("{n: {above: 5}}", "arg 'n': expected above 5, got 5 (call 1)"),
        ("{n: {acme/above: 5}}", "arg 'n': expected above 5, got 5 (call 1)"),
        ("{box: {deep: [{above: 5}]}}", "arg 'box': at deep[0]: expected above 5, got 5 (call 1)"),
        ("{n: {any_of: [{above: 7}, {above: 4}]}}", None),
        ("{own: {literal: {above: 9}}}", None),
        ("{own: {literal: {above: 8}}}", "arg 'own': at above: expected 8, got 9 (call 1)"),
        # Beside another key it is a literal's.
        ("{own: {above: 9, below: 1}}", 'arg \'own\': key "below" is missing in {"above": 9} (call 1)'),
    ],
)
def test_an_alias_may_stand_for_a_matcher(install: Install, args: str, reason: str | None) -> None:
    agent = install(MATCHER, MATCHER_HOOKS)
    agent.write_text(ALIASED.replace("ARGS", args))
    [case] = run_suite_sync(load_suite(agent)).results
    [record] = case.arg_match_details or []
    assert record["unmatched_reason"] == reason


GRADER_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_graders():
    return [Contribution("polite", "acme_checks_of_a_suite:polite", "greets")]
"""

GRADER = "def polite(turn):\n    return turn.agent_response == 'hi'\n"


@pytest.mark.parametrize(
    ("grader", "message"),
    [
        ("polite", None),
        ("politer", 'or `plugin/name` for a plugin\'s; did you mean "polite"?'),
        ("other", "or `plugin/name` for a plugin's"),
        ("gone", "holodeck-acme 1.0 contributes no grader 'gone'"),
    ],
)
def test_an_alias_may_stand_for_a_grader(install: Install, grader: str, message: str | None) -> None:
    agent = install(GRADER, GRADER_HOOKS)
    aliases = "plugins: {aliases: {polite: acme/polite, gone: acme/gone}}\n"
    agent.write_text(f"{AGENT}{aliases}evaluations: {{metrics: [{{type: code, grader: {grader}}}]}}\n")
    if message is None:
        assert run_suite_sync(load_suite(agent)).results[0].passed
        return
    with pytest.raises(ConfigError) as caught:
        load_suite(agent)
    [problem] = caught.value.problems
    assert (problem.path, problem.line) == ("evaluations.metrics[0].grader", 5)
    assert message in problem.message


PANICS = """
from holodeck_core import Backend, Matcher, Metric, NoOptions

def panics(*args):
    raise BaseException("panic")

Checks = type("Checks", (Metric,), {"Options": NoOptions, "__init__": panics, "score": panics})
Above = type("Above", (Matcher,), {"__init__": panics, "mismatch": panics})
Echo = type("Echo", (Backend,), {"Options": NoOptions, "__init__": panics, "open": panics})
"""
PANIC_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl
holodeck_metrics = hookimpl(lambda: [Contribution("checks", "acme_checks_of_a_suite:Checks", "")])
holodeck_matchers = hookimpl(lambda: [Contribution("above", "acme_checks_of_a_suite:Above", "")])
holodeck_backends = hookimpl(lambda: [Contribution("echo", "acme_checks_of_a_suite:Echo", "")])
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{input: hi}", "{input: hi, evaluations: [{type: acme/checks}]}"),
        ("{input: hi}", "{input: hi, expected_tools: [{name: put, args: {n: {acme/above: 1}}}]}"),
        ("{provider: scripted, replies: [{reply: hi}]}", "{provider: acme/echo}"),
    ],
    ids=["a metric", "a matcher", "a backend"],
)
def test_a_plugin_that_raises_what_is_no_exception_is_a_mistake_at_its_place(
    install: Install, old: str, new: str
) -> None:
    agent = install(PANICS, PANIC_HOOKS)
    agent.write_text(AGENT.replace(old, new))
    with pytest.raises(ConfigError, match=r"agent\.yaml:\d+:\d+: .*BaseException: panic"):
        load_suite(agent)


def test_a_key_that_only_looks_like_a_matcher_is_told_how_it_is_written(install: Install) -> None:
    agent = install(MATCHER, MATCHER_HOOKS)
    agent.write_text(ALIASED.replace("ARGS", "{own: {text/plain: hello}}"))
    with pytest.raises(ConfigError) as caught:
        load_suite(agent)
    [problem] = caught.value.problems
    assert problem.path.endswith(".args.own.text/plain")
    assert problem.message.endswith("for a value with such a key write {literal: {…}}")
    assert "pip" not in problem.message


def test_an_alias_of_something_else_is_a_mistake_as_a_matcher(install: Install) -> None:
    agent = install(MATCHER, MATCHER_HOOKS)
    agent.write_text(ALIASED.replace("ARGS", "{own: {pii: 9}}"))
    with pytest.raises(ConfigError) as caught:
        load_suite(agent)
    [problem] = caught.value.problems
    assert problem.path.endswith(".args.own.pii")
    assert problem.message == (
        "holodeck-acme 1.0 contributes no matcher 'pii', but a metric of that name. "
        "Its matchers: above; for a value with such a key write {literal: {…}}"
    )
