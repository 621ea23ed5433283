from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter

from holodeck_core.models.evaluation import (
    CodeMetric,
    EvaluationConfig,
    EvaluationMetric,
    GEvalMetric,
    MetricType,
    PluginMetric,
    RAGMetric,
)

Problems = Callable[[Any, Any], list[tuple[str, str]]]
Places = Callable[[Any, Any], list[str]]


def read(value: Any) -> Any:
    return TypeAdapter(MetricType).validate_python(value)


@pytest.mark.parametrize(
    ("value", "model", "name"),
    [
        ({"type": "standard", "metric": "equality"}, EvaluationMetric, "equality"),
        ({"type": "standard", "metric": "numeric", "name": "close"}, EvaluationMetric, "close"),
        ({"type": "geval", "criteria": "is polite"}, GEvalMetric, "geval"),
        ({"type": "geval", "criteria": "is polite", "name": "polite"}, GEvalMetric, "polite"),
        ({"type": "rag", "metric_type": "faithfulness"}, RAGMetric, "faithfulness"),
        ({"type": "code", "grader": "graders.sql:same_rows"}, CodeMetric, "same_rows"),
        ({"type": "code", "grader": "acme/sql"}, CodeMetric, "acme/sql"),
        ({"type": "code", "grader": "m:f", "name": "rows"}, CodeMetric, "rows"),
        ({"type": "acme/pii", "strict": True}, PluginMetric, "acme/pii"),
        ({"type": "bleu"}, PluginMetric, "bleu"),
    ],
    ids=repr,
)
def test_the_type_decides_the_model_and_the_name_falls_back(value: Any, model: Any, name: str) -> None:
    metric = read(value)
    assert type(metric) is model
    assert metric.metric_name == name
    assert read(metric.model_dump()) == metric


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ({"metric": "equality"}, "needs a `type`"),
        ({"type": None, "metric": "equality"}, "needs a `type`"),
        ({"type": 5}, "needs a `type`"),
        ({"type": ["standard"]}, "needs a `type`"),
        ("equality", "a metric is a mapping"),
        (None, "a metric is a mapping"),
    ],
    ids=repr,
)
def test_a_metric_without_a_type_is_one_clear_error(problems: Problems, value: Any, hint: str) -> None:
    [(place, message)] = problems(MetricType, value)
    assert place == ""
    assert hint in message


