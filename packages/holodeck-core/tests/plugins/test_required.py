"""The plugins that a file requires."""

from __future__ import annotations

from typing import Any

import pytest

BETA = "install what its documentation names, holodeck-beta>=1.2 or beta>=1.2"
OTHERS = "Installed plugins: acme, bad, early, odd, off"
WHY_BAD = "cannot import holodeck_bad_hooks: ValueError: out of order"

GOOD = "@hookimpl\ndef holodeck_metrics(): return []\n"


@pytest.fixture(autouse=True)
def installed(install: Any) -> None:
    install("holodeck-acme", GOOD, version="1.2")
    install("holodeck-early", GOOD, version="2.0rc1")
    install("holodeck-odd", GOOD, version="yesterday")
    install("holodeck-graders", GOOD, version="0.1.0")
    install("holodeck-bad", "raise ValueError('out of order')")
    install("holodeck-off", GOOD)


@pytest.mark.parametrize(
    "spec", ["acme", "acme>=1.2", "acme >= 1, < 2", "holodeck-acme==1.2", "early>=1", "odd", "graders>=0.1"]
)
def test_a_requirement_that_is_met_is_no_problem(host: Any, spec: str) -> None:
    assert host().check_required([spec]) == []


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("acme>=2", "the plugin 'acme' is required as >=2, and holodeck-acme 1.2 is installed"),
        ("early>=2", "the plugin 'early' is required as >=2, and holodeck-early 2.0rc1 is installed"),
        ("odd>=1", "the plugin 'odd' is required as >=1, and holodeck-odd yesterday is installed"),
        (
            "beta>=1.2",
            f"the required plugin 'beta' is not available: no plugin 'beta' is installed; {BETA}. {OTHERS}",
        ),
        ("bad", "the required plugin 'bad' is not available: holodeck-bad 1.0 is broken: " + WHY_BAD),
        (
            "off",
            "the required plugin 'off' is not available: the plugin 'off' is disabled by plugins.disabled",
        ),
        ("acme[fast]", "'acme[fast]' is not a plugin's id with versions, like 'acme>=1.2'"),
        (
            "acme; python_version > '3'",
            "\"acme; python_version > '3'\" is not a plugin's id with versions, like 'acme>=1.2'",
        ),
        (
            "acme @ https://x.example/a",
            "'acme @ https://x.example/a' is not a plugin's id with versions, like 'acme>=1.2'",
        ),
        ("acme/pii", "'acme/pii' is not a plugin's id with versions, like 'acme>=1.2'"),
        ("", "'' is not a plugin's id with versions, like 'acme>=1.2'"),
    ],
)
@pytest.mark.parametrize("strict", ["0", "1"])
def test_a_requirement_that_is_not_met_says_why(host: Any, spec: str, problem: str, strict: str) -> None:
    plugins = host(disabled=["off"], environ={"HOLODECK_STRICT_PLUGINS": strict})
    assert plugins.check_required([spec]) == [problem]


def test_all_problems_are_told_in_the_order_of_the_requirements(host: Any) -> None:
    problems = host().check_required(["zeta", "acme", "acme>=9", "beta"])
    assert [problem.split("'")[1] for problem in problems] == ["zeta", "acme", "beta"]
