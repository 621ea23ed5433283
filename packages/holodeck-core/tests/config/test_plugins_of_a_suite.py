"""What a suite demands of the plugins that are installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holodeck_core import ConfigError, load_suite, run_suite_sync
from holodeck_core.testing.fake_distribution import FakeDistribution

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
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs a plugin that contributes a metric, or whatever its hooks module holds."""

    def install(metric: str, hooks: str = HOOKS) -> Path:
        site = tmp_path / "site"
        modules = {"acme_hooks_of_a_suite.py": hooks, "acme_checks_of_a_suite.py": metric}
        points = {"acme": "acme_hooks_of_a_suite"}
        FakeDistribution("holodeck-acme", entry_points=points, modules=modules).install(site)
        monkeypatch.syspath_prepend(site)
        for module in ("acme_hooks_of_a_suite", "acme_checks_of_a_suite"):
            monkeypatch.delitem(sys.modules, module, raising=False)
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


def test_a_broken_plugin_that_is_not_named_costs_nothing(install: Install) -> None:
    assert run_suite_sync(load_suite(install("", "raise ImportError('no luck')"))).results[0].passed


def test_a_broken_plugin_is_fatal_where_the_user_is_strict(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLODECK_STRICT_PLUGINS", "1")
    agent = install("", "raise ImportError('no luck')")
    with pytest.raises(ConfigError, match=r"holodeck-acme 1\.0 is broken: .*ImportError: no luck"):
        load_suite(agent)
