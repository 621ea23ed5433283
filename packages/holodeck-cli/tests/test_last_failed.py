"""``--last-failed`` and ``--fail-fast``: less than everything."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]


def test_only_what_did_not_pass_runs_again_until_nothing_is_left(holodeck: Holodeck, logged: Any) -> None:
    def write(*wrong: str) -> None:
        logged.write(
            cases=[
                {"name": text, "input": text, "expected_tools": ["t"] if text in wrong else []}
                for text in ("a", "b", "bad", "c")
            ]
        )

    write("b", "c")
    assert holodeck("test").returncode == 1
    assert logged.sent() == ["a", "b", "bad", "c"]
    write("b")  # c is mended
    assert holodeck("test", "--last-failed").returncode == 1
    assert logged.sent() == ["b", "bad", "c"]
    assert holodeck("test", "--last-failed", "-k", "not bad").returncode == 1
    assert logged.sent() == ["b"]
    write()
    assert holodeck("test", "--last-failed").returncode == 0  # of the latest run, which was of b only
    assert logged.sent() == ["b"]
    done = holodeck("test", "--last-failed")
    assert (done.returncode, done.stdout, logged.sent()) == (3, "", [])
    assert (
        done.stderr
        == f"no test cases: --last-failed (of {logged.ids()[-1]}) selects none of 4: none of them failed in that run\n"
    )


def test_a_run_without_results_is_not_the_latest(holodeck: Holodeck, logged: Any) -> None:
    logged.write("a", "bad")
    assert holodeck("test").returncode == 1
    logged.at("kill", "a")
    assert holodeck("test").returncode == -signal.SIGKILL
    logged.never("kill")
    logged.sent()
    assert holodeck("test", "--last-failed").returncode == 3  # an error in every case
    assert logged.sent() == ["bad"]


def test_without_an_earlier_run_there_is_no_last(holodeck: Holodeck, logged: Any) -> None:
    logged.write("a")
    done = holodeck("test", "--last-failed")
    assert (done.returncode, logged.sent()) == (2, [])
    assert done.stderr == "Error: .holodeck/runs holds no run of agent.yaml that has results\n"


def test_no_case_starts_after_the_first_that_did_not_pass(
    holodeck: Holodeck, logged: Any, tmp_path: Path
) -> None:
    logged.write("a", "bad", "c", "d")
    done = holodeck("test", "--fail-fast", "-o", "report.json")
    assert (done.returncode, logged.sent()) == (1, ["a", "bad"])
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["complete"] is False
    assert [result["test_name"] for result in report["results"]] == ["a", "bad"]
    assert "incomplete, 2 of 4 cases finished: 1 passed, 0 failed, 1 errored in " in done.stdout
    assert holodeck("test", "--resume", "--fail-fast").returncode == 1  # an old failure stops nothing
    assert logged.sent() == ["c", "d"]


@pytest.mark.parametrize(
    ("texts", "code", "complete"),
    [(["a", "b"], 0, True), (["a", "bad"], 1, True), (["bad", "a"], 3, False)],
    ids=["all-passed", "the-last-one", "nothing-but-errors"],
)
def test_a_run_that_had_nothing_left_to_start_is_complete(
    holodeck: Holodeck, logged: Any, texts: list[str], code: int, complete: bool
) -> None:
    logged.write(*texts)
    done = holodeck("test", "--fail-fast")
    assert done.returncode == code
    assert ("incomplete" not in done.stdout) is complete
