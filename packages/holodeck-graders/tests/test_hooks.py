"""What this distribution contributes, and that each contribution is what its kind asks for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel

from holodeck_core import Matcher, Metric
from holodeck_core.plugins import Contribution
from holodeck_graders import hooks

MATCHERS = list(hooks.holodeck_matchers())
METRICS = list(hooks.holodeck_metrics())


def _target(contribution: Contribution) -> Any:
    module, _, name = contribution.target.partition(":")
    return getattr(importlib.import_module(module), name)


def _named(contribution: Contribution) -> str:
    return contribution.name


def test_the_names_are_these() -> None:
    assert sorted(map(_named, MATCHERS)) == sorted(
        ["fuzzy", "regex", "any_of", "unordered", "absent", "contains", "type", "approx"]
    )
    assert sorted(map(_named, METRICS)) == ["code", "equality", "numeric"]


@pytest.mark.parametrize("contribution", MATCHERS, ids=_named)
def test_each_matcher_is_one(contribution: Contribution) -> None:
    assert issubclass(_target(contribution), Matcher)


@pytest.mark.parametrize("contribution", METRICS, ids=_named)
def test_each_metric_is_one(contribution: Contribution) -> None:
    metric = _target(contribution)
    assert issubclass(metric, Metric)
    assert issubclass(metric.Options, BaseModel)


@pytest.mark.parametrize("contribution", [*MATCHERS, *METRICS], ids=_named)
def test_each_has_a_summary_of_one_line(contribution: Contribution) -> None:
    assert contribution.summary
    assert "\n" not in contribution.summary


def test_listing_them_imports_nothing_heavy() -> None:
    heavy = "'pydantic', 'holodeck_core.api', 'holodeck_graders.numbers', 'asyncio', 'subprocess'"
    script = f"import sys, holodeck_graders.hooks; print([name for name in ({heavy}) if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
