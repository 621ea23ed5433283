"""``holodeck runs``: what is kept, and what of it is removed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_cli.kept_runs import old_runs
from holodeck_core.engine.run_folder import RunFolder
from holodeck_core.models import RunHead

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
Launch: TypeAlias = Callable[..., "subprocess.Popen[str]"]


def make_run(runs: Path, run_id: str, days: float, **more: Any) -> Path:
    """A run that began so many days ago."""
    folder = runs / run_id
    folder.mkdir(parents=True)
    head = {
        "run_id": run_id,
        "agent_name": "desk",
        "started_at": (datetime.now(UTC) - timedelta(days=days)).isoformat(),
        "holodeck_version": "0.1.0",
        **more,
    }
    (folder / "run.json").write_text(json.dumps(head))
    (folder / "results.jsonl").write_text("")
    (folder / "lock").write_text("")
    return folder


def listed(holodeck: Holodeck, *args: str) -> list[dict[str, Any]]:
    done = holodeck("runs", "list", "--json", *args)
    assert (done.returncode, done.stderr) == (0, "")
    runs: list[dict[str, Any]] = json.loads(done.stdout)["runs"]
    return runs


def test_runs_are_listed_with_what_became_of_them(holodeck: Holodeck, logged: Any, launch: Launch) -> None:
    logged.write("a", "bad", "c", "d")
    assert holodeck("test").returncode == 1
    logged.at("kill", "c")
    assert holodeck("test").returncode == -signal.SIGKILL
    logged.never("kill")
    logged.sent()
    logged.at("hold", "c")
    process = launch("test")
    logged.wait_for("c")

    first, second, third = logged.ids()
    runs = listed(holodeck)
    facts = ("run_id", "complete", "live", "total", "finished", "passed", "failed", "errored")
    assert [tuple(run[fact] for fact in facts) for run in runs] == [
        (third, False, True, 4, 2, 1, 1, 1),
        (second, False, False, 4, 2, 1, 1, 1),
        (first, True, False, 4, 4, 3, 1, 1),
    ]
    assert {run["agent_name"] for run in runs} == {"desk"}
    assert runs[0]["path"] == str(logged.runs / third)
    assert runs[2]["finished_at"] > runs[2]["started_at"]

    shown = holodeck("runs", "list", env={"TZ": "UTC"}).stdout.splitlines()
    assert shown[0].split() == ["run", "agent", "started", "state", "results"]
    assert [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "WHEN", line) for line in shown[1:]] == [
        f"{third}  desk   WHEN  running     1 passed, 0 failed, 1 errored, 2 missing",
        f"{second}  desk   WHEN  incomplete  1 passed, 0 failed, 1 errored, 2 missing",
        f"{first}  desk   WHEN  complete    3 passed, 0 failed, 1 errored",
    ]
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert [run["live"] for run in listed(holodeck)] == [False, False, False]


def test_what_was_lost_of_a_run_since_its_end_is_missing_in_the_list(holodeck: Holodeck, logged: Any) -> None:
    logged.write("a", "b", "c")
    assert holodeck("test").returncode == 0
    [run] = logged.runs.iterdir()
    kept = (run / "results.jsonl").read_bytes().splitlines(keepends=True)
    (run / "results.jsonl").write_bytes(kept[0] + b"lost\n" + kept[2])
    [row] = holodeck("runs", "list").stdout.splitlines()[1:]
    assert row.split("  ")[-2:] == ["incomplete", "2 passed, 0 failed, 1 missing"]


def test_the_list_of_nothing(holodeck: Holodeck, tmp_path: Path) -> None:
    assert holodeck("runs", "list").stdout == "no runs in .holodeck/runs\n"
    assert holodeck("runs", "list", "--run-dir", "away").stdout == "no runs in away\n"
    assert listed(holodeck) == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_run_is_passed_over_what_cannot_be_read_is_told_and_all_is_made_safe(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    make_run(runs, "one", 1, agent_name="de\x1b[31msk\nx")
    for name, text in {"a": "", "b": "[]", "c": "{}", "d": '{"run_id": "d"}', "e": "[" * 9999}.items():
        (runs / name).mkdir()
        (runs / name / "run.json").write_text(text)
    make_run(runs, "later", 1, schema_version=2)
    (runs / "file").write_text("")
    (runs / "empty").mkdir()
    make_run(runs, "odd", 0.5)
    turn = {"input": "a", "status": "passed", "execution_time_ms": 0, "metric_results": [3]}
    odd = {"index": 0, "status": "passed", "checked": True, "multi_turn": True, "turns": [turn]}
    (runs / "odd" / "results.jsonl").write_text(json.dumps(odd) + "\n")
    done = holodeck("runs", "list", "--run-dir", "runs")
    assert done.returncode == 0
    *damaged, later = done.stderr.splitlines()
    told = [line.split("/run.json does not describe a run: ")[0] for line in damaged]
    assert told == [f"warning: {runs / name}" for name in ("a", "b", "c", "d", "e")]
    assert later == f"warning: {runs}/later/run.json was written by a later version of HoloDeck"
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["run", "odd", "one"]
    assert " desk x " in done.stdout
    assert "cannot be read" in done.stdout


def test_a_place_where_nobody_can_look_is_told(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("no folder")
    done = holodeck("runs", "list", "--run-dir", "runs")
    told = f"warning: {tmp_path}/runs cannot be read: Not a directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "no runs in runs\n", told)


AGES = {"oldest": 30, "old": 20, "recent": 3, "new": 0.1}


@pytest.mark.parametrize(
    ("keep", "older_than", "old"),
    [
        (2, None, ["oldest", "old"]),
        (0, None, ["oldest", "old", "recent", "new"]),
        (9, None, []),
        (None, 5, ["oldest", "old"]),
        (None, 25, ["oldest"]),
        (None, 0, ["oldest", "old", "recent", "new"]),
        (3, 5, ["oldest"]),
        (1, 25, ["oldest"]),
    ],
)
def test_which_runs_are_old(keep: int | None, older_than: int | None, old: list[str]) -> None:
    now = datetime.now(UTC)
    runs = [
        RunFolder(
            Path(name),
            RunHead(
                run_id=name,
                agent_name="desk",
                started_at=now - timedelta(days=days),
                holodeck_version="0.1.0",
            ),
        )
        for name, days in AGES.items()
    ]
    age = None if older_than is None else timedelta(days=older_than)
    assert [run.path.name for run in old_runs(runs, keep, age, now)] == old


@pytest.mark.parametrize("args", [["--keep", "2"], ["--older-than", "5"]], ids=" ".join)
def test_old_runs_are_removed_and_that_is_said(holodeck: Holodeck, tmp_path: Path, args: list[str]) -> None:
    runs = tmp_path / ".holodeck" / "runs"
    for name, days in AGES.items():
        make_run(runs, name, days)
    dry = holodeck("runs", "prune", *args, "--dry-run")
    assert (dry.returncode, dry.stdout) == (0, "would remove oldest\nwould remove old\n")
    assert {path.name for path in runs.iterdir()} == set(AGES)
    done = holodeck("runs", "prune", *args)
    assert (done.returncode, done.stdout) == (0, "removed oldest\nremoved old\n")
    assert {path.name for path in runs.iterdir()} == {"recent", "new"}
    assert holodeck("runs", "prune", *args).stdout == "nothing was removed\n"


def test_a_run_that_is_going_on_stays(holodeck: Holodeck, logged: Any, launch: Launch) -> None:
    logged.write("a", "b")
    logged.at("hold", "b")
    process = launch("test")
    logged.wait_for("b")
    [run] = logged.ids()
    done = holodeck("runs", "prune", "--keep", "0")
    assert (done.returncode, done.stdout) == (
        0,
        f"{run} is still running and was not removed\nnothing was removed\n",
    )
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert holodeck("runs", "prune", "--keep", "0").stdout == f"removed {run}\n"
    assert list(logged.runs.iterdir()) == []


def test_only_what_a_run_wrote_is_removed(holodeck: Holodeck, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "runs", "one", 9)
    (folder / "notes.txt").write_text("mine")
    elsewhere = make_run(tmp_path / "elsewhere", "two", 8)
    (elsewhere / "notes.txt").write_text("mine")
    (tmp_path / "runs" / "link").symlink_to(elsewhere)
    assert holodeck("runs", "prune", "--keep", "0", "--run-dir", "runs").returncode == 0
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert (elsewhere / "notes.txt").read_text() == "mine"
    assert holodeck("runs", "list", "--run-dir", "runs").stdout == "no runs in runs\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may remove everything")
def test_a_run_that_cannot_be_removed_is_told(holodeck: Holodeck, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "runs", "one", 9)
    folder.chmod(0o500)
    done = holodeck("runs", "prune", "--keep", "0", "--run-dir", "runs")
    folder.chmod(0o700)
    assert done.returncode == 3
    assert "error: the run one cannot be removed: Permission denied" in done.stderr


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["prune"], "Error: say which runs are old, with --keep N or --older-than DAYS\n"),
        (["prune", "--keep", "-1"], "Invalid value for '--keep'"),
        (["prune", "--older-than", "x"], "Invalid value for '--older-than'"),
        (["lst"], "No such command 'lst'"),
        ([], "Usage: holodeck runs"),
    ],
    ids=" ".join,
)
def test_a_mistake_removes_nothing(holodeck: Holodeck, tmp_path: Path, args: list[str], told: str) -> None:
    make_run(tmp_path / ".holodeck" / "runs", "one", 9)
    done = holodeck("runs", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert (tmp_path / ".holodeck" / "runs" / "one" / "run.json").exists()


def test_columns_stand_below_each_other_whatever_an_agent_is_called(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    for run_id, name in (("a", "desk"), ("b", "汇率台"), ("c", "cafe\u0301")):
        make_run(tmp_path / ".holodeck" / "runs", run_id, 1, agent_name=name)
    rows = holodeck("runs", "list").stdout.splitlines()
    before = [row[: re.search(r"started|\d{4}-", row).start()] for row in rows]  # type: ignore[union-attr]
    assert before == ["run  agent   ", "c    cafe\u0301    ", "b    汇率台  ", "a    desk    "]
