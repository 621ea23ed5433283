"""What can never fail, or never pass, is told as a warning; ``validate --strict`` counts it as a problem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

import holodeck_cli.loading
from holodeck_cli.main import main
from holodeck_core import Problem, Suite, load_suite

AGENT = """
name: a
model: {provider: scripted, replies: [{reply: hi}]}
test_cases: [{name: bare, input: hi, expected_tools: []}]
"""


@pytest.fixture
def warn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give the suite of the agent file some warnings."""
    (tmp_path / "agent.yaml").write_text(AGENT)
    monkeypatch.chdir(tmp_path)

    def give(*warnings: Problem) -> None:
        def load(*args: Any, **more: Any) -> Suite:
            return attrs.evolve(load_suite(*args, **more), warnings=warnings)

        monkeypatch.setattr(holodeck_cli.loading, "load_suite", load)

    return give


BARE = Problem("nothing is checked\x1b[2J", "agent.yaml", 4, 15, 'test_cases[0] "bare"', "test_cases: [{name")


@pytest.mark.parametrize(
    ("args", "code"),
    [(["validate"], 0), (["validate", "--strict"], 2), (["test"], 0)],
    ids=["validate", "validate-strict", "test"],
)
def test_a_warning_counts_only_where_it_is_asked_to(
    warn: Any, capsys: pytest.CaptureFixture[str], args: list[str], code: int
) -> None:
    warn(BARE)
    assert main(args) == code
    told = capsys.readouterr().err
    assert told.startswith('warning: agent.yaml:4:15: test_cases[0] "bare": nothing is checked\n')
    assert "\x1b" not in told


def test_validate_counts_warnings(warn: Any, capsys: pytest.CaptureFixture[str]) -> None:
    warn(BARE, BARE)
    main(["validate"])
    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1] == "2 warnings in agent.yaml"
    assert shown.out == "agent.yaml: valid, 1 case\n"


@pytest.mark.parametrize(("args", "valid"), [([], True), (["--strict"], False)], ids=["lenient", "strict"])
def test_json_holds_warnings_as_data(
    warn: Any, capsys: pytest.CaptureFixture[str], args: list[str], valid: bool
) -> None:
    warn(BARE)
    main(["validate", "--json", *args])
    found = json.loads(capsys.readouterr().out)
    assert (found["valid"], found["cases"], found["problems"]) == (valid, 1, [])
    assert [warning["line"] for warning in found["warnings"]] == [4]


def test_of_many_warnings_a_run_shows_the_first(warn: Any, capsys: pytest.CaptureFixture[str]) -> None:
    warn(*[Problem(f"number {number}", "agent.yaml") for number in range(25)])
    assert main(["test"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [
        *(f"warning: agent.yaml: number {number}" for number in range(20)),
        "5 more warnings; holodeck validate shows all",
    ]


@pytest.mark.parametrize(
    ("args", "code"),
    [(["validate"], 0), (["validate", "--strict"], 2), (["test"], 0)],
    ids=["validate", "validate-strict", "test"],
)
def test_a_case_that_checks_nothing_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: list[str],
    code: int,
) -> None:
    (tmp_path / "agent.yaml").write_text(AGENT.replace(", expected_tools: []", ""))
    monkeypatch.chdir(tmp_path)
    assert main(args) == code
    shown = capsys.readouterr()
    assert shown.err.startswith('warning: agent.yaml:4:14: test_cases[0] "bare": nothing is checked')
    assert ("valid" in shown.out) == (args == ["validate"])