class TestEvaluationMetric:
    def test_defaults(self) -> None:
        assert EvaluationMetric(metric="numeric").model_dump() == {
            "type": "standard",
            "metric": "numeric",
            "name": None,
            "threshold": None,
            "enabled": True,
            "fail_on_error": False,
            "scale": None,
            "model": None,
            "retry_on_failure": None,
            "timeout_ms": None,
            "custom_prompt": None,
            "case_insensitive": False,
            "strip_whitespace": False,
            "strip_punctuation": False,
            "absolute_tolerance": 1e-6,
            "relative_tolerance": 0.0,
            "accept_percent": False,
            "accept_thousands_separators": False,
            "accept_currency": False,
            "accept_parentheses": False,
            "extract": None,
            "response_path": None,
        }

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"metric": ""}, "metric"),
            ({"name": ""}, "name"),
            ({"threshold": float("nan")}, "threshold"),
            ({"threshold": True}, "threshold"),
            ({"enabled": "maybe"}, "enabled"),
            ({"scale": 0}, "scale"),
            ({"retry_on_failure": -1}, "retry_on_failure"),
            ({"timeout_ms": 0}, "timeout_ms"),
            ({"absolute_tolerance": -1e-9}, "absolute_tolerance"),
            ({"absolute_tolerance": float("inf")}, "absolute_tolerance"),
            ({"absolute_tolerance": float("nan")}, "absolute_tolerance"),
            ({"absolute_tolerance": True}, "absolute_tolerance"),
            ({"relative_tolerance": -1}, "relative_tolerance"),
            ({"relative_tolerance": float("inf")}, "relative_tolerance"),
            ({"extract": "all"}, "extract"),
            ({"response_path": ""}, "response_path"),
            ({"ignore_case": True}, "ignore_case"),
            ({"model": {"name": "m"}}, "model.provider"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(MetricType, {"type": "standard", "metric": "numeric", **keys}) == [place]

    @pytest.mark.parametrize("metric", ["equality", "numeric"])
    def test_a_model_is_tolerated_where_it_has_no_effect(self, places: Places, metric: str) -> None:
        assert (
            places(MetricType, {"type": "standard", "metric": metric, "model": {"provider": "openai"}}) == []
        )

    def test_numbers_may_come_from_a_variable(self) -> None:
        assert (
            read({"type": "standard", "metric": "numeric", "absolute_tolerance": "1e-3"}).absolute_tolerance
            == 1e-3
        )


class TestGEvalMetric:
    def test_defaults(self) -> None:
        metric = GEvalMetric(criteria="is polite")
        assert (metric.type, metric.strict_mode, metric.threshold) == ("geval", False, None)
        assert (metric.evaluation_steps, metric.evaluation_params) == (None, ["actual_output"])

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"criteria": ""}, "criteria"),
            ({"criteria": None}, "criteria"),
            ({"evaluation_steps": []}, "evaluation_steps"),
            ({"evaluation_params": []}, "evaluation_params"),
            ({"strict": True}, "strict"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(MetricType, {"type": "geval", "criteria": "is polite", **keys}) == [place]


class TestRAGMetric:
    def test_defaults(self) -> None:
        metric = RAGMetric(metric_type="faithfulness")
        assert (metric.threshold, metric.include_reason, metric.enabled, metric.fail_on_error) == (
            0.5,
            True,
            True,
            False,
        )

    @pytest.mark.parametrize(
        "kind",
        [
            "faithfulness",
            "answer_relevancy",
            "contextual_precision",
            "contextual_recall",
            "contextual_relevancy",
        ],
    )
    def test_kinds(self, places: Places, kind: str) -> None:
        assert places(MetricType, {"type": "rag", "metric_type": kind}) == []

    @pytest.mark.parametrize("keys", [{}, {"metric_type": "recall"}], ids=repr)
    def test_needs_one_of_them(self, places: Places, keys: dict[str, Any]) -> None:
        assert places(MetricType, {"type": "rag", **keys}) == ["metric_type"]


class TestCodeMetric:
    def test_defaults(self) -> None:
        assert CodeMetric(grader="m:f").model_dump() == {
            "type": "code",
            "grader": "m:f",
            "name": None,
            "threshold": None,
            "enabled": True,
            "fail_on_error": False,
            "timeout_s": 30.0,
        }

    @pytest.mark.parametrize("grader", ["m:f", "a.b.c:f_2", "acme/sql_equivalence", "sql"])
    def test_a_grader_is_a_callable_a_plugins_name_or_an_alias(self, grader: str) -> None:
        assert CodeMetric(grader=grader).grader == grader

    @pytest.mark.parametrize(
        "grader",
        ["", "F", "m:", ":f", "m.f", "m:f:g", "m:f.g", "m:f()", "a-b:f", "m:f\n", "acme/", "Acme/x", "a/b/c"],
    )
    def test_anything_else_is_an_error(self, places: Places, grader: str) -> None:
        assert places(MetricType, {"type": "code", "grader": grader}) == ["grader"]

    @pytest.mark.parametrize("timeout", [0, -1, float("inf"), True])
    def test_the_timeout_is_positive_and_finite(self, places: Places, timeout: Any) -> None:
        assert places(MetricType, {"type": "code", "grader": "m:f", "timeout_s": timeout}) == ["timeout_s"]

    def test_the_resolved_callable_stays_on_the_model_and_out_of_files(self) -> None:
        assert CodeMetric(grader="m:f").callable is None
        metric = CodeMetric(grader="m:f")
        metric.bind(len)
        assert metric.callable is len
        assert metric.model_dump() == CodeMetric(grader="m:f").model_dump()
        assert "len" not in metric.model_dump_json() + repr(metric)


class TestPluginMetric:
    def test_keeps_the_options_for_the_plugin_to_check(self) -> None:
        metric = read({"type": "acme/pii", "name": "pii", "threshold": 1, "kinds": ["email"], "metric": "x"})
        assert metric.options == {"kinds": ["email"], "metric": "x"}
        assert (metric.name, metric.threshold, metric.enabled, metric.fail_on_error) == (
            "pii",
            1.0,
            True,
            False,
        )

    def test_checks_the_common_keys(self, places: Places) -> None:
        assert places(MetricType, {"type": "acme/pii", "threshold": "high", "enabled": 7}) == [
            "threshold",
            "enabled",
        ]


class TestNamesAtOneLevel:
    @pytest.mark.parametrize(
        "metrics",
        [
            [{"type": "standard", "metric": "numeric"}, {"type": "standard", "metric": "numeric"}],
            [{"type": "standard", "metric": "numeric"}, {"type": "code", "grader": "m:numeric"}],
            [{"type": "code", "grader": "m:f"}, {"type": "code", "grader": "n:f"}],
            [{"type": "rag", "metric_type": "faithfulness"}, {"type": "acme/x", "name": "faithfulness"}],
            [{"type": "acme/x"}, {"type": "acme/x", "option": 1}],
            [EvaluationMetric(metric="numeric"), {"type": "standard", "metric": "numeric"}],
        ],
        ids=repr,
    )
    def test_must_differ(self, problems: Problems, metrics: list[Any]) -> None:
        [(place, message)] = problems(EvaluationConfig, {"metrics": metrics})
        assert place == "metrics[1]"
        assert "give each a `name` of its own" in message

    @pytest.mark.parametrize(
        "metrics",
        [
            [
                {"type": "standard", "metric": "numeric"},
                {"type": "standard", "metric": "numeric", "name": "close"},
            ],
            [
                {"type": "standard", "metric": "numeric"},
                {"type": "standard", "metric": "numeric", "enabled": False},
            ],
            [
                {"type": "geval", "criteria": "a", "name": "a"},
                {"type": "geval", "criteria": "b", "name": "b"},
            ],
        ],
        ids=repr,
    )
    def test_may_be_the_same_metric_under_another_name_or_switched_off(
        self, places: Places, metrics: list[Any]
    ) -> None:
        assert places(EvaluationConfig, {"metrics": metrics}) == []

    def test_are_reported_together_with_other_mistakes(self, places: Places) -> None:
        metrics = [{"type": "bleu"}, {"type": "bleu"}, {"type": "standard"}]
        assert places(EvaluationConfig, {"metrics": metrics}) == ["metrics[1]", "metrics[2].metric"]


def test_an_agents_evaluations_hold_a_model_and_metrics() -> None:
    config = EvaluationConfig.model_validate(
        {
            "model": {"provider": "openai", "name": "judge"},
            "metrics": [{"type": "geval", "criteria": "is polite"}],
        }
    )
    assert config.model is not None
    assert config.model.name == "judge"
    assert EvaluationConfig() == EvaluationConfig(model=None, metrics=[])
