"""Suites in code and projects on disk, run from their start to their report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holodeck_core import (
    Metric,
    NoOptions,
    PluginHost,
    Reply,
    Score,
    ToolCall,
    TurnView,
    run_suite_sync,
)
from holodeck_core.testing import FakeDistribution, HolodeckProject, Outcome, case, scripted, suite

pytest_plugins = ["holodeck_core.testing.fixtures"]

HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_graders():
    return [Contribution("yes", "acme_of_a_project:yes", "always")]
"""
ACME = FakeDistribution(
    "holodeck-acme",
    modules={"acme_hooks_of_a_project.py": HOOKS, "acme_of_a_project.py": "def yes(turn): return True\n"},
)


def agent(*replies: Any, cases: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "name": "desk",
        "model": {"provider": "scripted", "replies": list(replies)},
        "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
        "test_cases": cases,
        **more,
    }


class Same(Metric):
    Options = NoOptions

    def score(self, turn: TurnView) -> Score:
        same = turn.agent_response == turn.ground_truth
        return Score(float(same), same)


class TestBuilders:
    def test_a_suite_of_code_runs_as_one_of_a_file(self) -> None:
        same = Same(NoOptions())
        built = suite(
            scripted("one", Reply("two", [ToolCall("add", {"a": (1,)}, 2)]), {"error": "lost"}),
            case("a", "b", name="first", ground_truth="one", metrics=[same]),
            case("a", ground_truth="one", metrics=[same], tags=("quick",)),
        )
        first, second = run_suite_sync(built).results
        assert first.turns is not None
        assert [turn.status for turn in first.turns] == ["passed", "failed"]
        assert first.turns[1].tool_invocations[0].args == {"a": [1]}
        assert (second.index, second.status, second.tags) == (1, "passed", ["quick"])


CASES = [
    {"name": "right", "input": "a", "ground_truth": "one"},
    {"name": "wrong", "input": "a", "ground_truth": "two"},
    {"name": "late", "turns": [{"input": "a"}, {"input": "b"}]},
]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """Of a case that passed, one that failed and one that errored in its second turn."""
    return HolodeckProject(
        {"agent.yaml": agent({"reply": "one"}, {"error": "out of order"}, cases=CASES)}
    ).run()


class TestOutcome:
    def test_what_holds_can_be_asserted_in_one_go(self, outcome: Outcome) -> None:
        outcome.assert_passed("right").assert_failed("wrong", "expected").assert_errored(
            "late", "turns[1]", "out of order"
        ).assert_counts(passed=1, failed=1, errored=1)

    @pytest.mark.parametrize(
        ("claim", "says"),
        [
            (lambda outcome: outcome.assert_passed(), "wrong did not pass:\npassed: right\nfailed: wrong\n"),
            (lambda outcome: outcome.assert_passed("rihgt"), "no case 'rihgt', but right, wrong, late"),
            (lambda outcome: outcome.assert_failed("right"), "right is passed, not failed"),
            (lambda outcome: outcome.assert_failed("late"), "late is error, not failed"),
            (lambda outcome: outcome.assert_failed("wrong", "three"), "no reason says 'three'"),
            (lambda outcome: outcome.assert_errored("wrong"), "wrong is failed, no error"),
            (
                lambda outcome: outcome.assert_counts(passed=3),
                "1 passed, 1 failed, 1 errored, not 3, 0 and 0",
            ),
            (lambda outcome: outcome.assert_refused(), "the configuration was not refused"),
        ],
    )
    def test_what_does_not_hold_says_what_happened(
        self, outcome: Outcome, claim: Callable[[Outcome], Any], says: str
    ) -> None:
        with pytest.raises(AssertionError) as caught:
            claim(outcome)
        assert says in str(caught.value)

    def test_a_refused_configuration_is_an_outcome(self) -> None:
        outcome = HolodeckProject({"agent.yaml": agent(cases=[{"inptu": "a"}])}).run()
        outcome.assert_refused("inptu", "test_cases[0]")
        with pytest.raises(AssertionError, match="no problem says 'other'"):
            outcome.assert_refused("other")
        with pytest.raises(AssertionError, match="the configuration was refused"):
            outcome.assert_passed()

    def test_no_case_is_no_pass(self) -> None:
        with pytest.raises(AssertionError, match="no case was run"):
            HolodeckProject({"agent.yaml": {**agent(cases=[])}}).run().assert_passed()


class TestProject:
    def test_modules_and_case_files_belong_to_it_and_are_forgotten(self) -> None:
        for reply in ("one", "two"):
            HolodeckProject(
                {
                    "agent.yaml": {
                        "name": "desk",
                        "model": {"provider": "python", "agent": "desk_of_a_project:answer"},
                        "test_cases_file": "cases/all.json",
                    },
                    "desk_of_a_project.py": f"def answer():\n    return lambda text: '{reply}'\n",
                    "cases/all.json": [
                        {
                            "input": "a",
                            "ground_truth": reply,
                            "evaluations": [{"type": "standard", "metric": "equality"}],
                        }
                    ],
                }
            ).run().assert_passed()
        assert "desk_of_a_project" not in sys.modules

    def test_plugins_are_installed_for_it_alone(self) -> None:
        code = [{"type": "code", "grader": "acme/yes"}]
        files = {"agent.yaml": agent({"reply": "a"}, cases=[{"input": "a", "evaluations": code}])}
        HolodeckProject(files, distributions=[ACME]).run().assert_passed()
        HolodeckProject(files).run().assert_refused("no plugin 'acme' is installed")

    async def test_it_runs_inside_a_running_loop(self) -> None:
        HolodeckProject({"agent.yaml": agent({"reply": "one"}, cases=CASES[:1])}).run().assert_passed()

    def test_settings_and_variables_are_the_tests(self) -> None:
        files = {"agent.yaml": agent({"error": "timeout"}, cases=[{"name": "${WHO}", "input": "a"}])}
        outcome = HolodeckProject(files).run(environ={"WHO": "Ada"}, settings={"llm_timeout": 0.01})
        outcome.assert_errored("Ada", "0.01 s")


class TestFixtures:
    def test_a_project_lies_in_the_folder_of_the_test(self, holodeck_project: Any, tmp_path: Path) -> None:
        holodeck_project({"agent.yaml": agent({"reply": "one"}, cases=CASES[:1])}).run().assert_passed()
        assert (tmp_path / "agent.yaml").is_file()

    def test_a_plugin_is_installed_until_the_test_ends(self, install_plugin: Any) -> None:
        install_plugin(ACME)
        assert PluginHost().grader("acme/yes").object(None) is True
