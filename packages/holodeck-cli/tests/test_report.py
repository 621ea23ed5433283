"""``holodeck report``: a run that is kept, shown and written once more, without its agent."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from holodeck_core.testing.fake_distribution import FakeDistribution

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
Launch: TypeAlias = Callable[..., "subprocess.Popen[str]"]

CASES: list[dict[str, Any]] = [
    {"name": "good", "input": "hi", "expected_tools": ["greet"]},
    {
        "name": "bad",
        "turns": [
            {"input": "hi", "expected_tools": ["greet"]},
            {"input": "bye", "expected_tools": ["leave"]},
        ],
    },
    {"input": "break"},
    {"name": "said\x1b[2J \u202eevil", "input": "bye", "ground_truth": "no", "expected_tools": []},
]
REPLIES: list[dict[str, Any]] = [
    {"input": "hi", "reply": "hello", "calls": [{"name": "greet", "args": {"who": "you"}, "result": "ok"}]},
    {"input": "bye", "reply": "so\x1b]0;x\x07 long"},
    {"input": "break", "error": "out of order"},
]
AGENT = {
    "name": "desk",
    "model": {"provider": "scripted", "replies": REPLIES},
    "evaluations": {"metrics": [{"type": "standard", "metric": "equality"}]},
    "test_cases": CASES,
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What ``test`` showed and wrote of one run, and the folder with that run; the agent is gone."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "agent.yaml").write_text(json.dumps(AGENT))
    shown = {}
    for args in ("-v", "-q", ""):
        done = subprocess.run(
            [sys.executable, "-m", "holodeck_cli", "test", "-o", "report.json", *args.split()],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 1, done.stderr
        shown[args] = done.stdout
    (folder / "agent.yaml").unlink()
    return {"folder": folder, "shown": shown, "report": (folder / "report.json").read_bytes()}


@pytest.fixture
def again(kept: dict[str, Any], holodeck: Holodeck, tmp_path: Path) -> Holodeck:
    """Runs ``holodeck`` where the run is kept."""
    (tmp_path / ".holodeck").symlink_to(kept["folder"] / ".holodeck")
    return holodeck


def timeless(text: str) -> str:
    return re.sub(r"\d+(\.\d+)? m?s\b", "T", text)


@pytest.mark.parametrize("args", ["-v", "-q", ""])
def test_a_run_is_shown_as_it_was_shown_before(kept: dict[str, Any], again: Holodeck, args: str) -> None:
    done = again("report", *args.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert timeless(done.stdout) == timeless(kept["shown"][args])
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("args", "where"),
    [
        (["--format", "json"], None),
        (["-o", "r.json"], "r.json"),
        (["last", "--format", "json", "-o", "r.txt"], "r.txt"),
    ],
    ids=["standard-output", "suffix", "format"],
)
def test_a_report_is_the_one_that_was_written_before_to_the_byte(
    kept: dict[str, Any], again: Holodeck, tmp_path: Path, args: list[str], where: str | None
) -> None:
    done = again("report", *args)
    assert (done.returncode, done.stderr) == (0, "")
    if where is None:
        assert done.stdout.encode() == kept["report"]
    else:
        assert (tmp_path / where).read_bytes() == kept["report"]
        assert done.stdout == f"wrote {where}\n"


@pytest.mark.usefixtures("kept")
def test_a_report_on_standard_output_has_it_for_itself(again: Holodeck, tmp_path: Path) -> None:
    done = again("report", "--format", "json", "-o", "-", "-o", "r.md")
    assert json.loads(done.stdout)["agent_name"]
    assert done.stderr == "wrote r.md\n"


def test_a_plugin_can_write_the_report(again: Holodeck, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    hooks = """
from holodeck_core.plugins import Contribution, hookimpl
@hookimpl
def holodeck_reporters():
    return [Contribution(name, "acme_report:" + name.title(), "") for name in ("events", "fails")]
"""
    reporter = """
from holodeck_core import Reporter
class Events(Reporter):
    def __init__(self, options, output=None):
        super().__init__(options, output)
        self.seen = []
    def run_started(self, event): self.seen.append(f"run of {event.total}")
    def case_started(self, event): self.seen.append(f"case {event.index} {event.turns}")
    def turn_finished(self, event): self.seen.append(f"turn {event.turn_index} {event.status}")
    def case_finished(self, event): self.seen.append(f"{event.status} {event.read().index}")
    def run_finished(self, event):
        self.output.write_text("\\n".join([*self.seen, f"{event.complete} {len(list(event.results()))}"]))
class Fails(Reporter):
    def run_finished(self, event): raise ValueError("no\\x1b[31m ink")
