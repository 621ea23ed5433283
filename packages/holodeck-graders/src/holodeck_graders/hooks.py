"""What this distribution contributes: names only. The classes are imported when they are first used."""

from __future__ import annotations

from collections.abc import Iterable

from holodeck_core.plugins import Contribution, hookimpl

_MATCHERS = "holodeck_graders.matchers"
_METRICS = "holodeck_graders.metrics"


@hookimpl
def holodeck_matchers() -> Iterable[Contribution]:
    return [
        Contribution(
            "fuzzy", f"{_MATCHERS}.fuzzy:FuzzyMatcher", "equal, ignoring case, spaces, number spelling"
        ),
        Contribution("regex", f"{_MATCHERS}.regex:RegexMatcher", "the whole text matches a pattern"),
        Contribution("any_of", f"{_MATCHERS}.any_of:AnyOfMatcher", "one of several alternatives matches"),
        Contribution("unordered", f"{_MATCHERS}.unordered:UnorderedMatcher", "a list in any order"),
        Contribution("absent", f"{_MATCHERS}.absent:AbsentMatcher", "the argument is not given"),
        Contribution(
            "contains", f"{_MATCHERS}.contains:ContainsMatcher", "a text, list or mapping contains a part"
        ),
        Contribution("type", f"{_MATCHERS}.type:TypeMatcher", "any value of one JSON type"),
        Contribution("approx", f"{_MATCHERS}.approx:ApproxMatcher", "a number within a tolerance"),
    ]


@hookimpl
def holodeck_metrics() -> Iterable[Contribution]:
    return [
        Contribution("equality", f"{_METRICS}.equality:EqualityMetric", "the answer is the expected text"),
        Contribution("numeric", f"{_METRICS}.numeric:NumericMetric", "the answer is the expected number"),
        Contribution("code", f"{_METRICS}.code:CodeGraderMetric", "a Python function grades the turn"),
    ]
