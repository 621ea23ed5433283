"""``metric: equality``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import EvaluationMetric, Score
from holodeck_graders.metrics.equality import EqualityMetric

Equality = Callable[..., Score]


@pytest.mark.parametrize(
    ("response", "ground_truth", "flags", "passes"),
    [
        ("Paris", "Paris", {}, True),
        ("paris", "Paris", {}, False),
        ("Paris ", "Paris", {}, False),
        ("Paris.", "Paris", {}, False),
        ("", "x", {}, False),
        ("1", "0", {}, False),
        ("cafe\u0301", "caf\u00e9", {}, False),
        ("paris", "PARIS", {"case_insensitive": True}, True),
        ("STRASSE", "straße", {"case_insensitive": True}, False),  # lower case, not case folding
        ("GROSSE ÄRGERNISSE", "große Ärgernisse".replace("ß", "ss"), {"case_insensitive": True}, True),
        (" a\u00a0 b\n", "a b", {"strip_whitespace": True}, True),
        ("a\u00a0b", "a b", {}, False),
        ("ab", "a b", {"strip_whitespace": True}, False),
        ("**Paris**", "Paris", {"strip_punctuation": True}, True),
        ("$Paris$", "Paris", {"strip_punctuation": True}, True),
        ("C", "C++", {"strip_punctuation": True}, True),
        ("Paris , France", "paris france", {"strip_punctuation": True, "case_insensitive": True}, False),
        (
            "Paris , France",
            "paris france",
            {"strip_punctuation": True, "case_insensitive": True, "strip_whitespace": True},
            True,
        ),
        ("5", "-5", {"strip_punctuation": True}, False),
        ("314", "3.14", {"strip_punctuation": True}, False),
        ("1e5", "1e-5", {"strip_punctuation": True}, False),
        ("$9.540", "$8.540", {"strip_punctuation": True, "strip_whitespace": True}, False),
        ("-5.", "-5", {"strip_punctuation": True}, True),
    ],
)
def test_text_is_equal_after_what_the_flags_take_away(
    equality: Equality, response: str, ground_truth: str, flags: dict[str, bool], passes: bool
) -> None:
    score = equality(response, ground_truth, **flags)
    assert (score.value, score.passed) == ((1.0, True) if passes else (0.0, False))


@pytest.mark.parametrize(
    ("response", "ground_truth", "reason"),
    [
        (
            "1",
            "0",
            (
                'expected "0", got "1": they differ from character 1 on, "0" U+0030 against "1" U+0031 '
                "(compared character by character)"
            ),
        ),
        (
            "cafe\u0301",
            "caf\u00e9",
            (
                'expected "café", got "cafe\\u0301": they differ from character 4 on, "é" U+00E9 against "e" U+0065 '
                "(compared character by character)"
            ),
        ),
        (
            "Paris",
            "Pari",
            (
                'expected "Pari", got "Paris": they differ from character 5 on, the end against "s" U+0073 '
                "(compared character by character)"
            ),
        ),
    ],
)
def test_the_reason_says_expected_got_and_where_they_differ(
    equality: Equality, response: str, ground_truth: str, reason: str
) -> None:
    assert equality(response, ground_truth).reason == reason


@pytest.mark.parametrize("response", ["Paris!", "Rome"])
def test_the_flags_that_were_on_are_on_record_either_way(equality: Equality, response: str) -> None:
    reason = equality(response, "paris", case_insensitive=True, strip_punctuation=True).reason
    assert reason is not None
    assert "with case_insensitive, strip_punctuation" in reason


def test_a_pass_without_flags_needs_no_reason(equality: Equality) -> None:
    assert equality("a", "a").reason is None


def test_look_alikes_are_told_apart(equality: Equality) -> None:
    reason = equality("\u0430bc", "abc").reason
    assert reason is not None
    assert "U+0061" in reason
    assert "U+0430" in reason


@pytest.mark.parametrize(
    ("response", "ground_truth", "passes"),
    [
        ('{"blocked": false}', "false", True),
        ('{"blocked": false}', "False", False),
        ('{"blocked": null}', "null", True),
        ('{"blocked": "yes"}', "yes", True),
        ('{"blocked": 0}', "0", True),
        ('{"blocked": 1.50}', "1.50", True),
        ('{"other": 1}', "1", False),
        ("no JSON", "no JSON", False),
    ],
)
def test_response_path_reads_one_value(
    equality: Equality, response: str, ground_truth: str, passes: bool
) -> None:
    assert equality(response, ground_truth, response_path="blocked").passed is passes


def test_both_spellings_are_shown(equality: Equality) -> None:
    reason = equality('{"blocked": false}', "False", response_path="blocked").reason
    assert str(reason).startswith('expected "False", got "false"')


def test_a_turn_without_ground_truth_is_skipped(equality: Equality) -> None:
    score = equality("x", None)
    assert (score.value, score.passed) == (None, None)
    assert score.reason


def test_it_needs_a_ground_truth_and_no_thread() -> None:
    metric = EqualityMetric(EvaluationMetric(metric="equality"))
    assert metric.needs == {"ground_truth"}
    assert not metric.blocking
    assert EqualityMetric.Options is EvaluationMetric


_FLAGS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("case_insensitive", "strip_whitespace", "strip_punctuation"), st.booleans())
)


@given(st.text(), st.text(), _FLAGS)
def test_a_score_is_given_to_any_two_texts(
    equality: Equality, left: str, right: str, flags: dict[str, Any]
) -> None:
    there, back = equality(left, right, **flags), equality(right, left, **flags)
    assert there.passed == back.passed
    assert equality(left, left, **flags).passed is True
    if there.passed is False:
        assert there.reason