"""
    FakeDistribution("holodeck-acme", modules={"acme_hooks.py": hooks, "acme_report.py": reporter}).install(
        site
    )
    done = again("report", "--format", "acme/events", "-o", "events", env={"PYTHONPATH": str(site)})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "events").read_text().splitlines() == [
        "run of 4",
        *("case 0 1", "turn 0 passed", "passed 0"),
        *("case 1 2", "turn 0 passed", "turn 1 failed", "failed 1"),
        *("case 2 1", "turn 0 error", "error 2"),
        *("case 3 1", "turn 0 failed", "failed 3"),
        "True 4",
    ]
    done = again("report", "--format", "acme/fails", env={"PYTHONPATH": str(site)})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: a report could not be written: Fails: ValueError: no ink\n"


def test_nothing_is_written_and_no_code_of_the_agent_is_run(
    holodeck: Holodeck, logged: Any, tmp_path: Path
) -> None:
    logged.write("a", "b", "c")
    logged.at("kill", "c")
    holodeck("test")
    (tmp_path / "logged_agent.py").write_text("open('loaded', 'w')\n")
    [run] = logged.runs.iterdir()
    with (run / "results.jsonl").open("ab") as journal:
        journal.write(b'{"index": 2, "torn')
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in run.iterdir()}
    done = holodeck("report")
    assert done.returncode == 0
    assert (
        timeless(done.stdout).splitlines()[-1] == "incomplete, 2 of 3 cases finished: 2 passed, 0 failed in T"
    )
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in run.iterdir()} == before
    assert not (tmp_path / "loaded").exists()


def test_a_run_that_is_going_on_shows_what_has_finished(
    logged: Any, holodeck: Holodeck, launch: Launch
) -> None:
    logged.write("a", "b", "c")
    logged.at("hold", "b")
    process = launch("test")
    logged.wait_for("b")
    done = holodeck("report")
    assert done.returncode == 0
    assert timeless(done.stdout).splitlines() == [
        "PASS a (1 turn, T)",
        "incomplete, 1 of 3 cases finished: 1 passed, 0 failed in T",
    ]
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate()


@pytest.mark.parametrize("word", ["last", "last~2", "ID", ".holodeck/runs/ID", "AWAY"])
def test_which_run_is_meant(kept: dict[str, Any], again: Holodeck, tmp_path: Path, word: str) -> None:
    ids = sorted(
        (json.loads(path.read_bytes()) for path in (tmp_path / ".holodeck").glob("runs/*/run.json")),
        key=lambda head: str(head["started_at"]),
    )
    first, *_, last = [head["run_id"] for head in ids]
    away = ["last", "--run-dir", str(kept["folder"] / ".holodeck" / "runs")]
    args = away if word == "AWAY" else [word.replace("ID", first)]
    done = again("report", *args, "--format", "json")
    assert json.loads(done.stdout)["run_id"] == (last if word in ("last", "AWAY") else first)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["last~3"], "Error: there is no last~3: .holodeck/runs holds 3 runs\n"),
        (["nope"], "Error: there is no run 'nope' in .holodeck/runs, and no such folder; "),
        (["last", "--run-dir", "away"], "Error: there is no last: away holds no runs\n"),
        (["..\x1b[2J/x"], r"Error: there is no run '..\x1b[2J/x' in "),
        (["-o", "missing/r.json"], "Error: -o missing/r.json: the folder "),
        (["-o", "r.foo"], "its suffix tells no format"),
        (["--format", "nope"], "nope"),
        (["-v", "-q"], "-v and -q exclude each other"),
    ],
    ids=lambda value: ascii(" ".join(value)) if isinstance(value, list) else "",
)
def test_what_cannot_be_reported(again: Holodeck, args: list[str], told: str) -> None:
    done = again("report", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_result_that_cannot_be_read_is_told(holodeck: Holodeck, logged: Any) -> None:
    logged.write("a")
    holodeck("test")
    [run] = logged.runs.iterdir()
    record = json.loads((run / "results.jsonl").read_text())
    record["turns"][0]["response"] = 5
    (run / "results.jsonl").write_text(json.dumps(record) + "\n")
    done = holodeck("report")
    assert (done.returncode, done.stdout) == (2, "")
    told = f"Error: {run}/results.jsonl:1: the stored result of case 1 cannot be read; resuming the run "
    assert done.stderr.startswith(told)
    assert holodeck("test", "-q", "--resume", "last").returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "line", ['{"index": 0, "status": "passed"}', '{"index": 0, "turns": [1]}', "[0]", "\0"]
)
def test_a_line_that_is_no_result_leaves_the_run_incomplete(
    holodeck: Holodeck, logged: Any, line: str
) -> None:
    logged.write("a")
    holodeck("test")
    [run] = logged.runs.iterdir()
    (run / "results.jsonl").write_text(line + "\n")
    done = holodeck("report")
    told = f"warning: {run}/results.jsonl: line 1 cannot be read: what was there counts as not run\n"
    assert (done.returncode, done.stderr) == (0, told)
    assert "incomplete" in done.stdout
    assert holodeck("test", "--resume").returncode == 0
    assert holodeck("report").stdout.startswith("PASS a")
