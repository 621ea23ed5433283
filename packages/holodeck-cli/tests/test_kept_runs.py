"""Runs are kept beside the agent file, or where that is asked for."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

AGENT = {
    "name": "desk",
    "model": {"provider": "scripted", "replies": [{"input": "hi", "reply": "hello"}]},
    "test_cases": [{"name": "good", "input": "hi", "expected_tools": []}],
}


def write(folder: Path, **more: Any) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "agent.yaml").write_text(json.dumps({**AGENT, **more}))


def heads(runs: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(runs.glob("*/run.json"))]


def test_a_run_is_kept_beside_its_agent_file(holodeck: Holodeck, tmp_path: Path) -> None:
    write(tmp_path / "sub")
    assert holodeck("test", "sub/agent.yaml").returncode == 0
    assert not (tmp_path / ".holodeck").exists()
    [head] = heads(tmp_path / "sub" / ".holodeck" / "runs")
    assert (head["complete"], head["total"], head["summary"]["passed"]) == (True, 1, 1)
    assert head["agent_config_path"] == "sub/agent.yaml"
    assert head["agent_file"] == str(tmp_path / "sub" / "agent.yaml")
    assert (tmp_path / "sub" / ".holodeck" / ".gitignore").read_text() == "*\n"


def test_a_run_is_kept_where_that_is_asked_for(holodeck: Holodeck, tmp_path: Path) -> None:
    write(tmp_path)
    assert holodeck("test", "--run-dir", "deep/down").returncode == 0
    assert len(heads(tmp_path / "deep" / "down")) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"agent.yaml", "deep"}
    assert not list(tmp_path.rglob(".gitignore"))  # a folder of the user's own ignores nothing


def test_nothing_is_kept_of_what_was_not_started(holodeck: Holodeck, tmp_path: Path) -> None:
    write(tmp_path)
    assert holodeck("test", "-k", "nowhere").returncode == 3
    assert holodeck("test", "-o", "missing/report.json").returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["agent.yaml"]


def test_an_agent_that_changes_the_working_directory_moves_no_run(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "wanders.py").write_text(
        "import os\ndef agent():\n    os.chdir('else')\n    return lambda message: 'hi'\n"
    )
    write(tmp_path, model={"provider": "python", "agent": "wanders:agent"})
    assert holodeck("test").returncode == 0
    [head] = heads(tmp_path / ".holodeck" / "runs")
    assert (head["complete"], head["agent_file"]) == (True, str(tmp_path / "agent.yaml"))


@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are text there")
def test_an_agent_file_in_a_folder_whose_name_is_no_text(holodeck: Holodeck, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path / "odd") + b"\xff"))
    write(folder)
    done = holodeck("test", str(folder / "agent.yaml"), "-o", "report.json")
    assert done.returncode == 0, done.stderr
    [head] = heads(folder / ".holodeck" / "runs")
    assert head["agent_file"] == f"{tmp_path}/odd\ufffd/agent.yaml"
    assert holodeck("test", str(folder / "agent.yaml"), "--resume", "last").returncode == 0


@pytest.mark.parametrize("blocked", [".holodeck", ".holodeck/runs"])
def test_a_run_that_cannot_be_kept_goes_on_without_and_says_so(
    holodeck: Holodeck, tmp_path: Path, blocked: str
) -> None:
    write(tmp_path)
    (tmp_path / blocked).parent.mkdir(exist_ok=True)
    (tmp_path / blocked).write_text("no folder")
    done = holodeck("test", "-o", "report.json")
    assert done.returncode == 0
    assert done.stderr.startswith("note: this run is not stored: the run folder ")
    assert done.stderr.count("\n") == 1
    assert "--run-dir" in done.stderr
    assert json.loads((tmp_path / "report.json").read_text())["complete"] is True


def test_a_place_that_was_asked_for_and_cannot_be_written_is_told_before_anything_is_sent(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    (tmp_path / "seen.py").write_text(
        "def agent():\n    open('sent', 'w')\n    return lambda message: 'hi'\n"
    )
    write(tmp_path, model={"provider": "python", "agent": "seen:agent"})
    done = holodeck("test", "--run-dir", "agent.yaml/runs")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: the run folder ")
    assert done.stderr.endswith("cannot be written: Not a directory\n")
    assert not (tmp_path / "sent").exists()


def test_a_disk_on_which_a_run_cannot_even_begin_holds_nothing_of_it(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path)
    done = subprocess.run(
        [*command, "test", "-q"],
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr.startswith("note: this run is not stored: ")) == (3, True)
    assert list((tmp_path / ".holodeck" / "runs").iterdir()) == []


def test_a_disk_that_is_full_ends_the_run_and_what_was_kept_stays_whole(
    holodeck: Holodeck, command: tuple[str, ...], tmp_path: Path
) -> None:
    cases = [{"name": f"case {number}", "input": "hi", "expected_tools": []} for number in range(30)]
    write(tmp_path, test_cases=cases)

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    done = subprocess.run(
        [*command, "test", "-q"],
        cwd=tmp_path,
        preexec_fn=small,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr == "error: results cannot be stored: File too large\n"
    [journal] = tmp_path.glob(".holodeck/runs/*/results.jsonl")
    lines = journal.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert [json.loads(line)["index"] for line in lines] == list(range(len(lines)))
    resumed = holodeck("test", "-q", "--resume")
    assert resumed.returncode == 0
    assert f": {len(lines)} taken over, {30 - len(lines)} new\n" in resumed.stdout
